import type { OrderItem } from './order-item.entity.js';
import type { OrderUnit } from './order-unit.entity.js';
import type { Order } from './order.entity.js';
import type { OrderStatus } from './states.js';

const ORDER_MEMBERS = [
  ...(['id', 'merchant_id', 'order_number', 'reference_id', 'user_id', 'server_id', 'character_id'] as const),
  ...(['metadata', 'status', 'subtotal_amount', 'discount_amount', 'total_amount'] as const),
  ...(['failure_code', 'failure_message', 'created_at', 'updated_at', 'sandbox'] as const),
] satisfies (keyof Order)[];

const ITEM_MEMBERS = [
  ...(['order_id', 'position', 'sku', 'quantity', 'list_price', 'unit_price', 'kind'] as const),
  ...(['status', 'completed_quantity', 'failed_quantity', 'failure_code', 'failure_message'] as const),
] satisfies (keyof OrderItem)[];

/** The columns of an order that statements read. */
export type OrderRow = Pick<Order, (typeof ORDER_MEMBERS)[number]>;
/** The columns as they are stored, for settlements: see {@link orderColumns}. */
export const STORED_ORDER_COLUMNS = ORDER_MEMBERS.join(', ');

/** The columns of an item that statements read. */
export type ItemRow = Pick<OrderItem, (typeof ITEM_MEMBERS)[number]>;

/**
 * The moment of the first claim of a unit, null before it. From then on an order and an item are `processing`. The claim writes
 * the attempt and leaves their rows at `pending`, because two updates of each would cost more than this look.
 */
const startedAt = (attempts: string): string =>
  `(SELECT min(begun.created_at) FROM unit_attempts begun WHERE ${attempts})`;
/** A subquery and no EXISTS: PostgreSQL may carry out an EXISTS by reading the attempts of all orders. */
const hasStarted = (attempts: string): string => `(SELECT true FROM unit_attempts begun WHERE ${attempts} LIMIT 1)`;

const attemptsOfOrder = (order: string): string => `begun.order_id = ${order}.id`;
const attemptsOfItem = (item: string): string => `begun.order_id = ${item}.order_id AND begun.item = ${item}.position`;

const statusIn = (row: string, attempts: string): string =>
  `CASE WHEN ${row}.status = 'pending' AND ${hasStarted(attempts)} THEN 'processing' ELSE ${row}.status END`;

/** @param order the alias of the order's row. */
const orderStatusIn = (order: string): string => statusIn(order, attemptsOfOrder(order));

/** @param item the alias of the item's row. */
export const itemStatusIn = (item: string): string => statusIn(item, attemptsOfItem(item));

/** The columns of an {@link OrderRow} for a SELECT. @param order the alias of the order's row. */
export const orderColumns = (order: string): string =>
  columnsOf(ORDER_MEMBERS, order, {
    status: orderStatusIn(order),
    updated_at: `CASE ${order}.status WHEN 'pending' THEN coalesce(${startedAt(attemptsOfOrder(order))}, ${order}.updated_at)
                      ELSE ${order}.updated_at END`,
  });

/** The columns of an {@link ItemRow} for a SELECT. @param item the alias of the item's row. */
export const itemColumns = (item: string): string => columnsOf(ITEM_MEMBERS, item, { status: itemStatusIn(item) });

const columnsOf = (members: readonly string[], row: string, derived: Record<string, string>): string =>
  members.map((member) => (member in derived ? `${derived[member]} AS ${member}` : `${row}.${member}`)).join(', ');

/**
 * The condition that an order has a status. The text names stored statuses, because PostgreSQL uses the partial indexes of open
 * and failed orders only for them. @param order the alias of the order's row.
 */
export function hasStatus(order: string, status: OrderStatus): string {
  const started = hasStarted(attemptsOfOrder(order));
  if (status === 'pending') return `${order}.status = 'pending' AND ${started} IS NULL`;
  if (status === 'processing')
    return `${order}.status IN ('pending', 'processing') AND (${order}.status = 'processing' OR ${started})`;
  return `${order}.status = '${status}'`;
}

/** The columns of a unit that statements read, with the code of its supplier. */
export type UnitRow = Pick<
  OrderUnit,
  | ('order_id' | 'item' | 'unit' | 'state' | 'attempt' | 'sends' | 'claim' | 'unknown_since')
  | ('supplier_reference' | 'failure_code' | 'failure_message')
> & { supplier: string };

/** Names a unit. Item and unit count from 1. */
export interface UnitKey {
  orderId: bigint;
  item: number;
  unit: number;
}

/** The unit's name within its order, such as `1.2`. */
export const unitName = ({ item, unit }: Pick<UnitKey, 'item' | 'unit'>): string => `${item}.${unit}`;

/** `<order_number>.<item>.<unit>`: the reference of a unit's first attempt, unless the adapter has random references. */
export const unitReference = (orderNumber: string, key: Pick<UnitKey, 'item' | 'unit'>): string =>
  `${orderNumber}.${unitName(key)}`;

/** {@link unitReference} in SQL. @param order the alias of the order's row. @param unit the alias of the unit's row. */
export const unitReferenceIn = (order: string, unit: string): string =>
  `${order}.order_number || '.' || ${unit}.item || '.' || ${unit}.unit`;
