import type { Statement } from '../database/database.js';
import { ITEM_COLUMNS, ORDER_COLUMNS, type ItemRow, type OrderRow } from './order.rows.js';

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

const page = (name: string, more = ''): Statement => ({
  name: `orders.page.${name}`,
  text: `SELECT ${JOINED_COLUMNS}
         FROM (SELECT ${ORDER_COLUMNS} FROM orders WHERE ${PAGE_CONDITIONS} ${more}
               ORDER BY created_at DESC, id DESC LIMIT $6) o
         JOIN order_items i ON i.order_id = o.id
         ORDER BY o.created_at DESC, o.id DESC, i.position`,
});

/** One statement per filter, so that each is planned with the index that serves it. */
export const PAGES: Record<'all' | 'pending' | 'processing' | 'completed' | 'failed', Statement> = {
  all: page('all'),
  pending: page('pending', `AND status = 'pending'`),
  processing: page('processing', `AND status = 'processing'`),
  completed: page('completed', `AND status = 'completed'`),
  failed: page('failed', `AND status = 'failed'`),
};
