import type { Satang } from '../core/money.js';
import type { PlaceOrder } from './order-content.js';
import type { ItemRow, OrderRow } from './order.rows.js';
import type { SoldLine } from './placement-rules.js';
import type { INSERT_ORDERS } from './placement.sql.js';
import type { Amounts } from './pricing.js';

/** An order that was admitted to the batch, and is written with it. */
export interface Admitted {
  command: PlaceOrder;
  hash: Buffer;
  orderNumber: string;
  lines: SoldLine[];
  amounts: Amounts;
  availableAfter: Satang;
}

/** The rows as they are written, so that the answer needs no reading back. */
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

/** What the statement that writes orders is given. */
export function insertInput(admitted: Admitted[], now: Date): Parameters<typeof INSERT_ORDERS.with>[0] {
  const orders = admitted.map(({ command, hash, orderNumber, lines, amounts, availableAfter }) => ({
    merchant_id: command.merchantId,
    sandbox: command.sandbox,
    order_number: orderNumber,
    reference_id: command.referenceId,
    content_hash: hash,
    user_id: command.content.userId,
    server_id: command.content.serverId,
    character_id: command.content.characterId,
    metadata: command.content.metadata && JSON.stringify(command.content.metadata),
    end_user_ip: command.endUserIp,
    subtotal: amounts.subtotal,
    total: amounts.total,
    item_count: lines.length,
    request_id: command.requestId,
    available_after: availableAfter,
  }));
  const items = admitted.flatMap(({ orderNumber, lines }) =>
    lines.map(({ product, quantity }, index) => ({
      order_number: orderNumber,
      position: index + 1,
      sku: product.sku,
      quantity,
      list_price: product.list_price,
      unit_price: product.unit_price,
      supplier_id: product.supplier_id,
      supplier_sku: product.supplier_sku,
      player_template: product.player_template,
      expected_cost_micros: product.expected_cost_micros,
      max_cost_micros: product.max_cost_micros,
      cost_currency: product.cost_currency,
      baht_per_unit: product.baht_per_unit,
      passed_over: product.passed_over,
      kind: product.kind,
    })),
  );
  const sums = new Map<number, Satang>();
  for (const { merchant_id, total } of orders) sums.set(merchant_id, (sums.get(merchant_id) ?? 0n) + total);
  const taken = [...sums].map(([merchant_id, amount]) => ({ merchant_id, amount }));
  return { orders, items, taken, now };
}
