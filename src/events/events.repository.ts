import { Injectable } from '@nestjs/common';
import { BoundedReadsService } from '../database/bounded-reads.service.js';
import type { DeliveredEvent } from './event.entity.js';
import { FIND_EVENT, PAGE_OF_EVENTS, type EventRow } from './events.sql.js';

export type { EventRow } from './events.sql.js';

/** Events, for merchants. */
@Injectable()
export class EventsRepository {
  constructor(private readonly reads: BoundedReadsService) {}

  /** Oldest first. @param after the id of the last event before the page. */
  page(merchantId: number, kinds: readonly DeliveredEvent[], after: bigint, limit: number): Promise<EventRow[]> {
    return this.reads.list<EventRow>(...PAGE_OF_EVENTS.with({ merchantId, kinds: [...kinds], after, limit }));
  }

  async find(merchantId: number, publicId: string): Promise<EventRow | undefined> {
    const [event] = await this.reads.query<EventRow>(...FIND_EVENT.with({ merchantId, publicId }));
    return event;
  }
}
