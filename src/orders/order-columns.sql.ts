import { ITEM_MEMBERS, ORDER_MEMBERS } from './order.rows.js';
import type { OrderStatus } from './states.js';

/**
 * In SQL: the moment at which a worker first claimed a unit; null before that. From then on, merchants see the order
 * and the item as `processing`. Their rows still have `pending`, because a claim writes only the unit and its attempt:
 * to update two more rows would cost more than this query.
 */
const startedAt = (attempts: string): string =>
  `(SELECT min(begun.created_at) FROM unit_attempts begun WHERE ${attempts})`;
/** In SQL: whether a worker has claimed a unit. Not with EXISTS, for which PostgreSQL may read the attempts of all orders. */
const hasStarted = (attempts: string): string => `(SELECT true FROM unit_attempts begun WHERE ${attempts} LIMIT 1)`;

const attemptsOfOrder = (order: string): string => `begun.order_id = ${order}.id`;
const attemptsOfItem = (item: string): string => `begun.order_id = ${item}.order_id AND begun.item = ${item}.position`;

const statusIn = (row: string, attempts: string): string =>
  `CASE WHEN ${row}.status = 'pending' AND ${hasStarted(attempts)} THEN 'processing' ELSE ${row}.status END`;

/** @param order the alias of the order's row. */
const orderStatusIn = (order: string): string => statusIn(order, attemptsOfOrder(order));

/** @param item the alias of the item's row. */
export const itemStatusIn = (item: string): string => statusIn(item, attemptsOfItem(item));

/** The columns of an `OrderRow` for a SELECT. @param order the alias of the order's row. */
export const orderColumns = (order: string): string =>
  columnsOf(ORDER_MEMBERS, order, {
    status: orderStatusIn(order),
    updated_at: `CASE ${order}.status WHEN 'pending' THEN coalesce(${startedAt(attemptsOfOrder(order))}, ${order}.updated_at)
                      ELSE ${order}.updated_at END`,
  });

/** The columns of an `ItemRow` for a SELECT. @param item the alias of the item's row. */
export const itemColumns = (item: string): string => columnsOf(ITEM_MEMBERS, item, { status: itemStatusIn(item) });

const columnsOf = (members: readonly string[], row: string, derived: Record<string, string>): string =>
  members.map((member) => (member in derived ? `${derived[member]} AS ${member}` : `${row}.${member}`)).join(', ');

/**
 * In SQL: whether merchants see this status of an order. The condition also names the stored statuses, because only then
 * PostgreSQL uses the partial indexes of open and failed orders. @param order the alias of the order's row.
 */
export function hasStatus(order: string, status: OrderStatus): string {
  const started = hasStarted(attemptsOfOrder(order));
  if (status === 'pending') return `${order}.status = 'pending' AND ${started} IS NULL`;
  if (status === 'processing')
    return `${order}.status IN ('pending', 'processing') AND (${order}.status = 'processing' OR ${started})`;
  return `${order}.status = '${status}'`;
}
