import { Injectable } from '@nestjs/common';
import { invalidValue, notFound } from '../core/errors.js';
import { decodeCursor, encodeCursor, MAX_BIGINT, pageLimit, toPage, type Page } from '../core/pagination.js';
import { mayBeStored } from '../core/text.js';
import type { EventDto, EventListQuery } from './event.dto.js';
import { DELIVERED_EVENTS } from './event.entity.js';
import { EventsRepository, type EventRow } from './events.repository.js';

/** No event has a longer id, so a longer text needs no query. */
const MAX_ID_LENGTH = 256;

/** A merchant's events. Merchants read them if they have no webhook, or missed a delivery. */
@Injectable()
export class EventsService {
  constructor(private readonly events: EventsRepository) {}

  /**
   * Lists the merchant's events, oldest first. A new event always comes after all events that a merchant has read.
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

  /** The id of the last event before the page. @throws BAD_REQUEST */
  private async idAfter(merchantId: number, after: string | undefined): Promise<bigint> {
    if (after === undefined || !after.startsWith('evt_')) return decodeCursor(after, [MAX_BIGINT], 'after')?.[0] ?? 0n;
    const event = await this.find(merchantId, after);
    if (event) return event.id;
    throw invalidValue('after', 'after names no event, or one that was already removed');
  }

  private find(merchantId: number, id: string): Promise<EventRow | undefined> {
    return mayBeStored(id, MAX_ID_LENGTH) ? this.events.find(merchantId, id) : Promise.resolve(undefined);
  }
}

/** The answer's JSON has the same bytes as the stored body. */
const toEventDto = ({ body }: Pick<EventRow, 'body'>): EventDto => JSON.parse(body) as EventDto;
