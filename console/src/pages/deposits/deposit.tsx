import { Link, useParams } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { ask, client } from '../../api';
import { useT } from '../../i18n/words';
import { Amount } from '../../kit/amount';
import { Copy } from '../../kit/copy';
import { EVERY, usePolled } from '../../kit/live';
import { LiveButton } from '../../kit/live-controls';
import { Moment } from '../../kit/moment';
import { Facts, Page, Section } from '../../kit/page';
import { Answered } from '../../kit/states';
import { Status } from '../../kit/status';
import type { components } from '../../schema';
import { MerchantLink } from '../merchants/merchant-link';
import classes from './deposits.module.css';

type Deposit = components['schemas']['DepositDetailDto'];

/** One deposit: what was asked for, what arrived, and what happened to it. */
export function DepositPage(): ReactNode {
  const t = useT();
  const { number } = useParams({ from: '/shell/deposits/$number' });
  const query = usePolled({
    queryKey: ['deposit', number],
    queryFn: ({ signal }) => ask(() => client.GET('/api/deposits/{number}', { params: { path: { number } }, signal })),
    every: (deposit) => (deposit?.status === 'pending' ? EVERY.list : EVERY.rest),
  });
  return (
    <Page
      title={number}
      heading={
        <span className={classes.copied}>
          <span className="mono">{number}</span>
          <Copy value={number} what={t('deposits.number')} />
        </span>
      }
      beside={query.data && <Status of={`deposit_${query.data.status}`} />}
      actions={<LiveButton />}
    >
      <Answered query={query}>
        {(deposit) => (
          <div className={classes.columns}>
            <div>
              <Section title={t('deposits.history')}>
                <History deposit={deposit} />
              </Section>
            </div>
            <DepositFacts deposit={deposit} />
          </div>
        )}
      </Answered>
    </Page>
  );
}

/** The events, each with its payment or its slip. */
function History({ deposit: { timeline, payments, slips } }: { deposit: Deposit }): ReactNode {
  const t = useT();
  return (
    <ol className={classes.history}>
      {timeline.map(({ at, event, detail }) => {
        const payment = payments.find(({ id }) => detail.includes(id));
        const slip = event === 'slip' && slips.find(({ reference }) => detail.startsWith(`${reference},`));
        const isOfSlip = slips.some(({ payment_id: id }) => id === payment?.id);
        return (
          <li key={`${at} ${detail}`}>
            <span className={classes.event}>
              <strong>{t(`deposits.event.${event}`)}</strong>
              {slip && <SlipPart slip={slip} />}
              {payment && (
                <span>
                  <Amount value={payment.amount} /> <PaymentLink id={payment.id} />
                  {isOfSlip && <span className="muted"> · {t('deposits.bySlip')}</span>}
                  {payment.late && <span className="muted"> · {t('deposits.late')}</span>}
                </span>
              )}
            </span>
            <Moment at={at} form="short" zoned={false} />
          </li>
        );
      })}
    </ol>
  );
}

const PaymentLink = ({ id }: { id: string }): ReactNode => (
  <Link to="/payments" search={{ payment: id }} className="mono">
    {id}
  </Link>
);

/** What became of a slip, and its payment unless that is in the deposit's history. */
function SlipPart({
  slip: { reference, status, code, payment_id: id },
}: {
  slip: Deposit['slips'][number];
}): ReactNode {
  const t = useT();
  return (
    <>
      <Status of={`slip_${status}`} />
      <span className="mono">{reference}</span>
      {code && <span className="muted">{t(`deposits.slip.${code}`)}</span>}
      {status !== 'booked' && id && <PaymentLink id={id} />}
    </>
  );
}

function DepositFacts({ deposit }: { deposit: Deposit }): ReactNode {
  const t = useT();
  const { merchant, qr_payload: payload, metadata } = deposit;
  const more = Object.entries(metadata);
  return (
    <Section title={t('deposits.facts')}>
      <Facts
        facts={[
          [t('deposits.merchant'), <MerchantLink key="merchant" merchant={merchant} />],
          [t('deposits.reference'), deposit.reference_id],
          [
            t('deposits.ourReference'),
            <code key="reference" className="mono">
              {deposit.reference}
            </code>,
          ],
          [
            t('deposits.channel'),
            <Link key="channel" to="/channels/$code" params={{ code: deposit.channel }}>
              {deposit.channel}
            </Link>,
          ],
          [t('deposits.amount'), <Amount key="amount" value={deposit.amount} />],
          [t('deposits.toPay'), <Amount key="toPay" value={deposit.amount_to_pay} />],
          [t('deposits.paid'), <Amount key="paid" value={deposit.paid_amount} />],
          [t('deposits.expires'), <Moment key="expires" at={deposit.expires_at} />],
          [t('deposits.held'), <Moment key="held" at={deposit.hold_until} />],
          [t('deposits.source'), t(`deposits.source.${deposit.source}`)],
          // The merchant chose the names, so none may pass for one of ours.
          ...more.map(([name, value]) => [`metadata.${name}`, value] as const),
          payload === null
            ? null
            : [
                t('deposits.payload'),
                <span key="payload" className={classes.copied}>
                  <code className={`mono ${classes.payload}`}>{payload}</code>
                  <Copy value={payload} what={t('deposits.payload')} />
                </span>,
              ],
        ]}
      />
    </Section>
  );
}
