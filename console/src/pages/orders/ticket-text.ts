import type { Translate } from '../../i18n/words';
import { formatAmount } from '../../kit/amount';
import { formatUtc } from '../../i18n/moments';
import type { OrderView } from './order-view';

/** The order as a few lines of plain text, for a ticket or a chat with a supplier. */
export function ticketText(order: OrderView, t: Translate): string {
  const units = order.units.map(({ unit, sku, state, failure_code, supplier, ...names }) => {
    const references = [names.reference, names.supplier_reference].filter(Boolean).join(' / ');
    return [`  ${unit}`, sku, state, failure_code, supplier, references].filter(Boolean).join('  ');
  });
  return [
    `${t('order.number')}: ${order.order_number}`,
    `${t('order.status')}: ${order.status}${order.failure_code ? ` (${order.failure_code})` : ''}`,
    `${t('order.merchant')}: ${order.merchant.name} (${order.merchant.id})`,
    `${t('order.reference')}: ${order.reference_id}`,
    `${t('order.player')}: ${order.user_id}`,
    `${t('order.amount')}: ${formatAmount(order.total_amount)} THB`,
    `${t('order.created')}: ${formatUtc(order.created_at)}`,
    ...units,
    `${window.location.origin}/orders/${order.order_number}`,
  ].join('\n');
}
