import type { ReactNode } from 'react';
import { ask, client } from '../../api';
import { useT } from '../../i18n/words';
import { formatAmount } from '../../kit/amount';
import { Confirm } from '../../kit/confirm';
import { toast } from '../../kit/toasts';
import { useOpenOrders, useRefresh, type MerchantView } from './merchant-view';

interface SuspensionProps {
  merchant: MerchantView;
  onClose: () => void;
}

/** Rejects all requests of a merchant. Its existing orders are still fulfilled. */
export function Suspend({ merchant: { id, name, wallet }, onClose }: SuspensionProps): ReactNode {
  const t = useT();
  const refresh = useRefresh();
  const { data: count = '…' } = useOpenOrders(id);
  const held = wallet && t('suspend.held', { held: formatAmount(wallet.held_amount) });
  return (
    <Confirm
      title={t('suspend.title', { name })}
      verb={t('suspend.verb')}
      requiresReason
      onConfirm={async (reason) => {
        await ask(() => client.POST('/api/merchants/{id}/suspension', { params: { path: { id } }, body: { reason } }));
        toast(t('suspend.done', { name }));
        await refresh(id);
      }}
      onClose={onClose}
    >
      <p>{t('suspend.consequence', { name })}</p>
      <p>
        {t('suspend.open.orders', { open: count })} {held}
      </p>
    </Confirm>
  );
}

export function Resume({ merchant: { id, name }, onClose }: SuspensionProps): ReactNode {
  const t = useT();
  const refresh = useRefresh();
  return (
    <Confirm
      title={t('resume.title', { name })}
      verb={t('resume.verb')}
      isHarmless
      requiresReason
      onConfirm={async (reason) => {
        const params = { path: { id }, query: { reason } };
        await ask(() => client.DELETE('/api/merchants/{id}/suspension', { params }));
        toast(t('resume.done', { name }));
        await refresh(id);
      }}
      onClose={onClose}
    >
      <p>{t('resume.consequence', { name })}</p>
    </Confirm>
  );
}
