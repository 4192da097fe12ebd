import { List, type Page } from '../list.js';
import { pathTo } from '../path.js';
import type { CallOptions, Transport } from '../transport.js';
import type { EventQuery, TopupEvent } from '../types.js';

/** What webhooks carry, for those who missed one or have none. */
export class Events {
  constructor(private readonly transport: Transport) {}

  /**
   * Oldest first, up to the last one there is. No event ever appears behind one that you have read: keep the `id` of the last
   * one that you handled, and give it as `after` to go on.
   * @throws ApiError 400 for an `after` that is no longer kept
   */
  list(query: EventQuery = {}, options?: CallOptions): List<TopupEvent> {
    return new List((cursor) =>
      this.transport.get<Page<TopupEvent>>('/v1/events', { ...query, after: cursor ?? query.after }, options),
    );
  }

  async get(id: string, options?: CallOptions): Promise<TopupEvent> {
    return this.transport.get(pathTo('/v1/events', 'id', id), {}, options);
  }
}
