import { TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { ask, client } from '../../api';
import { formatMoment } from '../../i18n/moments';
import { useT, useWords } from '../../i18n/words';
import { formatAmount, readAmount, writeAmount } from '../../kit/amount';
import { Confirm } from '../../kit/confirm';
import { toast } from '../../kit/toasts';
import { useLateRequestKey } from '../../kit/request-key';
import { useSession } from '../../session';
import { AmountField } from './amount-field';
import { BeforeAndAfter } from './before-and-after';
import { useExpectedBalance } from './expected-balance';
import { useRefresh, type MerchantView, type WalletView } from './merchant-view';
import classes from './move-money.module.css';

interface MoveMoneyProps {
  kind: 'credit' | 'debit';
  merchant: MerchantView;
  /** The current wallet. It refreshes while the dialog is open. */
  wallet: WalletView;
  onClose: () => void;
}

/**
 * Deposits or withdraws money. Shows the balance before and after. The API rejects a changed balance unless the
 * operator accepts any balance.
 */
export function MoveMoney({ kind, merchant, wallet, onClose }: MoveMoneyProps): ReactNode {
  const t = useT();
  const move = useMove({ kind, merchant, wallet });
  const { amount, after, form, setForm, limit } = move;
  const isTooMuch = after !== null && after < 0n;
  return (
    <Confirm
      title={t(kind === 'credit' ? 'move.creditTitle' : 'move.debitTitle', { name: merchant.name })}
      verb={
        move.needsApproval
          ? t('move.ask')
          : amount === null
            ? t(`move.${kind}`)
            : t(`move.${kind}Verb`, { amount: formatAmount(writeAmount(amount)) })
      }
      isHarmless={kind === 'credit' || move.needsApproval}
      requiresReason={move.needsApproval}
      typed={kind === 'debit' ? merchant.name : undefined}
      isReady={amount !== null && !isTooMuch && form.reference.trim() !== ''}
      isRepeatable
      onConfirm={move.send}
      onClose={onClose}
    >
      <AmountField
        label={t('move.amount')}
        value={form.amount}
        onChange={(value) => setForm({ ...form, amount: value })}
        problem={isTooMuch ? t('move.tooMuch') : undefined}
      />
      <TextInput
        label={t('move.reference')}
        description={t('move.referenceHint')}
        required
        maxLength={128}
        autoComplete="off"
        value={form.reference}
        onChange={(event) => setForm({ ...form, reference: event.currentTarget.value })}
      />
      <TextInput
        label={t('move.note')}
        maxLength={500}
        value={form.note}
        onChange={(event) => setForm({ ...form, note: event.currentTarget.value })}
      />
      <BeforeAndAfter before={wallet.available_amount} after={after} />
      {kind === 'debit' && amount !== null && !isTooMuch && !move.needsApproval && (
        <p className={classes.consequence}>
          {t('move.debitConsequence', {
            amount: formatAmount(writeAmount(amount)),
            name: merchant.name,
            available: formatAmount(wallet.available_amount),
          })}
        </p>
      )}
      {move.needsApproval && limit !== null && (
        <p className={classes.approval} role="status">
          {t('move.needsApproval', { limit: formatAmount(limit) })}
        </p>
      )}
      {move.choice}
    </Confirm>
  );
}

const EMPTY = { amount: '', reference: '', note: '' };

function useMove({ kind, merchant, wallet }: Omit<MoveMoneyProps, 'onClose'>) {
  const t = useT();
  const { language, zone } = useWords();
  const refresh = useRefresh();
  const [form, setForm] = useState(EMPTY);
  const { expected, choice, rethrow } = useExpectedBalance(wallet.available_amount);
  const read = readAmount(form.amount);
  const amount = read !== null && read > 0n ? read : null;
  const available = readAmount(wallet.available_amount) ?? 0n;
  const after = amount === null ? null : available + (kind === 'credit' ? amount : -amount);
  const limit = useSession()?.approval_above ?? null;
  const needsApproval = amount !== null && limit !== null && amount > (readAmount(limit) ?? 0n);
  const request = useRequest(kind, merchant);
  const send = async (reason: string): Promise<void> => {
    if (amount === null) return;
    if (needsApproval) return request({ ...form, amount: writeAmount(amount), reason });
    const sent = {
      params: { path: { id: merchant.id } },
      body: {
        amount: writeAmount(amount),
        reference: form.reference.trim(),
        note: form.note.trim() || undefined,
        expected_available: expected,
      },
    };
    try {
      const { moved, at, operator } = await ask(() =>
        kind === 'credit'
          ? client.POST('/api/merchants/{id}/credits', sent)
          : client.POST('/api/merchants/{id}/debits', sent),
      );
      if (!moved) {
        const when = formatMoment(at, language, zone);
        throw new Error(t('move.wasDone', { reference: form.reference.trim(), when, who: operator ?? '—' }));
      }
      void refresh(merchant.id);
      toast(t(`move.${kind}Done`, { amount: formatAmount(writeAmount(amount)), name: merchant.name }));
    } catch (error) {
      await refresh(merchant.id);
      rethrow(error);
    }
  };
  return { amount, after, form, setForm, choice, limit, needsApproval, send };
}

interface MoneyRequest {
  amount: string;
  reference: string;
  note: string;
  reason: string;
}

/** Requests a movement that another operator must approve. A change of what the operator typed makes another request. */
function useRequest(
  kind: MoveMoneyProps['kind'],
  { id, name }: MerchantView,
): (request: MoneyRequest) => Promise<void> {
  const t = useT();
  const queries = useQueryClient();
  const keyOf = useLateRequestKey();
  return async ({ amount, reference, note, reason }) => {
    const body = { merchant_id: id, kind, amount, reference: reference.trim(), note: note.trim() || undefined, reason };
    await ask(() => client.POST('/api/approvals', { params: { header: { 'Idempotency-Key': keyOf(body) } }, body }));
    toast(t('move.asked', { amount: formatAmount(amount), name }));
    await queries.invalidateQueries({ queryKey: ['approvals'] });
  };
}
