import { useState, type ReactNode } from 'react';
import { ask, client } from '../../api';
import { useT } from '../../i18n/words';
import { formatAmount, readAmount, writeAmount } from '../../kit/amount';
import { Confirm } from '../../kit/confirm';
import { toast, toastFailure } from '../../kit/toasts';
import { AmountField } from './amount-field';
import { useRefresh, type MerchantView, type WalletView } from './merchant-view';

interface AlertDialogProps {
  merchant: MerchantView;
  wallet: WalletView;
  onClose: () => void;
}

/**
 * Sets the balance below which the merchant gets a webhook event. An empty field removes the alert. The toast offers
 * undo.
 */
export function AlertDialog({ merchant: { id }, wallet, onClose }: AlertDialogProps): ReactNode {
  const t = useT();
  const refresh = useRefresh();
  const before = wallet.alert_below;
  const [value, setValue] = useState(before ?? '');
  const below = readAmount(value);
  const isOff = value.trim() === '';
  const set = async (amount: string | null): Promise<void> => {
    const params = { path: { id } };
    await ask(() =>
      amount === null
        ? client.DELETE('/api/merchants/{id}/alert', { params })
        : client.PUT('/api/merchants/{id}/alert', { params, body: { below: amount } }),
    );
    await refresh(id);
  };
  const confirm = async (): Promise<void> => {
    const amount = isOff || below === null ? null : writeAmount(below);
    await set(amount);
    const done = amount === null ? t('alert.off') : t('alert.done', { amount: formatAmount(amount) });
    toast(done, () => void set(before).catch(toastFailure));
  };
  return (
    <Confirm
      title={t('alert.title')}
      verb={t(isOff ? 'alert.remove' : 'alert.verb')}
      isHarmless
      isReady={isOff ? before !== null : below !== null && below > 0n}
      onConfirm={confirm}
      onClose={onClose}
    >
      <AmountField label={t('alert.below')} description={t('alert.hint')} value={value} onChange={setValue} />
    </Confirm>
  );
}
