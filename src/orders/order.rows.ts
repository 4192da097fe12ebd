import type { OrderItem } from './order-item.entity.js';
import type { OrderUnit } from './order-unit.entity.js';
import type { Order } from './order.entity.js';

const ORDER_MEMBERS = [
  ...(['id', 'merchant_id', 'order_number', 'reference_id', 'user_id', 'server_id', 'character_id'] as const),
  ...(['metadata', 'status', 'subtotal_amount', 'discount_amount', 'total_amount'] as const),
  ...(['failure_code', 'failure_message', 'created_at', 'updated_at', 'sandbox'] as const),
] satisfies (keyof Order)[];

const ITEM_MEMBERS = [
  ...(['order_id', 'position', 'sku', 'quantity', 'list_price', 'unit_price', 'kind'] as const),
  ...(['status', 'completed_quantity', 'failed_quantity', 'failure_code', 'failure_message'] as const),
] satisfies (keyof OrderItem)[];

/** What is read of an order. */
export type OrderRow = Pick<Order, (typeof ORDER_MEMBERS)[number]>;
export const ORDER_COLUMNS = ORDER_MEMBERS.join(', ');

/** What is read of an item. */
export type ItemRow = Pick<OrderItem, (typeof ITEM_MEMBERS)[number]>;
export const ITEM_COLUMNS = ITEM_MEMBERS.join(', ');

/** What is read of a unit, with its supplier's code. */
export type UnitRow = Pick<
  OrderUnit,
  | ('order_id' | 'item' | 'unit' | 'state' | 'attempt' | 'sends' | 'claim' | 'unknown_since')
  | ('supplier_reference' | 'failure_code' | 'failure_message')
> & { supplier: string };

/** Which unit: the order, and the item and piece in it, both counted from 1. */
export interface UnitKey {
  orderId: bigint;
  item: number;
  unit: number;
}

/** The name of a unit inside its order, such as `1.2`. */
export const unitName = ({ item, unit }: Pick<UnitKey, 'item' | 'unit'>): string => `${item}.${unit}`;

/** A unit's name, and the reference of its first attempt (supplier protocol): `<order_number>.<item>.<unit>`. */
export const unitReference = (orderNumber: string, key: Pick<UnitKey, 'item' | 'unit'>): string =>
  `${orderNumber}.${unitName(key)}`;

/** The same in SQL. @param order and unit what the statement calls the rows that have their columns. */
export const unitReferenceIn = (order: string, unit: string): string =>
  `${order}.order_number || '.' || ${unit}.item || '.' || ${unit}.unit`;
