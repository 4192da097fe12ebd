import { List, type Page } from '../list.js';
import { pathTo } from '../path.js';
import type { CallOptions, Transport } from '../transport.js';
import type { EventQuery, TopupEvent } from '../types.js';

/** The events that webhooks carry, for merchants who missed one or have no webhook. */
export class Events {
  constructor(private readonly transport: Transport) {}

  /**
   * Oldest first, up to the newest. A new event never appears before one that you have read: store the `id` of the last event that
   * you handled, and pass it as `after` to continue.
   * @throws ApiError 400 if the event `after` was removed
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
