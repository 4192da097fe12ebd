import type { Satang } from '../core/money.js';
import type { FailureCode } from '../core/failures.js';
import type { OrderStatus, UnitState } from './states.js';

/** An order as its row holds it. */
export interface OrderRow {
  id: bigint;
  merchant_id: number;
  order_number: string;
  reference_id: string;
  user_id: string;
  server_id: string | null;
  character_id: string | null;
  status: OrderStatus;
  subtotal_amount: Satang;
  discount_amount: Satang;
  total_amount: Satang;
  failure_code: FailureCode | null;
  failure_message: string | null;
  created_at: Date;
  updated_at: Date;
}

export interface ItemRow {
  order_id: bigint;
  position: number;
  sku: string;
  quantity: number;
  list_price: Satang;
  unit_price: Satang;
  status: OrderStatus;
  completed_quantity: number;
  failed_quantity: number;
  failure_code: FailureCode | null;
  failure_message: string | null;
}

/** Which unit: the order, and the item and piece in it, both counted from 1. */
export interface UnitKey {
  orderId: bigint;
  item: number;
  unit: number;
}

export interface UnitRow {
  order_id: bigint;
  item: number;
  unit: number;
  state: UnitState;
  supplier: string;
  supplier_reference: string | null;
  failure_code: FailureCode | null;
  failure_message: string | null;
  sends: number;
  claim: number;
}

/** The name of a unit inside its order, such as `1.2`. */
export const unitName = ({ item, unit }: Pick<UnitKey, 'item' | 'unit'>): string => `${item}.${unit}`;

/** A unit's name at the supplier, one for ever (supplier protocol): `<order_number>.<item>.<unit>`. */
export const unitReference = (orderNumber: string, key: Pick<UnitKey, 'item' | 'unit'>): string =>
  `${orderNumber}.${unitName(key)}`;

export const ORDER_COLUMNS = `id, merchant_id, order_number, reference_id, user_id, server_id, character_id, status,
  subtotal_amount, discount_amount, total_amount, failure_code, failure_message, created_at, updated_at`;

export const ITEM_COLUMNS = `order_id, position, sku, quantity, list_price, unit_price, status, completed_quantity,
  failed_quantity, failure_code, failure_message`;
