import { Injectable } from '@nestjs/common';
import { invalidRequest, notFound } from '../core/errors.js';
import { decodeCursor, encodeCursor, MAX_BIGINT, pageLimit, toPage, type Page } from '../core/pagination.js';
import { mayBeStored } from '../core/text.js';
import type { EventDto, EventListQuery } from './event.dto.js';
import { DELIVERED_EVENTS } from './event.entity.js';
import { EventsRepository, type EventRow } from './events.repository.js';

/** Longer ids are unknown without a query. */
const MAX_ID_LENGTH = 256;

/** A merchant's events, for merchants that missed a webhook or have none. */
@Injectable()
export class EventsService {
  constructor(private readonly events: EventsRepository) {}

  /**
   * Lists the merchant's events, oldest first. No event ever appears before one that was on a page.
   * @throws BAD_REQUEST for a bad `after`
   */
  async list(merchantId: number, query: EventListQuery): Promise<Page<EventDto>> {
    const limit = pageLimit(query);
    const after = await this.idAfter(merchantId, query.after);
    const kinds = query.type === undefined ? DELIVERED_EVENTS : [query.type];
    const rows = await this.events.page(merchantId, kinds, after, limit + 1);
    return toPage(rows, limit, ({ id }) => encodeCursor(id), toEventDto);
  }

  /** @throws NOT_FOUND */
  async get(merchantId: number, id: string): Promise<EventDto> {
    const event = await this.find(merchantId, id);
    if (!event) throw notFound('event');
    return toEventDto(event);
  }

  /** The id that a page starts after. @throws BAD_REQUEST */
  private async idAfter(merchantId: number, after: string | undefined): Promise<bigint> {
    if (after === undefined || !after.startsWith('evt_')) return decodeCursor(after, [MAX_BIGINT], 'after')?.[0] ?? 0n;
    const event = await this.find(merchantId, after);
    if (event) return event.id;
    const message = 'after is the id of no event that is kept';
    throw invalidRequest([{ field: 'after', code: 'INVALID_VALUE', message }]);
  }

  private find(merchantId: number, id: string): Promise<EventRow | undefined> {
    return mayBeStored(id, MAX_ID_LENGTH) ? this.events.find(merchantId, id) : Promise.resolve(undefined);
  }
}

/** Written as JSON again, it has the very bytes that webhooks carry. */
const toEventDto = ({ body }: Pick<EventRow, 'body'>): EventDto => JSON.parse(body) as EventDto;
