import { SegmentedControl, TextInput } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { ask, client, isProblem } from '../../api';
import { useT, type Translate } from '../../i18n/words';
import { formatAmount, readAmount } from '../../kit/amount';
import { Confirm } from '../../kit/confirm';
import { Facts } from '../../kit/page';
import { useLateRequestKey } from '../../kit/request-key';
import { Failure } from '../../kit/states';
import { Status } from '../../kit/status';
import { toast } from '../../kit/toasts';
import { useSession } from '../../session';
import { BeforeAndAfter } from '../merchants/before-and-after';
import { useExpectedBalance, type ExpectedBalance } from '../merchants/expected-balance';
import type { DepositView, PaymentView } from './deposit-view';
import { doubtsOf, PaidAt } from './payment-view';

export interface Deciding {
  payment: PaymentView;
  kind: 'credit' | 'return' | 'ignore' | 'debit' | 'keep';
  /** The suggested deposit; without it the operator names a deposit or a merchant. */
  to?: PaymentView['suggestions'][number] | undefined;
}

type To = 'deposit' | 'merchant';
/** What the operator typed: a recipient, or the reference of the outgoing transfer. */
type Draft = { to: To; recipient: string; reference: string };

const draftOf = (to: Deciding['to']): Draft => ({ to: 'deposit', recipient: to?.deposit_number ?? '', reference: '' });

/** Decides about one payment. Names the merchant and its balance. Above the limit it asks a second person. */
export function DecidePayment({ payment: seen, kind, to, onClose }: Deciding & { onClose: () => void }): ReactNode {
  const t = useT();
  /** As the operator reads it. It changes only after the API has refused a decision. */
  const [payment, setPayment] = useState(seen);
  const [draft, setDraft] = useState(() => draftOf(to));
  const values = amountOf(payment, kind);
  const amount = readAmount(values.amount) ?? 0n;
  const limit = useSession()?.approval_above ?? null;
  const isForeign = payment.currency !== 'THB';
  const whole = readAmount(payment.amount) ?? 0n;
  const needsApproval = kind !== 'keep' && limit !== null && (isForeign || whole > (readAmount(limit) ?? 0n));
  const recipient = useRecipient(payment, kind, draft);
  const balance = useExpectedBalance(recipient.available);
  const send = useSend({ payment, kind, draft, needsApproval, balance, onRefused: setPayment });
  const moves = kind === 'credit' || kind === 'debit';
  const before = readAmount(recipient.available ?? '') ?? 0n;
  const after = kind === 'credit' ? before + amount : before > amount ? before - amount : 0n;
  const isComplete =
    kind === 'debit' ? payment.to_take_back !== null : kind !== 'return' || draft.reference.trim() !== '';
  return (
    <Confirm
      title={t(`payments.title.${kind}`, values)}
      verb={needsApproval ? t('move.ask') : t(`payments.${kind}`)}
      isHarmless={kind === 'credit' || kind === 'keep' || needsApproval}
      requiresReason
      isReady={(!moves || recipient.name !== null) && isComplete}
      isRepeatable={needsApproval}
      onConfirm={send}
      onClose={onClose}
    >
      {kind === 'credit' && to === undefined && <Recipient draft={draft} onChange={setDraft} />}
      {kind === 'return' && (
        <TextInput
          label={t('payments.reference')}
          description={t('payments.referenceHint')}
          {...{ required: true, maxLength: 128, autoComplete: 'off', 'data-autofocus': true }}
          value={draft.reference}
          onChange={({ currentTarget: { value } }) => setDraft({ ...draft, reference: value })}
        />
      )}
      {recipient.error && <Failure error={recipient.error} />}
      <Facts
        facts={[
          [
            t('payments.id'),
            <span key="id" className="mono">
              {payment.id}
            </span>,
          ],
          [t('payments.paidAt'), <PaidAt key="paid" payment={payment} />],
          ...doubtsOf(payment, t),
          moves && recipient.name !== null ? [t('deposits.merchant'), recipient.name] : null,
          depositOf(draft.recipient.trim(), recipient, t),
        ]}
      />
      {moves && recipient.available !== undefined && <BeforeAndAfter before={recipient.available} after={after} />}
      {balance.choice}
      <p>{t(`payments.consequence.${kind}`, { ...values, name: recipient.name ?? '–' })}</p>
      {needsApproval && (
        <p role="status">
          {isForeign
            ? t('payments.foreignNeedsApproval', { currency: payment.currency })
            : t('move.needsApproval', { limit: formatAmount(limit) })}
        </p>
      )}
    </Confirm>
  );
}

/** What a decision is about. Taking back may take less than the payment: only what went back, and only once. */
const amountOf = (
  { amount, to_take_back: toTakeBack, currency }: PaymentView,
  kind: Deciding['kind'],
): { amount: string; currency: string } => ({
  amount: formatAmount(kind === 'debit' ? (toTakeBack ?? amount) : amount),
  currency,
});

function Recipient({ draft, onChange }: { draft: Draft; onChange: (draft: Draft) => void }): ReactNode {
  const t = useT();
  return (
    <>
      <SegmentedControl
        fullWidth
        aria-label={t('payments.to')}
        data={[
          { value: 'deposit', label: t('payments.toDeposit') },
          { value: 'merchant', label: t('payments.toMerchant') },
        ]}
        value={draft.to}
        onChange={(value) => onChange({ ...draft, to: value, recipient: '' })}
      />
      <TextInput
        label={t(draft.to === 'deposit' ? 'deposits.number' : 'deposits.merchantId')}
        description={draft.to === 'merchant' ? t('payments.toMerchantHint') : undefined}
        {...{ required: true, autoComplete: 'off', 'data-autofocus': true }}
        value={draft.recipient}
        onChange={({ currentTarget: { value } }) => onChange({ ...draft, recipient: value })}
      />
    </>
  );
}

interface KnownRecipient {
  name: string | null;
  available: string | undefined;
  /** The status of the deposit; null without one. */
  status: DepositView['status'] | null;
  error: Error | null;
}

/** The deposit as a fact, with its status: a paid one has had its payment. Null without a deposit. */
const depositOf = (number: string, { status }: KnownRecipient, t: Translate): readonly [string, ReactNode] | null =>
  status === null
    ? null
    : [
        t('deposits.number'),
        <span key="deposit">
          {number} <Status of={`deposit_${status}`} />
        </span>,
      ];

/** The merchant whose wallet changes, with its balance. */
function useRecipient(payment: PaymentView, kind: Deciding['kind'], draft: Draft): KnownRecipient {
  const text = draft.recipient.trim();
  const isDeposit = kind === 'credit' && draft.to === 'deposit' && /^dep_\w{16}$/.test(text);
  const deposit = useQuery({
    queryKey: ['deposit', text],
    queryFn: ({ signal }) =>
      ask(() => client.GET('/api/deposits/{number}', { params: { path: { number: text } }, signal })),
    enabled: isDeposit,
  });
  const typed = draft.to === 'merchant' && /^[1-9]\d{0,9}$/.test(text) ? Number(text) : undefined;
  const id = kind === 'debit' ? payment.merchant?.id : isDeposit ? deposit.data?.merchant.id : typed;
  const merchant = useQuery({
    queryKey: ['merchant', id],
    queryFn: ({ signal }) =>
      ask(() => client.GET('/api/merchants/{id}', { params: { path: { id: id ?? 0 } }, signal })),
    enabled: id !== undefined && (kind === 'credit' || kind === 'debit'),
  });
  const known = id === undefined || merchant.data?.id !== id ? undefined : merchant.data;
  return {
    name: known?.name ?? null,
    available: known?.wallet?.available_amount,
    status: (isDeposit ? deposit.data?.status : null) ?? null,
    error: (isDeposit ? deposit.error : null) ?? merchant.error,
  };
}

const toOf = ({ to, recipient }: Draft): { deposit_number: string } | { merchant_id: number } =>
  to === 'deposit' ? { deposit_number: recipient.trim() } : { merchant_id: Number(recipient.trim()) };

interface Decision extends Pick<Deciding, 'payment' | 'kind'> {
  draft: Draft;
  balance: ExpectedBalance;
  reason: string;
}

/** Decides without a second person. @returns what the wallet lacked. */
async function decide({ payment, kind, draft, balance, reason }: Decision): Promise<string> {
  const params = { path: { id: payment.id } };
  const { missing } = await ask(() => {
    switch (kind) {
      case 'credit':
        return client.POST('/api/payments/{id}/credit', {
          params,
          body: { ...toOf(draft), expected_version: payment.version, reason },
        });
      case 'return':
        return client.POST('/api/payments/{id}/return', {
          params,
          body: { reference: draft.reference.trim(), reason },
        });
      case 'debit':
        return client.POST('/api/payments/{id}/debit', {
          params,
          body: {
            expected_available: balance.expected,
            expected_to_take_back: payment.to_take_back ?? undefined,
            reason,
          },
        });
      case 'ignore':
        return client.POST('/api/payments/{id}/ignore', { params, body: { reason } });
      case 'keep':
        return client.POST('/api/payments/{id}/keep', { params, body: { reason } });
    }
  });
  return missing;
}

/** The payment as it is now; as it was, if it can't be read. */
const readAgain = (payment: PaymentView): Promise<PaymentView> =>
  ask(() => client.GET('/api/payments/{id}', { params: { path: { id: payment.id } } })).catch(() => payment);

interface Sending extends Omit<Decision, 'reason'> {
  needsApproval: boolean;
  /** Gets the payment as it is now, if the API refuses the decision. */
  onRefused: (payment: PaymentView) => void;
}

function useSend({
  payment,
  kind,
  draft,
  needsApproval,
  balance,
  onRefused,
}: Sending): (reason: string) => Promise<void> {
  const t = useT();
  const queries = useQueryClient();
  const keyOf = useLateRequestKey();
  const request = (reason: string): Promise<unknown> => {
    const more = kind === 'credit' ? toOf(draft) : kind === 'return' ? { reference: draft.reference.trim() } : {};
    const body = { kind: `payment_${kind}` as 'payment_credit', payment_id: payment.id, reason, ...more };
    return ask(() => client.POST('/api/approvals', { params: { header: { 'Idempotency-Key': keyOf(body) } }, body }));
  };
  return async (reason) => {
    const values = amountOf(payment, kind);
    try {
      if (needsApproval) {
        await request(reason);
        toast(t('payments.asked', values));
        return;
      }
      const missing = await decide({ payment, kind, draft, balance, reason });
      const isWhole = readAmount(missing) === 0n;
      toast(isWhole ? t(`payments.done.${kind}`, values) : t('payments.missing', { missing: formatAmount(missing) }));
    } catch (error) {
      if (isProblem(error, 409)) onRefused(await readAgain(payment));
      balance.rethrow(error);
    } finally {
      await Promise.all(
        ['payments', 'payment', 'deposits', 'deposit', 'merchant', 'merchants', 'approvals'].map((key) =>
          queries.invalidateQueries({ queryKey: [key] }),
        ),
      );
    }
  };
}
