import type { Satang } from '../core/money.js';
import type { PlaceOrder } from './order-content.js';
import type { ItemRow, OrderRow } from './order.rows.js';
import type { OrderableLine } from './placement-rules.js';
import type { Amounts } from './pricing.js';

/** An order that its batch writes. */
export interface Admitted {
  command: PlaceOrder;
  hash: Buffer;
  orderNumber: string;
  lines: OrderableLine[];
  amounts: Amounts;
  availableAfter: Satang;
}

/** The rows of a new order for the answer, so that the answer needs no query. The ids are 0, because the answer shows none. */
export function toRows(
  { command, orderNumber, lines, amounts }: Admitted,
  now: Date,
): { order: OrderRow; items: ItemRow[] } {
  const { merchantId, sandbox, referenceId, content } = command;
  const order: OrderRow = {
    id: 0n,
    merchant_id: merchantId,
    order_number: orderNumber,
    reference_id: referenceId,
    user_id: content.userId,
    server_id: content.serverId,
    character_id: content.characterId,
    metadata: content.metadata,
    status: 'pending',
    failure_code: null,
    failure_message: null,
    subtotal_amount: amounts.subtotal,
    discount_amount: amounts.discount,
    total_amount: amounts.total,
    created_at: now,
    updated_at: now,
    sandbox,
  };
  const items = lines.map(({ product, quantity }, index): ItemRow => ({
    order_id: 0n,
    position: index + 1,
    sku: product.sku,
    quantity,
    list_price: product.list_price,
    unit_price: product.unit_price,
    kind: product.kind,
    status: 'pending',
    completed_quantity: 0,
    failed_quantity: 0,
    failure_code: null,
    failure_message: null,
  }));
  return { order, items };
}
