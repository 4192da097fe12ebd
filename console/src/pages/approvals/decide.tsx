import { Button } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState, type ReactNode } from 'react';
import { ask, client } from '../../api';
import { useT, type Translate } from '../../i18n/words';
import { formatAmount, readAmount } from '../../kit/amount';
import { Confirm } from '../../kit/confirm';
import { EVERY, usePolled } from '../../kit/live';
import { Facts } from '../../kit/page';
import { Answered } from '../../kit/states';
import { toast } from '../../kit/toasts';
import { useMay } from '../../session';
import { BeforeAndAfter } from '../merchants/before-and-after';
import { useExpectedBalance } from '../merchants/expected-balance';
import { useRefresh } from '../merchants/merchant-view';
import type { ApprovalView } from './approval-view';
import classes from './approvals.module.css';

interface Decision {
  approval: ApprovalView;
  verb: 'approve' | 'reject';
}

type OnDecide = (decision: Decision) => void;

/**
 * The dialog for a decision, and the function that opens it. The dialog is not inside the list, because a request that
 * another operator decides leaves the list while the dialog must still report it.
 */
export function useDecision(): [OnDecide, ReactNode] {
  const [decision, setDecision] = useState<Decision | null>(null);
  if (decision === null) return [setDecision, null];
  const Dialog = decision.verb === 'approve' ? Approve : Reject;
  return [setDecision, <Dialog key="dialog" approval={decision.approval} onClose={() => setDecision(null)} />];
}

/** The buttons for an open request: approve or reject another operator's, or withdraw one's own. */
export function Decide({ approval, onDecide }: { approval: ApprovalView; onDecide: OnDecide }): ReactNode {
  const t = useT();
  const mayMove = useMay('wallets.move');
  if (!mayMove || approval.status !== 'open') return null;
  return (
    <span className={classes.buttons}>
      <Button size="compact-xs" variant="default" onClick={() => onDecide({ approval, verb: 'reject' })}>
        {t(approval.is_own ? 'approvals.withdraw' : 'approvals.reject')}
      </Button>
      {!approval.is_own && (
        <Button size="compact-xs" onClick={() => onDecide({ approval, verb: 'approve' })}>
          {t('approvals.approve')}
        </Button>
      )}
    </span>
  );
}

interface DecisionProps {
  approval: ApprovalView;
  onClose: () => void;
}

/**
 * Shows the request and the balance before and after. The API rejects the approval of a changed balance unless the operator
 * accepts any balance.
 */
function Approve({ approval, onClose }: DecisionProps): ReactNode {
  const t = useT();
  const decided = useDecided();
  const { id, merchant, kind, amount, currency } = approval;
  const merchantId = merchant?.id ?? 0;
  const query = usePolled({
    queryKey: ['merchant', merchantId, 'wallet'],
    queryFn: ({ signal }) =>
      ask(() => client.GET('/api/merchants/{id}/wallet', { params: { path: { id: merchantId } }, signal })),
    every: EVERY.figures,
    enabled: merchant !== null,
  });
  const available = query.data?.available_amount;
  const balance = useExpectedBalance(available);
  const isCredit = kind === 'credit' || kind === 'payment_credit';
  const sum = (readAmount(available ?? '') ?? 0n) + (readAmount(amount) ?? 0n) * (isCredit ? 1n : -1n);
  // Taking a payment back takes what is there.
  const after = kind === 'payment_debit' && sum < 0n ? 0n : sum;
  const approve = async (): Promise<void> => {
    try {
      const request = { params: { path: { id } }, body: { expected_available: balance.expected } };
      const { missing } = await ask(() => client.POST('/api/approvals/{id}/approval', request));
      const values = { amount: formatAmount(amount), currency, name: merchant?.name ?? '' };
      toast(
        missing !== null && readAmount(missing) !== 0n
          ? t('approvals.missing', { missing: formatAmount(missing) })
          : kind === 'credit' || kind === 'debit'
            ? t(`move.${kind}Done`, values)
            : t('approvals.done', { what: t(`approvals.kind.${kind}`, values) }),
      );
    } catch (error) {
      balance.rethrow(error);
    } finally {
      await decided(merchant?.id);
    }
  };
  return (
    <Confirm
      title={t('approvals.approveTitle')}
      verb={t(`approvals.kind.${kind}`, { amount: formatAmount(amount), currency })}
      isHarmless={isCredit}
      typed={kind === 'debit' || kind === 'payment_debit' ? merchant?.name : undefined}
      isReady={merchant === null || (available !== undefined && after >= 0n)}
      onConfirm={approve}
      onClose={onClose}
    >
      <RequestFacts approval={approval} />
      {merchant && (
        <Answered query={query} rows={2}>
          {({ available_amount: before }) => <BeforeAndAfter before={before} after={after} />}
        </Answered>
      )}
      {available !== undefined && after < 0n && <p role="alert">{t('move.tooMuch')}</p>}
      {balance.choice}
      <p>{t('approvals.approveHint')}</p>
    </Confirm>
  );
}

function Reject({ approval, onClose }: DecisionProps): ReactNode {
  const t = useT();
  const decided = useDecided();
  const { id, merchant, is_own: isOwn } = approval;
  const reject = async (reason: string): Promise<void> => {
    try {
      await ask(() => client.POST('/api/approvals/{id}/rejection', { params: { path: { id } }, body: { reason } }));
      toast(t(isOwn ? 'approvals.withdrawn' : 'approvals.rejected'));
    } finally {
      await decided(merchant?.id);
    }
  };
  return (
    <Confirm
      title={t(isOwn ? 'approvals.withdrawTitle' : 'approvals.rejectTitle')}
      verb={t(isOwn ? 'approvals.withdraw' : 'approvals.reject')}
      requiresReason
      onConfirm={reject}
      onClose={onClose}
    >
      <RequestFacts approval={approval} />
      <p>{t('approvals.nothingMoves')}</p>
    </Confirm>
  );
}

/** The request as the second person must see it. */
function RequestFacts({ approval }: { approval: ApprovalView }): ReactNode {
  const t = useT();
  return (
    <Facts
      facts={[
        [t('approvals.movement'), <Movement key="movement" approval={approval} />],
        approval.merchant && [t('approvals.merchant'), approval.merchant.name],
        ...paymentFactsOf(approval, t),
        [t('move.reference'), approval.reference],
        approval.note === null ? null : [t('move.note'), approval.note],
        [t('approvals.reason'), approval.reason],
        [t('approvals.requestedBy'), approval.requested_by],
      ]}
    />
  );
}

/** Renders `Deposit 75,000.00 THB`, for example. */
export function Movement({ approval: { kind, amount, currency } }: { approval: ApprovalView }): ReactNode {
  const words = useT()(`approvals.kind.${kind}`, { amount: formatAmount(amount), currency });
  return <span className={classes.movement}>{words}</span>;
}

/** The payment that is decided about, and the deposit that it is for. Null for what the request does not have. */
export const paymentFactsOf = (
  { payment, deposit_number: deposit }: ApprovalView,
  t: Translate,
): (readonly [string, ReactNode] | null)[] => [
  payment === null
    ? null
    : [
        t('approvals.payment'),
        <Link key="payment" to="/payments" search={{ which: 'all', payment }} className="mono">
          {payment}
        </Link>,
      ],
  deposit === null ? null : [t('approvals.deposit'), deposit],
];

/** Refreshes the lists of requests and the merchant's money after a decision. */
function useDecided(): (merchant: number | undefined) => Promise<void> {
  const queries = useQueryClient();
  const refresh = useRefresh();
  return async (merchant) => {
    const changed = ['approvals', 'payments', 'payment', 'deposits', 'deposit'];
    await Promise.all([
      ...(merchant === undefined ? [] : [refresh(merchant)]),
      ...changed.map((key) => queries.invalidateQueries({ queryKey: [key] })),
    ]);
  };
}
