import { Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { ask, client } from '../../api';
import { useT } from '../../i18n/words';
import { Amount } from '../../kit/amount';
import { Copy } from '../../kit/copy';
import { EVERY, usePolled } from '../../kit/live';
import { Moment } from '../../kit/moment';
import { Facts } from '../../kit/page';
import { SidePanel } from '../../kit/side-panel';
import { Answered } from '../../kit/states';
import { Status } from '../../kit/status';
import { useMay } from '../../session';
import { useOpenRequests, type ApprovalView } from '../approvals/approval-view';
import { MerchantLink } from '../merchants/merchant-link';
import type { Deciding } from './decide-payment';
import type { PaymentView } from './deposit-view';
import { DepositLink, differenceOf, doubtsOf, PaidAt, stateOf } from './payment-view';
import { isCreditable, isSafe } from './safe-credit';
import classes from './deposits.module.css';

interface PanelProps {
  id: string;
  onDecide: (deciding: Deciding) => void;
  onClose: () => void;
}

/** One payment beside the deposits that it may be for, with the decisions. */
export function PaymentPanel({ id, onDecide, onClose }: PanelProps): ReactNode {
  const t = useT();
  const query = usePolled({
    queryKey: ['payment', id],
    queryFn: ({ signal }) => ask(() => client.GET('/api/payments/{id}', { params: { path: { id } }, signal })),
    every: EVERY.figures,
  });
  return (
    <SidePanel title={t('payments.one')} onClose={onClose}>
      <Answered query={query} rows={6}>
        {(payment) => (
          <>
            <PaymentFacts payment={payment} />
            {payment.state === 'waiting' && <Suggestions payment={payment} onDecide={onDecide} />}
            <Decisions payment={payment} onDecide={onDecide} />
          </>
        )}
      </Answered>
    </SidePanel>
  );
}

function PaymentFacts({ payment }: { payment: PaymentView }): ReactNode {
  const t = useT();
  const { id, text, merchant, deposit_number: number, decision, booked_by: by } = payment;
  const isUndecided = payment.state === 'waiting' || payment.is_open_case;
  const request = useOpenRequests(undefined, isUndecided).data?.find((each) => each.payment === id);
  return (
    <Facts
      facts={[
        [t('payments.amount'), <Amount key="amount" value={payment.amount} currency={payment.currency} />],
        [t('payments.state'), <Status key="state" of={stateOf(payment)} />],
        ...doubtsOf(payment, t),
        text === null ? null : [t('payments.text'), text],
        [t('payments.paidAt'), <PaidAt key="paid" payment={payment} />],
        [t('payments.seenAt'), <Moment key="seen" at={payment.seen_at} />],
        [t('deposits.channel'), payment.channel],
        merchant && [t('payments.creditedTo'), <MerchantLink key="merchant" merchant={merchant} />],
        number === null ? null : [t('deposits.number'), <DepositLink key="deposit" number={number} />],
        by === null ? null : [t('payments.bookedBy'), t(`payments.bookedBy.${by as 'amount'}`)],
        [t('payments.witnesses'), <Witnesses key="witnesses" payment={payment} />],
        request ? [t('payments.requested'), <Requested key="requested" request={request} />] : null,
        decision && [
          t('payments.decided'),
          <span key="decision">
            {t(`payments.${decision.decision as 'keep'}`)} · {decision.operator} · {decision.reason} ·{' '}
            {decision.reference !== undefined && (
              <>
                <span className="mono">{decision.reference}</span> ·{' '}
              </>
            )}
            <Moment at={decision.at} form="short" zoned={false} />
          </span>,
        ],
        [
          t('payments.id'),
          <span key="id" className={classes.copied}>
            <span className="mono">{id}</span>
            <Copy value={id} what={t('payments.id')} />
          </span>,
        ],
      ]}
    />
  );
}

/** A decision that waits for a second person. */
function Requested({ request }: { request: ApprovalView }): ReactNode {
  const t = useT();
  const { kind, requested_by: operator, reason, created_at: at } = request;
  return (
    <Link to="/approvals" search={{ status: 'open' }}>
      {t(`payments.${kind.replace('payment_', '') as 'keep'}`)} · {operator} · {reason} ·{' '}
      <Moment at={at} form="short" zoned={false} />
    </Link>
  );
}

/** The witnesses of the payment, each with its time. */
function Witnesses({ payment: { witnesses, imported_by: operator } }: { payment: PaymentView }): ReactNode {
  const t = useT();
  const isSlipOnly = witnesses.every(({ kind }) => kind === 'slip');
  return (
    <>
      {witnesses.map(({ kind, reference, seen_at: at }) => (
        <div key={kind}>
          {t(`payments.witness.${kind}`, { operator: operator ?? '–' })}
          {kind !== 'line' && (
            <>
              {' · '}
              <span className="mono">{reference}</span>
            </>
          )}
          {' · '}
          <Moment at={at} form="short" zoned={false} />
        </div>
      ))}
      {isSlipOnly && <div className="muted">{t('payments.slipOnly')}</div>}
    </>
  );
}

type PartProps = Pick<PanelProps, 'onDecide'> & { payment: PaymentView };

function Suggestions({ payment, onDecide }: PartProps): ReactNode {
  const t = useT();
  const mayDecide = useMay('payments.decide');
  return (
    <>
      <h3 className={classes.part}>{t('payments.suggested')}</h3>
      {payment.suggestions.length === 0 && <p className="muted">{t('payments.noSuggestion')}</p>}
      <ul className={classes.suggestions}>
        {payment.suggestions.map((suggestion) => {
          const { deposit_number: number, merchant, amount_to_pay: dealt, status, created_at: at } = suggestion;
          return (
            <li key={number}>
              <span className={classes.suggestion}>
                <strong>{merchant.name}</strong>
                {number === null && <span className="muted">{t('payments.named')}</span>}
                {number !== null && <DepositLink number={number} />}
                {dealt !== null && (
                  <span>
                    <Amount value={dealt} /> · {differenceOf(payment.amount, dealt, t)}
                  </span>
                )}
                {status !== null && at !== null && (
                  <span className="muted">
                    {t(`status.deposit_${status}`)} · <Moment at={at} form="short" zoned={false} />
                  </span>
                )}
              </span>
              {mayDecide && isSafe(payment, suggestion) && (
                <Button size="compact-xs" onClick={() => onDecide({ payment, kind: 'credit', to: suggestion })}>
                  {t('payments.credit')}
                </Button>
              )}
            </li>
          );
        })}
      </ul>
    </>
  );
}

function Decisions({ payment, onDecide }: PartProps): ReactNode {
  const t = useT();
  const mayDecide = useMay('payments.decide');
  const kinds = payment.is_open_case
    ? (['debit', 'keep'] as const).filter((kind) => kind !== 'debit' || payment.to_take_back !== null)
    : payment.state === 'waiting'
      ? (['credit', 'return', 'ignore'] as const).filter((kind) => kind !== 'credit' || isCreditable(payment))
      : [];
  if (!mayDecide || kinds.length === 0) return null;
  return (
    <div className={classes.decisions}>
      {kinds.map((kind) => (
        <Button key={kind} size="xs" variant="default" onClick={() => onDecide({ payment, kind })}>
          {t(kind === 'credit' ? 'payments.creditOther' : `payments.${kind}`)}
        </Button>
      ))}
    </div>
  );
}
