import { Injectable } from '@nestjs/common';
import { present } from '../core/invariant.js';
import { MAX_BIGINT } from '../core/pagination.js';
import { Database, type Queryable, type Transaction } from '../database/database.js';
import { statement } from '../database/parameters.js';
import { inIndexedSnapshot } from '../database/snapshot.js';
import { Transfer } from '../wallet/transfer.entity.js';
import {
  countWays,
  type OverviewFilter,
  type OverviewPlace,
  type OverviewQuery,
  type OverviewRow,
  FIRST_ID_SINCE,
  isById,
  isContradiction,
  isSifted,
  lastLookedAt,
  pageOfOrders,
  type Way,
  waysOf,
} from './order-overview.sql.js';

/** As what a term was found to be an order's. */
type FoundAs = 'number' | 'reference' | 'player' | 'supplier_reference' | 'event' | 'delivery';

export interface FoundOrder {
  id: bigint;
  found_as: FoundAs;
}

/**
 * The newest orders that a term may mean: one look into an index for each thing that it may be. With `OR` between them
 * PostgreSQL would read all orders.
 */
const FIND_BY_TERM = statement(
  'order_search.find_by_term',
  { term: 'text', orderNumber: 'text', deliveryId: 'bigint?', withPlayers: 'boolean', limit: 'int' },
  ({ term, orderNumber, deliveryId, withPlayers, limit }) => `
    SELECT DISTINCT ON (found.id) found.id, found.found_as FROM (
      (SELECT o.id, 'number' AS found_as, 1 AS rank FROM orders o WHERE o.order_number = ${orderNumber})
      UNION ALL
      (SELECT o.id, 'reference', 2 FROM merchants m CROSS JOIN LATERAL (
         SELECT id FROM orders WHERE merchant_id = m.id AND reference_id = ${term} LIMIT 1) o
       LIMIT ${limit})
      UNION ALL
      (SELECT o.id, 'player', 3 FROM merchants m CROSS JOIN LATERAL (
         SELECT id FROM orders WHERE merchant_id = m.id AND user_id = ${term}
         ORDER BY created_at DESC, id DESC LIMIT ${limit}) o
       WHERE ${withPlayers} ORDER BY o.id DESC LIMIT ${limit})
      UNION ALL
      (SELECT a.order_id, 'supplier_reference', 4 FROM suppliers s CROSS JOIN LATERAL (
         SELECT order_id FROM unit_attempts WHERE supplier_id = s.id AND supplier_reference = ${term} LIMIT ${limit}) a
       LIMIT ${limit})
      UNION ALL
      (SELECT e.order_id, 'event', 5 FROM events e WHERE e.public_id = ${term} AND e.order_id IS NOT NULL)
      UNION ALL
      (SELECT e.order_id, 'delivery', 6 FROM webhook_deliveries d JOIN events e ON e.id = d.event_id
       WHERE d.id = ${deliveryId} AND e.order_id IS NOT NULL)) found
    ORDER BY found.id DESC, found.rank`,
);

export type { OverviewFilter, OverviewPlace, OverviewRow } from './order-overview.sql.js';

/** Orders are given their ids by several processes, each by its own clock. */
const MARGIN_MS = 600_000;

const ALL_IDS = { firstId: 0n, endId: MAX_BIGINT };

/** As many look at ten thousand orders: what fits few of those is found page by page. */
const MAX_LOOKS = 5;

/** Orders of a page. */
export interface OverviewPage {
  rows: OverviewRow[];
  /** Where the next page begins although this one is not full; null where it is, or where there are no more. */
  goOnAt: OverviewPlace | null;
}

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

/** Orders of all merchants in pages. */
@Injectable()
export class OrderOverviewRepository {
  constructor(private readonly database: Database) {}

  /**
   * Newest first. Whatever the filter is, a bounded number of orders is looked at: where that is not enough for a page,
   * it ends where the next one is to go on.
   */
  async page(filter: OverviewFilter, after: OverviewPlace | null, limit: number): Promise<OverviewPage> {
    if (isContradiction(filter)) return { rows: [], goOnAt: null };
    const ways = waysOf(filter);
    const query = { ...filter, ...(await this.idsOfTime(ways, filter)), after, limit };
    const way = await this.chooseWay(ways, query);
    if (isSifted(way, query)) return this.sift(way, query);
    const { statement, values } = pageOfOrders(way, query);
    return { rows: await this.database.query<OverviewRow>(statement, values), goOnAt: null };
  }

  /** Those that there are, newest first. */
  findByIds(ids: bigint[], source: Queryable = this.database): Promise<OverviewRow[]> {
    const { statement, values } = pageOfOrders('ids', { ids, ...ALL_IDS, after: null, limit: ids.length });
    return source.query<OverviewRow>(statement, values);
  }

  /** Newest first. */
  findByTerm(term: Term): Promise<FoundOrder[]> {
    return this.database.query<FoundOrder>(...FIND_BY_TERM.with(term));
  }

  /** Oldest first. */
  transfers({ manager }: Transaction, orderId: bigint): Promise<Transfer[]> {
    return manager.find(Transfer, { where: { order_id: orderId }, order: { id: 'ASC' } });
  }

  private async idsOfTime(ways: Way[], { from, to }: OverviewFilter): Promise<typeof ALL_IDS> {
    if (!ways.some(isById)) return ALL_IDS;
    const [firstId, endId] = await Promise.all([
      from ? this.firstIdSince(from, -MARGIN_MS) : ALL_IDS.firstId,
      to ? this.firstIdSince(to, MARGIN_MS) : ALL_IDS.endId,
    ]);
    return { firstId, endId };
  }

  /** Of several ways the shortest, where that is a short one. */
  private async chooseWay([first, ...others]: [Way, ...Way[]], query: OverviewQuery): Promise<Way> {
    if (others.length === 0) return first;
    // Of all there is, not from the place on: the pages of a list go one way, because each has an order of its own.
    const { statement, values } = countWays([first, ...others], { ...query, after: null });
    const [counts] = await this.database.query<Record<Way, number>>(statement, values);
    const countOf = (way: Way): number => present(counts, 'ways are counted')[way];
    return others.reduce((best, way) => (countOf(way) < countOf(best) ? way : best), first);
  }

  /** In one snapshot, so that what is looked at ends where the next look begins. */
  private sift(way: Way, query: OverviewQuery): Promise<OverviewPage> {
    return inIndexedSnapshot(this.database, async (tx) => {
      const rows: OverviewRow[] = [];
      let { after } = query;
      for (let look = 0; look < MAX_LOOKS; look++) {
        const asked = { ...query, after, limit: query.limit - rows.length };
        const page = pageOfOrders(way, asked);
        rows.push(...(await tx.query<OverviewRow>(page.statement, page.values)));
        if (rows.length >= query.limit) return { rows, goOnAt: null };
        const end = lastLookedAt(way, asked);
        const [last] = await tx.query<Pick<OverviewRow, 'created_at' | 'id'>>(end.statement, end.values);
        if (!last) return { rows, goOnAt: null };
        after = { createdAt: last.created_at, id: last.id };
      }
      return { rows, goOnAt: after };
    });
  }

  private async firstIdSince(moment: Date, marginMs: number): Promise<bigint> {
    const since = FIRST_ID_SINCE.with({ moment: new Date(moment.getTime() + marginMs) });
    const [first] = await this.database.query<{ id: bigint }>(...since);
    return first?.id ?? 0n;
  }
}
