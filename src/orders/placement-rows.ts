import type { Satang } from '../core/money.js';
import type { PlaceOrder } from './order-content.js';
import type { ItemRow, OrderRow } from './order.rows.js';
import type { SoldLine } from './placement-rules.js';
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

/** The rows as `INSERT_ORDERS` writes them, so that the answer needs no reading back. */
export function toRows(
  { command, orderNumber, lines, amounts }: Admitted,
  now: Date,
): { order: OrderRow; items: ItemRow[] } {
  const { merchantId, referenceId, content } = command;
  const order: OrderRow = {
    id: 0n,
    merchant_id: merchantId,
    order_number: orderNumber,
    reference_id: referenceId,
    user_id: content.userId,
    server_id: content.serverId,
    character_id: content.characterId,
    status: 'pending',
    failure_code: null,
    failure_message: null,
    subtotal_amount: amounts.subtotal,
    discount_amount: amounts.discount,
    total_amount: amounts.total,
    created_at: now,
    updated_at: now,
  };
  const items = lines.map(({ offer, quantity }, index): ItemRow => ({
    order_id: 0n,
    position: index + 1,
    sku: offer.sku,
    quantity,
    list_price: offer.list_price,
    unit_price: offer.unit_price,
    status: 'pending',
    completed_quantity: 0,
    failed_quantity: 0,
    failure_code: null,
    failure_message: null,
  }));
  return { order, items };
}

/** What `INSERT_ORDERS` is given, in the order of its parameters. */
export function insertValues(orders: Admitted[], now: Date): unknown[] {
  const each = <Value>(value: (order: Admitted) => Value): Value[] => orders.map(value);
  const lines = orders.flatMap((order) =>
    order.lines.map((line, index) => ({ ...line, orderNumber: order.orderNumber, position: index + 1 })),
  );
  const taken = new Map<number, Satang>();
  for (const { command, amounts } of orders) {
    taken.set(command.merchantId, (taken.get(command.merchantId) ?? 0n) + amounts.total);
  }
  return [
    each(({ command }) => command.merchantId),
    each(({ orderNumber }) => orderNumber),
    each(({ command }) => command.referenceId),
    each(({ hash }) => hash),
    each(({ command }) => command.content.userId),
    each(({ command }) => command.content.serverId),
    each(({ command }) => command.content.characterId),
    each(({ amounts }) => amounts.subtotal),
    each(({ amounts }) => amounts.total),
    each((order) => order.lines.length),
    each(({ command }) => command.requestId),
    each(({ availableAfter }) => availableAfter),
    lines.map(({ orderNumber }) => orderNumber),
    lines.map(({ position }) => position),
    lines.map(({ offer }) => offer.sku),
    lines.map(({ quantity }) => quantity),
    lines.map(({ offer }) => offer.list_price),
    lines.map(({ offer }) => offer.unit_price),
    lines.map(({ offer }) => offer.supplier_id),
    lines.map(({ offer }) => offer.supplier_sku),
    [...taken.keys()],
    [...taken.values()],
    now,
  ];
}
