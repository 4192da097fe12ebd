import { useQueryClient } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { ask, client } from '../../api';
import { useT } from '../../i18n/words';
import { formatAmount } from '../../kit/amount';
import { Confirm } from '../../kit/confirm';
import { toast } from '../../kit/toasts';
import type { OrderView } from './order-view';

/**
 * Cancels the units that certainly bought nothing. It shows and cancels the units as they were when the operator opened it, while
 * the page below may already have others that could be cancelled.
 */
export function CancelOrder({ order: latest, onClose }: { order: OrderView; onClose: () => void }): ReactNode {
  const [order] = useState(latest);
  const t = useT();
  const queries = useQueryClient();
  const open = order.units.filter(({ state }) => state !== 'succeeded' && state !== 'failed');
  const waiting = open.filter((unit) => unit.can_cancel);
  const left = open.filter((unit) => !unit.can_cancel);
  const cancel = async (reason: string): Promise<void> => {
    const { order_number: number } = order;
    const { cancelled } = await ask(() =>
      client.POST('/api/orders/{number}/cancellation', {
        params: { path: { number } },
        body: { units: waiting.map(({ unit }) => unit), reason },
      }),
    );
    toast(t('cancel.done', { count: cancelled.length }));
    await queries.invalidateQueries({ queryKey: ['order', number] });
  };
  return (
    <Confirm
      title={t('cancel.title', { number: order.order_number })}
      verb={t('cancel.verb', { count: waiting.length })}
      requiresReason
      isReady={waiting.length > 0}
      onConfirm={cancel}
      onClose={onClose}
    >
      {waiting.length === 0 ? (
        <p>{t('cancel.nothing')}</p>
      ) : (
        <p>
          {t('cancel.consequence', {
            count: waiting.length,
            units: waiting.map(({ unit }) => unit).join(', '),
            merchant: order.merchant.name,
            held: formatAmount(order.money.held),
          })}
        </p>
      )}
      {left.length > 0 && (
        <p className="muted">
          {t('cancel.left', { count: left.length, units: left.map(({ unit }) => unit).join(', ') })}
        </p>
      )}
    </Confirm>
  );
}
