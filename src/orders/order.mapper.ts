import { formatBaht } from '../core/money.js';
import type { OrderDto, OrderItemDto } from './order.dto.js';
import type { ItemRow, OrderRow } from './order.rows.js';
import type { DeliveredItems } from './codes/unit-deliveries.service.js';
import { lineAmounts } from './pricing.js';

/**
 * Maps rows to the order that merchants see. Answers, webhook bodies and the command line all use it.
 * @param delivered the codes and serial numbers to show. Without it the items have no `deliveries`.
 */
export function toOrderDto(order: OrderRow, items: ItemRow[], delivered?: DeliveredItems): OrderDto {
  return {
    order_number: order.order_number,
    reference_id: order.reference_id,
    user_id: order.user_id,
    server_id: order.server_id,
    character_id: order.character_id,
    status: order.status,
    subtotal_amount: formatBaht(order.subtotal_amount),
    discount_amount: formatBaht(order.discount_amount),
    total_amount: formatBaht(order.total_amount),
    source_type: 'api',
    created_by: { id: 0, name: 'API' },
    created_at: order.created_at.toISOString(),
    updated_at: order.updated_at.toISOString(),
    metadata: order.metadata ?? {},
    failure_code: order.failure_code,
    failure_message: order.failure_message,
    // The deliveries are read after the items: an item that ended meanwhile is still shown as open, and without them.
    items: items.map((item) => toItemDto(item, mayHaveDeliveries(item) ? delivered?.get(item.position) : undefined)),
  };
}

/** Whether an item has ended with at least one bought unit. */
export const mayHaveDeliveries = ({ status, completed_quantity }: ItemRow): boolean =>
  completed_quantity > 0 && (status === 'completed' || status === 'failed');

function toItemDto(item: ItemRow, deliveries?: OrderItemDto['deliveries']): OrderItemDto {
  const amounts = lineAmounts({ listPrice: item.list_price, unitPrice: item.unit_price }, item.quantity);
  return {
    sku: item.sku,
    quantity: item.quantity,
    completed_quantity: item.completed_quantity,
    failed_quantity: item.failed_quantity,
    status: item.status,
    subtotal_amount: formatBaht(amounts.subtotal),
    discount_amount: formatBaht(amounts.discount),
    total_amount: formatBaht(amounts.total),
    failure_code: item.failure_code,
    failure_message: item.failure_message,
    ...(deliveries && { deliveries }),
  };
}
