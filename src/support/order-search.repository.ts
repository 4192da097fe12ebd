import { Injectable } from '@nestjs/common';
import { present } from '../core/invariant.js';
import { MAX_BIGINT } from '../core/pagination.js';
import { Database } from '../database/database.js';
import { statement } from '../database/parameters.js';
import { ReplicaReadsService } from '../database/replica-reads.service.js';
import { inIndexedSnapshot } from '../database/snapshot.js';
import { orderColumns } from '../orders/order-columns.sql.js';
import { type ItemRow, type OrderRow } from '../orders/order.rows.js';
import { LIST_ITEMS_OF } from '../orders/orders.repository.js';
import {
  countPaths,
  FIRST_ID_SINCE,
  isById,
  isContradiction,
  isPartial,
  lastScanned,
  listOrders,
  MARGIN_MS,
  pageOfOrders,
  pathsOf,
  type AccessPath,
  type ListFilter,
  type NamedOrderRow,
  type OrderPlace,
  type PageFilter,
  type PageQuery,
} from './order-search.sql.js';

export type { ListFilter, NamedOrderRow, OrderPlace, PageFilter } from './order-search.sql.js';

export interface FoundOrder {
  id: bigint;
  /** The kind of the order's identifier that equals the term. */
  found_as: 'number' | 'reference' | 'player' | 'supplier_reference' | 'event' | 'delivery';
}

/** The index of references begins with the merchant: one lookup for each merchant is faster than a scan of all orders. */
const LIST_BY_REFERENCE = statement(
  'support.list_by_reference',
  { reference: 'text', merchantId: 'int?' },
  ({ reference, merchantId }) => `
    SELECT found.* FROM merchants m
    CROSS JOIN LATERAL (
      SELECT ${orderColumns('orders')} FROM orders WHERE merchant_id = m.id AND reference_id = ${reference} LIMIT 1) found
    WHERE ${merchantId} IS NULL OR m.id = ${merchantId}
    ORDER BY m.id`,
);

/** The newest orders that a term may mean. Each branch uses the index of one kind of term: `OR` would read all orders. */
const LIST_BY_TERM = statement(
  'order_search.list_by_term',
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

const ALL_IDS = { firstId: 0n, endId: MAX_BIGINT };

/** A page reads at most this many blocks of `MAX_SCANNED` rows. So a page may be short if few orders match the filter. */
const MAX_SCANS = 5;

interface OrderPage {
  rows: NamedOrderRow[];
  /** Where the next page begins if the scan stopped before this page was full. Null for a full page and for the last page. */
  continueAt: OrderPlace | null;
}

interface Term {
  term: string;
  /** The order's number at the beginning of the term if the term is a unit's reference, otherwise the term itself. */
  orderNumber: string;
  /** The webhook delivery that the term names. */
  deliveryId: bigint | null;
  /** Whether the term may be a player. */
  withPlayers: boolean;
  limit: number;
}

/** Finds orders of all merchants. */
@Injectable()
export class OrderSearchRepository {
  constructor(
    private readonly database: Database,
    private readonly reads: ReplicaReadsService,
  ) {}

  /** Returns orders newest first, with their items. The result may be a moment old. */
  list(filter: ListFilter): Promise<{ orders: OrderRow[]; items: ItemRow[] }> {
    const { statement: query, values } = listOrders(filter);
    return inIndexedSnapshot(this.reads, async (tx) => {
      const orders = await tx.query<OrderRow>(query, values);
      return { orders, items: await tx.query<ItemRow>(LIST_ITEMS_OF, [orders.map(({ id }) => id)]) };
    });
  }

  /** Returns orders newest first. Every filter reads a bounded number of orders, so a page may end before it is full. */
  async page(filter: PageFilter, after: OrderPlace | null, limit: number): Promise<OrderPage> {
    if (isContradiction(filter)) return { rows: [], continueAt: null };
    const paths = pathsOf(filter);
    const query = { ...filter, ...(await this.idsOfTime(paths, filter)), after, limit };
    const path = await this.choosePath(paths, query);
    if (isPartial(path, query)) return this.scan(path, query);
    const { statement: page, values } = pageOfOrders(path, query);
    return { rows: await this.database.query<NamedOrderRow>(page, values), continueAt: null };
  }

  /** Returns the orders that exist, newest first. */
  listByIds(ids: bigint[]): Promise<NamedOrderRow[]> {
    const { statement: page, values } = pageOfOrders('ids', { ids, ...ALL_IDS, after: null, limit: ids.length });
    return this.database.query<NamedOrderRow>(page, values);
  }

  /** Newest first, and up to `limit` orders for each kind of identifier. */
  listByTerm(term: Term): Promise<FoundOrder[]> {
    return this.database.query<FoundOrder>(...LIST_BY_TERM.with(term));
  }

  /** Returns one order for each merchant that uses the reference. */
  listByReference(reference: string, merchantId?: number): Promise<OrderRow[]> {
    return this.database.query<OrderRow>(...LIST_BY_REFERENCE.with({ reference, merchantId: merchantId ?? null }));
  }

  private async idsOfTime(paths: AccessPath[], { createdFrom, createdTo }: PageFilter): Promise<typeof ALL_IDS> {
    if (!paths.some(isById)) return ALL_IDS;
    const [firstId, endId] = await Promise.all([
      createdFrom ? this.firstIdSince(createdFrom, -MARGIN_MS) : ALL_IDS.firstId,
      createdTo ? this.firstIdSince(createdTo, MARGIN_MS) : ALL_IDS.endId,
    ]);
    return { firstId, endId };
  }

  /** Returns the path with the fewest orders. A count stops early, so the first of several long paths wins. */
  private async choosePath([first, ...others]: [AccessPath, ...AccessPath[]], query: PageQuery): Promise<AccessPath> {
    if (others.length === 0) return first;
    // Counts from the first page, not from `after`: all pages must use the same path, because paths sort differently.
    const { statement: count, values } = countPaths([first, ...others], { ...query, after: null });
    const [counts] = await this.database.query<Record<AccessPath, number>>(count, values);
    const countOf = (path: AccessPath): number => present(counts, 'paths are counted')[path];
    return others.reduce((best, path) => (countOf(path) < countOf(best) ? path : best), first);
  }

  /** Reads one snapshot, so that each statement begins where the previous one ended. */
  private scan(path: AccessPath, query: PageQuery): Promise<OrderPage> {
    return inIndexedSnapshot(this.database, async (tx) => {
      const rows: NamedOrderRow[] = [];
      let { after } = query;
      for (let scans = 0; scans < MAX_SCANS; scans++) {
        const rest = { ...query, after, limit: query.limit - rows.length };
        const page = pageOfOrders(path, rest);
        rows.push(...(await tx.query<NamedOrderRow>(page.statement, page.values)));
        if (rows.length >= query.limit) return { rows, continueAt: null };
        const end = lastScanned(path, rest);
        const [last] = await tx.query<Pick<OrderRow, 'created_at' | 'id'>>(end.statement, end.values);
        if (!last) return { rows, continueAt: null };
        after = { createdAt: last.created_at, id: last.id };
      }
      return { rows, continueAt: after };
    });
  }

  private async firstIdSince(moment: Date, marginMs: number): Promise<bigint> {
    const since = FIRST_ID_SINCE.with({ moment: new Date(moment.getTime() + marginMs) });
    const [first] = await this.database.query<{ id: bigint }>(...since);
    return first?.id ?? 0n;
  }
}
