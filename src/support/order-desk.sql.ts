import { FAILURE_CODES, type FailureCode } from '../core/failures.js';
import type { Statement } from '../database/database.js';
import { firstIdSince } from '../database/first-id-since.sql.js';
import { ORDER_COLUMNS, type OrderRow } from '../orders/order.rows.js';
import { isTerminalOrder, type OrderStatus } from '../orders/states.js';

/** An order with its merchant's name. */
export type DeskRow = OrderRow & { merchant_name: string };

/** Where a page begins: behind the last order of the page before. */
export interface DeskPlace {
  createdAt: Date;
  id: bigint;
}

/** What must be true of an order; what is not given may be anything. */
export interface DeskFilter {
  status?: OrderStatus | undefined;
  merchantId?: number | undefined;
  sku?: string | undefined;
  supplierId?: number | undefined;
  failureCode?: FailureCode | undefined;
  from?: Date | undefined;
  /** Exclusive. */
  to?: Date | undefined;
  /** Only these orders. */
  ids?: bigint[] | undefined;
}

/** A filter, and the ids between which the orders of its time are. */
export interface DeskQuery extends DeskFilter {
  firstId: bigint;
  /** Exclusive. */
  endId: bigint;
  after: DeskPlace | null;
  limit: number;
}

export const FIRST_ID_SINCE = firstIdSince('order_desk.first_id_since', 'orders');

const COLUMNS = ORDER_COLUMNS.replace(/\w+/g, 'o.$&');
const BY_TIME = 'ORDER BY o.created_at DESC, o.id DESC';
const BY_ID = 'ORDER BY o.id DESC';

/** How a list walks through the orders: by the index of one part of the filter, the one that leaves fewest. */
type Way = 'ids' | 'sku' | 'open' | 'failure' | 'supplier' | 'failed' | 'merchant' | 'all';

export function wayOf({ ids, sku, status, failureCode, supplierId, merchantId }: DeskFilter): Way {
  if (ids) return 'ids';
  if (status && !isTerminalOrder(status)) return 'open';
  if (sku !== undefined) return 'sku';
  if (failureCode !== undefined) return 'failure';
  if (merchantId !== undefined) return 'merchant';
  if (supplierId !== undefined) return 'supplier';
  return status === 'failed' ? 'failed' : 'all';
}

type Add = (value: unknown) => string;

/** Orders that the filter lets through, newest first. */
export function pageOfOrders(query: DeskQuery): { statement: Statement; values: unknown[] } {
  const values: unknown[] = [];
  const way = wayOf(query);
  const add: Add = (value) => `$${values.push(value)}`;
  const text = `SELECT o.*, m.name AS merchant_name FROM (${TEXTS[way](query, add)}) o
                JOIN merchants m ON m.id = o.merchant_id ${isByTime(way) ? BY_TIME : BY_ID}`;
  const parts = [
    query.merchantId,
    query.sku,
    query.supplierId,
    query.failureCode,
    query.after,
    query.from,
    query.to,
  ];
  const given = parts.map((part) => (part === undefined || part === null ? '0' : '1')).join('');
  return { statement: { name: `order_desk.page.${way}.${given}.${query.status ?? 'any'}`, text }, values };
}

const isByTime = (way: Way): boolean => ['open', 'failure', 'failed', 'merchant'].includes(way);

const TEXTS: Record<Way, (query: DeskQuery, add: Add) => string> = {
  all: (query, add) => directly(query, add, BY_ID),
  ids: (query, add) => directly(query, add, BY_ID, `AND o.id = ANY(${add(query.ids)}::bigint[])`),
  open: (query, add) => directly(query, add, BY_TIME),
  failure: (query, add) => directly(query, add, BY_TIME),
  merchant: (query, add) => directly(query, add, BY_TIME),
  // One look for each code, because the indexes of failed orders begin with the code or the merchant.
  failed: (query, add) => `
    SELECT o.* FROM unnest(${add(FAILURE_CODES)}::text[]) code CROSS JOIN LATERAL (
      ${directly(query, add, BY_TIME, 'AND o.failure_code = code')}) o
    ${BY_TIME} LIMIT ${add(query.limit)}`,
  sku: (query, add) => byItem(query, add, `i.sku = ${add(query.sku)}`),
  supplier: (query, add) => byItem(query, add, `i.supplier_id = ${add(query.supplierId)}`),
};

const directly = (query: DeskQuery, add: Add, order: string, more = ''): string => `
  SELECT ${COLUMNS} FROM orders o WHERE ${conditionsOf(query, add, order === BY_TIME)} ${more}
  ${order} LIMIT ${add(query.limit)}`;

/** As the indexes of items have it: negated, newest first. Several items of an order may fit. */
const byItem = (query: DeskQuery, add: Add, condition: string): string => `
  SELECT DISTINCT ON (-i.order_id) ${COLUMNS} FROM order_items i JOIN orders o ON o.id = i.order_id
  WHERE ${condition} AND -i.order_id > ${add(-query.endId)}::bigint
    ${query.after ? `AND -i.order_id > ${add(-query.after.id)}::bigint` : ''} AND ${conditionsOf(query, add, false)}
  ORDER BY -i.order_id LIMIT ${add(query.limit)}`;

function conditionsOf(query: DeskQuery, add: Add, isByTime: boolean): string {
  const { firstId, endId, after, status, merchantId, sku, supplierId, failureCode, from, to } = query;
  const item = (condition: string): string =>
    `EXISTS (SELECT 1 FROM order_items i WHERE i.order_id = o.id AND ${condition})`;
  const conditions = [`o.id >= ${add(firstId)}::bigint`, `o.id < ${add(endId)}::bigint`];
  if (after && isByTime) {
    const moment = `${add(after.createdAt)}::timestamptz`;
    // The first says what the second implies, in the form that an index can be searched by.
    conditions.push(
      `o.created_at <= ${moment}`,
      `(o.created_at, o.id) < (${moment}, ${add(after.id)}::bigint)`,
    );
  } else if (after) conditions.push(`o.id < ${add(after.id)}::bigint`);
  // In the text, not as a value: the indexes of open and of failed orders serve only a query that names these statuses.
  if (status !== undefined) conditions.push(`o.status = '${status}'`);
  if (merchantId !== undefined) conditions.push(`o.merchant_id = ${add(merchantId)}`);
  if (failureCode !== undefined) conditions.push(`o.failure_code = ${add(failureCode)}`);
  if (from !== undefined) conditions.push(`o.created_at >= ${add(from)}::timestamptz`);
  if (to !== undefined) conditions.push(`o.created_at < ${add(to)}::timestamptz`);
  const way = wayOf(query);
  if (sku !== undefined && way !== 'sku') conditions.push(item(`i.sku = ${add(sku)}`));
  if (supplierId !== undefined && way !== 'supplier')
    conditions.push(item(`i.supplier_id = ${add(supplierId)}`));
  return conditions.join(' AND ');
}
