import { FAILURE_CODES, type FailureCode } from '../core/failures.js';
import type { Asked } from '../database/database.js';
import { firstIdSince } from '../database/first-id-since.sql.js';
import { ORDER_COLUMNS, type OrderRow } from '../orders/order.rows.js';
import { isTerminalOrder, type OrderStatus } from '../orders/states.js';

/** An order with its merchant's name. */
export type OverviewRow = OrderRow & { merchant_name: string };

/** Where a page begins: behind the last order of the page before. */
export interface OverviewPlace {
  createdAt: Date;
  id: bigint;
}

/** What must be true of an order; what is not given may be anything. */
export interface OverviewFilter {
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
export interface OverviewQuery extends OverviewFilter {
  firstId: bigint;
  /** Exclusive. */
  endId: bigint;
  after: OverviewPlace | null;
  limit: number;
}

export const FIRST_ID_SINCE = firstIdSince('order_overview.first_id_since', 'orders');

/** How a list walks through the orders: by the index of one part of the filter. */
export type Way = 'ids' | 'open' | 'sku' | 'failure' | 'merchant' | 'supplier' | 'failed' | 'all';

/** So many orders one look goes through, whatever the filter lets through of them. */
export const LOOKED_AT = 2_000;
/** Above this a way's orders are not counted. One that has no more is gone through by one look. */
export const COUNTED_AT_MOST = 1_000;

/** The ways that a filter leaves, the one first that leaves fewest orders as a rule. */
export function waysOf({ ids, sku, status, failureCode, supplierId, merchantId }: OverviewFilter): [Way, ...Way[]] {
  if (ids) return ['ids'];
  const ways: Way[] = [];
  if (status && !isTerminalOrder(status)) ways.push('open');
  if (sku !== undefined) ways.push('sku');
  if (failureCode !== undefined) ways.push('failure');
  if (merchantId !== undefined) ways.push('merchant');
  if (status === 'failed' && failureCode === undefined && merchantId === undefined) ways.push('failed');
  if (supplierId !== undefined) ways.push('supplier');
  const [first = 'all', ...others] = ways;
  return [first, ...others];
}

/** Whether no order can be so: those that failed have a code, and no others. */
export const isContradiction = ({ status, failureCode }: OverviewFilter): boolean =>
  failureCode !== undefined && status !== undefined && status !== 'failed';

type Add = (value: unknown) => string;

const COLUMNS = ORDER_COLUMNS.replace(/\w+/g, 'o.$&');
const BY_TIME = 'ORDER BY o.created_at DESC, o.id DESC';
const BY_ID = 'ORDER BY o.id DESC';
const TIMED: Way[] = ['open', 'failure', 'failed', 'merchant'];
const isByTime = (way: Way): boolean => TIMED.includes(way);
const isOfItems = (way: Way): boolean => way === 'sku' || way === 'supplier';
/** Ways that need to know between which ids the orders of a time are; the indexes of the others have the time. */
export const isById = (way: Way): boolean => way === 'all' || isOfItems(way);

/**
 * Whether a look may find less than there is: where a filter says more than the index of a way knows, and where several
 * items lead to one order.
 */
export const isSifted = (way: Way, query: OverviewQuery): boolean =>
  isOfItems(way) || (isByTime(way) && besides(way, query, String).length > 0);

/** Orders that the filter lets through, newest first; of a way that is sifted, among the next {@link LOOKED_AT} of it. */
export function pageOfOrders(way: Way, query: OverviewQuery): Asked {
  return asked('page', way, query, (add) => {
    const order = isByTime(way) ? BY_TIME : BY_ID;
    return `SELECT o.*, m.name AS merchant_name FROM (${sifted(way, query, add)}) o
            JOIN merchants m ON m.id = o.merchant_id ${order}`;
  });
}

/** The last order that {@link pageOfOrders} looks at; no row where it goes through all there are. */
export function lastLookedAt(way: Way, query: OverviewQuery): Asked {
  return asked('last_looked_at', way, query, (add) => {
    const last = `${next(way, query, add)} OFFSET ${LOOKED_AT - 1} LIMIT 1`;
    return isOfItems(way) ? `SELECT o.created_at, o.id FROM (${last}) i JOIN orders o ON o.id = i.order_id` : last;
  });
}

/** How many orders each of some ways leads to, up to one more than {@link COUNTED_AT_MOST}. */
export function countWays(ways: Way[], query: OverviewQuery): Asked {
  return asked('count_ways', ways.join('_'), query, (add) => {
    const counts = ways.map(
      (way) =>
        `(SELECT count(*)::int FROM (${next(way, query, add)} LIMIT ${COUNTED_AT_MOST + 1}) counted) AS "${way}"`,
    );
    return `SELECT ${counts.join(', ')}`;
  });
}

function asked(name: string, ways: string, query: OverviewQuery, textOf: (add: Add) => string): Asked {
  const values: unknown[] = [];
  const text = textOf((value) => `$${values.push(value)}`);
  const { merchantId, sku, supplierId, failureCode, after, from, to } = query;
  const given = [merchantId, sku, supplierId, failureCode, after, from, to]
    .map((part) => (part === undefined || part === null ? '0' : '1'))
    .join('');
  return {
    statement: { name: `order_overview.${name}.${ways}.${given}.${query.status ?? 'any'}`, text },
    values,
  };
}

/**
 * The orders of a way that are `besides` what its index knows. Plans are made for these few ways alone: what is besides
 * stands outside of a limit, where nobody takes it for a reason to sort all orders of a day, a product or a supplier.
 */
function sifted(way: Way, query: OverviewQuery, add: Add): string {
  const where = besides(way, query, add)
    .map((condition) => ` AND ${condition}`)
    .join('');
  const limit = (): string => `LIMIT ${add(query.limit)}`;
  if (isOfItems(way))
    return `SELECT DISTINCT ON (i.place) ${COLUMNS}
            FROM (${next(way, query, add)} LIMIT ${LOOKED_AT}) i JOIN orders o ON o.id = i.order_id
            WHERE true${where} ORDER BY i.place ${limit()}`;
  const order = isByTime(way) ? BY_TIME : BY_ID;
  if (where === '') return `${next(way, query, add, COLUMNS)} ${limit()}`;
  // Nothing else bounds how many orders are in a margin of some minutes, and those lie side by side.
  const most = way === 'all' || way === 'ids' ? 'OFFSET 0' : `LIMIT ${LOOKED_AT}`;
  return `SELECT o.* FROM (${next(way, query, add, COLUMNS)} ${most}) o WHERE true${where} ${order} ${limit()}`;
}

/** What a way leads to behind the place of a query, in the order of its index: orders, or items with the order of each. */
function next(way: Way, query: OverviewQuery, add: Add, columns = 'o.created_at, o.id'): string {
  const ofOrders = (conditions: string[], order: string): string =>
    `SELECT ${columns} FROM orders o WHERE ${conditions.join(' AND ')} ${order}`;
  const timed = (...conditions: string[]): string =>
    ofOrders([...conditions, ...timeOf(query, add), ...behindTime(query, add)], BY_TIME);
  switch (way) {
    case 'sku':
      return nextItems(query, add, `i.sku = ${add(query.sku)}`);
    case 'supplier':
      return nextItems(query, add, `i.supplier_id = ${add(query.supplierId)}`);
    case 'failure':
      return timed(`o.failure_code = ${add(query.failureCode)}`);
    case 'failed':
      // Code by code, because the indexes of failed orders begin with the code or the merchant: they are merged.
      return `SELECT ${columns} FROM (${FAILURE_CODES.map((code) => `(${timed(`o.failure_code = '${code}'`)})`).join(' UNION ALL ')}) o ${BY_TIME}`;
    case 'merchant':
      return timed(`o.merchant_id = ${add(query.merchantId)}`, ...(query.status === 'failed' ? [statusOf(query)] : []));
    case 'open':
      // Its index knows which orders are open, and not what they are.
      return timed(`o.status IN ('pending', 'processing')`);
    case 'ids':
      return ofOrders([`o.id = ANY(${add(query.ids)}::bigint[])`, ...behindId(query, add)], BY_ID);
    case 'all':
      return ofOrders(
        [...idsOf(query, add), ...(query.status ? [statusOf(query)] : []), ...behindId(query, add)],
        BY_ID,
      );
  }
}

/** As the indexes of items have it: negated, newest first. Several items of an order may fit. */
const nextItems = ({ firstId, endId, after }: OverviewQuery, add: Add, condition: string): string => `
  SELECT i.order_id, -i.order_id AS place FROM order_items i
  WHERE ${condition} AND -i.order_id > ${add(-(after && after.id < endId ? after.id : endId))}::bigint
    AND -i.order_id <= ${add(-firstId)}::bigint
  ORDER BY -i.order_id`;

const idsOf = ({ firstId, endId }: OverviewQuery, add: Add): string[] => [
  `o.id >= ${add(firstId)}::bigint`,
  `o.id < ${add(endId)}::bigint`,
];

const timeOf = ({ from, to }: OverviewQuery, add: Add): string[] => [
  ...(from ? [`o.created_at >= ${add(from)}::timestamptz`] : []),
  ...(to ? [`o.created_at < ${add(to)}::timestamptz`] : []),
];

const behindId = ({ after }: OverviewQuery, add: Add): string[] => (after ? [`o.id < ${add(after.id)}::bigint`] : []);

/** The first says what the second implies, in the form that an index can be searched by. */
function behindTime({ after }: OverviewQuery, add: Add): string[] {
  if (!after) return [];
  const moment = `${add(after.createdAt)}::timestamptz`;
  return [`o.created_at <= ${moment}`, `(o.created_at, o.id) < (${moment}, ${add(after.id)}::bigint)`];
}

/** In the text, not as a value: the indexes of open and of failed orders serve only a query that names these statuses. */
const statusOf = ({ status }: OverviewQuery): string => `o.status = '${status}'`;

/** What is asked of each order that a way leads to, because its index does not know it. */
function besides(way: Way, query: OverviewQuery, add: Add): string[] {
  const { status, merchantId, sku, supplierId, failureCode } = query;
  const item = (condition: string): string =>
    `EXISTS (SELECT 1 FROM order_items i WHERE i.order_id = o.id AND ${condition})`;
  const knowsStatus = ['failed', 'failure', 'all'].includes(way) || (way === 'merchant' && status === 'failed');
  return [
    ...(isByTime(way) ? [] : timeOf(query, add)),
    ...(status !== undefined && !knowsStatus ? [statusOf(query)] : []),
    ...(merchantId !== undefined && way !== 'merchant' ? [`o.merchant_id = ${add(merchantId)}`] : []),
    ...(failureCode !== undefined && way !== 'failure' ? [`o.failure_code = ${add(failureCode)}`] : []),
    ...(sku !== undefined && way !== 'sku' ? [item(`i.sku = ${add(sku)}`)] : []),
    ...(supplierId !== undefined && way !== 'supplier' ? [item(`i.supplier_id = ${add(supplierId)}`)] : []),
  ];
}
