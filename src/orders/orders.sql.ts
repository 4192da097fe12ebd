import { MAX_LIMIT } from '../core/pagination.js';
import type { Asked, Statement } from '../database/database.js';
import { ITEM_COLUMNS, ORDER_COLUMNS, type ItemRow, type OrderRow } from './order.rows.js';
import type { OrderStatus } from './states.js';

/** By the unique index of references and by no other: see `FIND_EARLIER`. */
export const FIND_BY_REFERENCE: Statement = {
  name: 'orders.find_by_reference',
  text: `SELECT ${ORDER_COLUMNS} FROM orders WHERE merchant_id = $1 AND reference_id BETWEEN $2 AND $2
         ORDER BY reference_id LIMIT 1`,
};

/** What an order's row and an item's have in common is the order's, and the item's with a prefix. */
const JOINED_COLUMNS = `
  o.*, i.order_id, i.position, i.sku, i.quantity, i.list_price, i.unit_price, i.kind, i.completed_quantity, i.failed_quantity,
  i.status AS item_status, i.failure_code AS item_failure_code, i.failure_message AS item_failure_message`;

/** An order beside one of its items; what both have is the order's, and the item's with a prefix. */
export type JoinedRow = OrderRow &
  Omit<ItemRow, 'status' | 'failure_code' | 'failure_message'> & {
    item_status: ItemRow['status'];
    item_failure_code: ItemRow['failure_code'];
    item_failure_message: ItemRow['failure_message'];
  };

/** Rows of an order and its items in one answer: one snapshot, so that they always fit each other. */
export const FIND_WITH_ITEMS: Statement = {
  name: 'orders.find_with_items',
  text: `SELECT ${JOINED_COLUMNS}
         FROM (${FIND_BY_REFERENCE.text}) o JOIN order_items i ON i.order_id = o.id ORDER BY i.position`,
};

/** What is kept of an archived order. $1 merchant, $2 reference. */
export const FIND_ARCHIVED: Statement = {
  name: 'orders.find_archived',
  text: `SELECT order_id, merchant_id, reference_id, order_number, answer, answer_version FROM order_references
         WHERE merchant_id = $1 AND reference_id BETWEEN $2 AND $2 ORDER BY reference_id LIMIT 1`,
};

export const FIND_ITEMS_OF: Statement = {
  name: 'orders.find_items_of',
  text: `SELECT ${ITEM_COLUMNS} FROM order_items WHERE order_id = ANY($1::bigint[]) ORDER BY order_id, position`,
};

/**
 * Where an order is looked for that has a name: a range that holds one value, in order, can only be read by the unique
 * index that gives this order (see `FIND_EARLIER`).
 */
const byReference = (value: string): string => `(
  SELECT * FROM orders WHERE merchant_id = $1 AND reference_id BETWEEN ${value} AND ${value}
  ORDER BY reference_id LIMIT 1) AS orders`;
const byNumber = (value: string): string => `(
  SELECT * FROM orders WHERE order_number BETWEEN ${value} AND ${value} ORDER BY order_number LIMIT 1) AS orders`;

/** What is asked of a page's orders, beside their time. */
export interface PageFilter {
  status?: OrderStatus | undefined;
  orderNumber?: string | undefined;
  userId?: string | undefined;
  referenceId?: string | undefined;
}

/** Which of a merchant's orders a page is of. */
export interface OrderPage {
  merchantId: number;
  filter: PageFilter;
  /** The last of the page before. */
  after: { createdAt: Date; id: bigint } | null;
  createdFrom: Date | null;
  createdTo: Date | null;
  /** At most {@link MAX_OF_PAGE}. */
  limit: number;
}

/** The longest page, and one more, which says that there is another page. */
const MAX_OF_PAGE = MAX_LIMIT + 1;

/**
 * One statement per combination of what is asked, so that each is planned with the index that serves it. Conditions stand
 * plainly, and at most so many rows are read as a page may have: otherwise PostgreSQL takes the plan that it keeps for
 * expensive once a merchant has many orders, and makes one anew for each page, which takes longer than reading it.
 */
export function pageOf({ merchantId, filter, after, createdFrom, createdTo, limit }: OrderPage): Asked {
  const { referenceId, orderNumber, userId, status } = filter;
  const values: unknown[] = [merchantId];
  const names: string[] = [];
  const conditions = ['merchant_id = $1'];
  let from = 'orders';
  const add = (value: unknown): string => `$${values.push(value)}`;
  const named = (name: string, value: string): string => {
    names.push(name);
    return `${add(value)}::text`;
  };
  if (referenceId !== undefined) from = byReference(named('reference', referenceId));
  if (orderNumber !== undefined) {
    const value = named('number', orderNumber);
    if (referenceId === undefined) from = byNumber(value);
    else conditions.push(`order_number = ${value}`);
  }
  if (userId !== undefined) conditions.push(`user_id = ${named('user', userId)}`);
  // In the text, not as a value: the index of open orders serves only a query that names these statuses.
  if (status !== undefined) conditions.push(`status = '${status}'`);
  names.push(status ?? 'all');
  if (after) {
    names.push('after');
    conditions.push(`(created_at, id) < (${add(after.createdAt)}::timestamptz, ${add(after.id)}::bigint)`);
  }
  if (createdFrom ?? createdTo) {
    names.push('within');
    conditions.push(`created_at >= ${add(createdFrom ?? '-infinity')}::timestamptz`);
    conditions.push(`created_at <= ${add(createdTo ?? 'infinity')}::timestamptz`);
  }
  const text = `SELECT ${JOINED_COLUMNS}
         FROM (SELECT * FROM (SELECT ${ORDER_COLUMNS} FROM ${from} WHERE ${conditions.join(' AND ')}
                              ORDER BY created_at DESC, id DESC LIMIT ${MAX_OF_PAGE}) newest
               ORDER BY created_at DESC, id DESC LIMIT ${add(limit)}) o
         JOIN order_items i ON i.order_id = o.id
         ORDER BY o.created_at DESC, o.id DESC, i.position`;
  return { statement: { name: `orders.page.${names.join('.')}`, text }, values };
}
