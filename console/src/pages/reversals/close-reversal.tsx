import { TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { ask, client } from '../../api';
import { useT } from '../../i18n/words';
import { formatAmount } from '../../kit/amount';
import { Confirm } from '../../kit/confirm';
import { toast } from '../../kit/toasts';
import { nameOf, type Reversal } from './reversal-view';

const AMOUNT = /^\d{1,13}(\.\d{1,2})?$/;

/**
 * Closes a discrepancy, and credits the merchant if the operator enters an amount. @param reversal as it was when the operator
 * opened the dialog: the list below may already have a newer report, which this must neither show nor close.
 */
export function CloseReversal({ reversal, onClose }: { reversal: Reversal; onClose: () => void }): ReactNode {
  const t = useT();
  const queries = useQueryClient();
  const [credit, setCredit] = useState('');
  const given = credit.trim();
  const isAmount = AMOUNT.test(given) && Number(given) > 0;
  const { id, merchant_id: merchant, unit, kind, detail, reported } = reversal;
  const number = nameOf(reversal);
  const close = async (reason: string): Promise<void> => {
    await ask(() =>
      client.POST('/api/reversals/{id}/closing', {
        params: { path: { id } },
        body: { reason, ...(reported && { expected_reported: reported }), ...(given === '' ? {} : { credit: given }) },
      }),
    );
    toast(t('reversals.done', { number }));
    await queries.invalidateQueries({ queryKey: ['reversals'] });
  };
  return (
    <Confirm
      title={unit === null ? t('reversals.closePurchase', { number }) : t('reversals.closeOne', { number, unit })}
      verb={t('reversals.close')}
      requiresReason
      isReady={given === '' || isAmount}
      onConfirm={close}
      onClose={onClose}
    >
      <p>{t(`reversals.kind.${kind}`)}</p>
      {detail !== null && (
        <p>
          {t('reversals.detail')}: {detail}
        </p>
      )}
      {merchant !== null && (
        <TextInput
          label={t('reversals.credit')}
          description={t('reversals.creditHint')}
          error={given !== '' && !isAmount && t('reversals.creditWrong')}
          inputMode="decimal"
          autoComplete="off"
          value={credit}
          onChange={(event) => setCredit(event.currentTarget.value)}
        />
      )}
      <p>
        {isAmount && merchant !== null
          ? t('reversals.consequenceCredit', { merchant, amount: formatAmount(given) })
          : t('reversals.consequence')}
      </p>
    </Confirm>
  );
}
