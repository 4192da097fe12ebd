import { Injectable } from '@nestjs/common';
import { Database, type Queryable, type Transaction } from '../database/database.js';
import { MAX_BIGINT } from '../core/pagination.js';
import { Transfer } from '../wallet/transfer.entity.js';
import {
  FIRST_ID_SINCE,
  pageOfOrders,
  wayOf,
  type DeskFilter,
  type DeskPlace,
  type DeskRow,
} from './order-desk.sql.js';
import { FIND_BY_TERM, type FoundOrder } from './order-search.sql.js';
import { FIND_STORY, type StoryRow } from './order-story.sql.js';

export type { DeskFilter, DeskPlace, DeskRow } from './order-desk.sql.js';
export type { FoundOrder } from './order-search.sql.js';
export type { StoryFacts, StoryRow } from './order-story.sql.js';

/** Orders are given their ids by several processes, each by its own clock. */
const MARGIN_MS = 600_000;

interface Term {
  term: string;
  /** The order that the term names, where it is one's number or a name made of it. */
  orderNumber: string;
  /** The delivery of a webhook that the term names. */
  deliveryId: bigint | null;
  /** Whether it may be a player. */
  withPlayers: boolean;
  limit: number;
}

/** Orders of all merchants in pages, and what happened to each of them. */
@Injectable()
export class OrderDeskRepository {
  constructor(private readonly database: Database) {}

  /** Newest first. */
  async page(
    filter: DeskFilter,
    after: DeskPlace | null,
    limit: number,
    source: Queryable = this.database,
  ): Promise<DeskRow[]> {
    // The other ways go by indexes that have the time.
    const needsIds = ['all', 'sku', 'supplier'].includes(wayOf(filter));
    const firstId = needsIds && filter.from ? await this.firstIdSince(filter.from, -MARGIN_MS) : 0n;
    const endId = needsIds && filter.to ? await this.firstIdSince(filter.to, MARGIN_MS) : MAX_BIGINT;
    const { statement, values } = pageOfOrders({ ...filter, firstId, endId, after, limit });
    return source.query<DeskRow>(statement, values);
  }

  /** Newest first. */
  findByTerm(term: Term): Promise<FoundOrder[]> {
    return this.database.query<FoundOrder>(...FIND_BY_TERM.with(term));
  }

  /** Oldest first. */
  story(tx: Transaction, orderId: bigint): Promise<StoryRow[]> {
    return tx.query<StoryRow>(...FIND_STORY.with({ orderId }));
  }

  /** Oldest first. */
  transfers({ manager }: Transaction, orderId: bigint): Promise<Transfer[]> {
    return manager.find(Transfer, { where: { order_id: orderId }, order: { id: 'ASC' } });
  }

  private async firstIdSince(moment: Date, marginMs: number): Promise<bigint> {
    const since = FIRST_ID_SINCE.with({ moment: new Date(moment.getTime() + marginMs) });
    const [first] = await this.database.query<{ id: bigint }>(...since);
    return first?.id ?? 0n;
  }
}
