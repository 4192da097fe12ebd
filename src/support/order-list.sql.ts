import type { Asked } from '../database/database.js';
import type { FailureCode } from '../core/failures.js';
import { ORDER_COLUMNS } from '../orders/order.rows.js';
import { isTerminalOrder, type OrderStatus } from '../orders/states.js';

/** What must be true of an order; what is not given may be anything. */
export interface OrderFilter {
  status?: OrderStatus;
  /** Created at least so many seconds ago. */
  olderThan?: number;
  /** With a unit in review. */
  review?: boolean;
  merchantId?: number;
  reference?: string;
  userId?: string;
  /** With an item of this product. */
  sku?: string;
  /** With an item from this supplier. */
  supplierId?: number;
  createdFrom?: Date;
  /** Exclusive. */
  createdTo?: Date;
  failureCode?: FailureCode;
  limit: number;
}

/** Takes a value of the statement. @returns the parameter that stands for it. */
type Add = (value: unknown) => string;

/** What each part of a filter says of order `o`. */
const CONDITIONS: {
  [Name in Exclude<keyof OrderFilter, 'limit'>]-?: (add: Add, value: NonNullable<OrderFilter[Name]>) => string;
} = {
  // In the text, not as a value: the indexes of open and of failed orders serve only a query that names these statuses.
  status: (_add, status) => `o.status = '${status}'`,
  olderThan: (add, seconds) => `o.created_at <= now() - make_interval(secs => ${add(seconds)})`,
  review: () => `o.id IN (SELECT order_id FROM order_units WHERE state = 'review')`,
  merchantId: (add, id) => `o.merchant_id = ${add(id)}`,
  reference: (add, reference) => `o.reference_id = ${add(reference)}`,
  userId: (add, userId) => `o.user_id = ${add(userId)}`,
  sku: (add, sku) => `EXISTS (SELECT 1 FROM order_items i WHERE i.order_id = o.id AND i.sku = ${add(sku)})`,
  supplierId: (add, id) =>
    `EXISTS (SELECT 1 FROM order_items i WHERE i.order_id = o.id AND i.supplier_id = ${add(id)})`,
  createdFrom: (add, moment) => `o.created_at >= ${add(moment)}`,
  createdTo: (add, moment) => `o.created_at < ${add(moment)}`,
  failureCode: (add, code) => `o.failure_code = ${add(code)}`,
};

type Part = keyof typeof CONDITIONS;

const PARTS = Object.keys(CONDITIONS) as Part[];
const isGiven = (filter: OrderFilter, part: Part): boolean => filter[part] !== undefined && filter[part] !== false;

const COLUMNS = ORDER_COLUMNS.replace(/\w+/g, 'o.$&');
const NEWEST_FIRST = 'ORDER BY o.created_at DESC, o.id DESC';

/** Orders that the filter lets through, newest first. */
export function listOrders(filter: OrderFilter): Asked {
  const values: unknown[] = [];
  const text = textOf(filter, (value) => `$${values.push(value)}`);
  const parts = PARTS.map((part) => (isGiven(filter, part) ? '1' : '0')).join('');
  return { statement: { name: `support.list_orders.${parts}.${filter.status ?? 'any'}`, text }, values };
}

/** Goes by the index of one part of the filter, the one that leaves fewest orders, and looks at the others then. */
function textOf(filter: OrderFilter, add: Add): string {
  const { review, sku, supplierId, failureCode, status } = filter;
  if (filter.reference !== undefined || filter.userId !== undefined) return byMerchant(filter, add);
  if (review) return directly(filter, add);
  if (sku !== undefined) return byItem(filter, add, 'sku', `i.sku = ${add(sku)}`);
  if (failureCode !== undefined || (status && !isTerminalOrder(status))) return directly(filter, add);
  if (supplierId !== undefined) return byItem(filter, add, 'supplierId', `i.supplier_id = ${add(supplierId)}`);
  return byMerchant(filter, add);
}

function directly(filter: OrderFilter, add: Add): string {
  return `SELECT ${COLUMNS} FROM orders o WHERE true${conditionsOf(filter, add)}
          ${NEWEST_FIRST} LIMIT ${add(filter.limit)}`;
}

/** The indexes begin with the merchant: one look for each merchant beats reading all orders. */
function byMerchant(filter: OrderFilter, add: Add): string {
  const limit = add(filter.limit);
  const whose = filter.merchantId === undefined ? '' : `WHERE m.id = ${add(filter.merchantId)}`;
  return `SELECT o.* FROM merchants m CROSS JOIN LATERAL (
            SELECT ${COLUMNS} FROM orders o WHERE o.merchant_id = m.id${conditionsOf(filter, add, 'merchantId')}
            ${NEWEST_FIRST} LIMIT ${limit}) o
          ${whose} ${NEWEST_FIRST} LIMIT ${limit}`;
}

/**
 * Several items of an order may fit; orders are numbered as they come, so the newest have the highest ids. Negated as in
 * the indexes of items, only these give that order: among all orders, a supplier's last one may be a million orders away.
 */
function byItem(filter: OrderFilter, add: Add, part: Part, condition: string): string {
  return `SELECT o.* FROM (
            SELECT DISTINCT ON (-i.order_id) ${COLUMNS} FROM order_items i JOIN orders o ON o.id = i.order_id
            WHERE ${condition}${conditionsOf(filter, add, part)}
            ORDER BY -i.order_id LIMIT ${add(filter.limit)}) o
          ${NEWEST_FIRST}`;
}

/** @param without the part that is looked after already. */
function conditionsOf(filter: OrderFilter, add: Add, without?: Part): string {
  return PARTS.filter((part) => part !== without && isGiven(filter, part))
    .map((part) => ` AND ${(CONDITIONS[part] as (add: Add, value: unknown) => string)(add, filter[part])}`)
    .join('');
}
