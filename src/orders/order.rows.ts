import type { OrderItem } from './order-item.entity.js';
import type { OrderUnit } from './order-unit.entity.js';
import type { Order } from './order.entity.js';

export const ORDER_MEMBERS = [
  ...(['id', 'merchant_id', 'order_number', 'reference_id', 'user_id', 'server_id', 'character_id'] as const),
  ...(['metadata', 'status', 'subtotal_amount', 'discount_amount', 'total_amount'] as const),
  ...(['failure_code', 'failure_message', 'created_at', 'updated_at', 'sandbox'] as const),
] satisfies (keyof Order)[];

export const ITEM_MEMBERS = [
  ...(['order_id', 'position', 'sku', 'quantity', 'list_price', 'unit_price', 'kind'] as const),
  ...(['status', 'completed_quantity', 'failed_quantity', 'failure_code', 'failure_message'] as const),
] satisfies (keyof OrderItem)[];

/** The columns of an order that statements read. */
export type OrderRow = Pick<Order, (typeof ORDER_MEMBERS)[number]>;
/** The stored columns. Merchants see other values in two of them: see `orderColumns`. */
export const STORED_ORDER_COLUMNS = ORDER_MEMBERS.join(', ');

/** The columns of an item that statements read. */
export type ItemRow = Pick<OrderItem, (typeof ITEM_MEMBERS)[number]>;

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
