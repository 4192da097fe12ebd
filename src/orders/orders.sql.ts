import type { Statement } from '../database/database.js';
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
  text: `SELECT order_id, merchant_id, reference_id, order_number, answer FROM order_references
         WHERE merchant_id = $1 AND reference_id BETWEEN $2 AND $2 ORDER BY reference_id LIMIT 1`,
};

export const FIND_ITEMS_OF: Statement = {
  name: 'orders.find_items_of',
  text: `SELECT ${ITEM_COLUMNS} FROM order_items WHERE order_id = ANY($1::bigint[]) ORDER BY order_id, position`,
};

// The plain bounds on created_at say what the others imply, in the form that an index can be searched by.
const PAGE_CONDITIONS = `
  merchant_id = $1
  AND ($2::timestamptz IS NULL OR (created_at, id) < ($2, $3::bigint))
  AND created_at <= coalesce($2::timestamptz, 'infinity')
  AND created_at >= coalesce($4::timestamptz, '-infinity') AND created_at <= coalesce($5::timestamptz, 'infinity')`;

/**
 * Where an order is looked for that has a name: a range that holds one value, in order, can only be read by the unique
 * index that gives this order (see `FIND_EARLIER`).
 */
const byReference = (value: string): string => `(
  SELECT * FROM orders WHERE merchant_id = $1 AND reference_id BETWEEN ${value} AND ${value}
  ORDER BY reference_id LIMIT 1) AS orders`;
const byNumber = (value: string): string => `(
  SELECT * FROM orders WHERE order_number BETWEEN ${value} AND ${value} ORDER BY order_number LIMIT 1) AS orders`;

const page = (name: string, from: string, more: string): Statement => ({
  name: `orders.page.${name}`,
  text: `SELECT ${JOINED_COLUMNS}
         FROM (SELECT ${ORDER_COLUMNS} FROM ${from} WHERE ${PAGE_CONDITIONS} ${more}
               ORDER BY created_at DESC, id DESC LIMIT $6) o
         JOIN order_items i ON i.order_id = o.id
         ORDER BY o.created_at DESC, o.id DESC, i.position`,
});

/** What is asked of a page's orders, beside their time. */
export interface PageFilter {
  status?: OrderStatus | undefined;
  orderNumber?: string | undefined;
  userId?: string | undefined;
  referenceId?: string | undefined;
}

/** One statement per combination of filters, so that each is planned with the index that serves it. */
export function pageOf(filter: PageFilter): { statement: Statement; values: string[] } {
  const { referenceId, orderNumber, userId, status } = filter;
  const values: string[] = [];
  const names: string[] = [];
  const conditions: string[] = [];
  let from = 'orders';
  const add = (name: string, value: string): string => {
    names.push(name);
    return `$${6 + values.push(value)}::text`;
  };
  if (referenceId !== undefined) from = byReference(add('reference', referenceId));
  if (orderNumber !== undefined) {
    const value = add('number', orderNumber);
    if (referenceId === undefined) from = byNumber(value);
    else conditions.push(`AND order_number = ${value}`);
  }
  if (userId !== undefined) conditions.push(`AND user_id = ${add('user', userId)}`);
  // In the text, not as a value: the index of open orders serves only a query that names these statuses.
  if (status !== undefined) conditions.push(`AND status = '${status}'`);
  return { statement: page([...names, status ?? 'all'].join('.'), from, conditions.join(' ')), values };
}
