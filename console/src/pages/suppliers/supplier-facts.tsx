import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useT, useWords } from '../../i18n/words';
import { formatAmount } from '../../kit/amount';
import { Copy } from '../../kit/copy';
import { Age, Ago, Moment } from '../../kit/moment';
import { Facts, Section } from '../../kit/page';
import { formatDuration } from '../../i18n/moments';
import { formatMs, formatNumber, formatShare } from './numbers';
import { useMay } from '../../session';
import { MerchantLink } from '../merchants/merchant-link';
import { callsOf, doubtOf, inFlightOf, type SupplierDetail } from './supplier-view';
import classes from './supplier.module.css';

/** The state of a supplier, the breaker of each worker, and the settings. */
export function SupplierFacts({ supplier }: { supplier: SupplierDetail }): ReactNode {
  const t = useT();
  return (
    <aside className={classes.facts}>
      <Section title={t('suppliers.now')}>
        {supplier.pause && <Pause pause={supplier.pause} />}
        <NowFacts supplier={supplier} />
      </Section>
      {supplier.waiting.length > 0 && (
        <Section title={t('suppliers.waiting')}>
          <Waiting supplier={supplier} />
        </Section>
      )}
      <Section title={t('suppliers.workers')}>
        <Workers supplier={supplier} />
      </Section>
      <Section title={t('suppliers.settings')}>
        <Settings supplier={supplier} />
      </Section>
    </aside>
  );
}

function Pause({ pause: { reason, detail, since } }: { pause: NonNullable<SupplierDetail['pause']> }): ReactNode {
  const t = useT();
  return (
    <p className={classes.pause}>
      {t(`suppliers.paused.${reason}`)}
      {detail !== null && <span className={classes.said}>{detail}</span>}
      <Moment at={since} />
    </p>
  );
}

function NowFacts({ supplier }: { supplier: SupplierDetail }): ReactNode {
  const t = useT();
  const { language } = useWords();
  const { balance, balance_lasts_hours: hours, calls, queue, open_units: open, code } = supplier;
  return (
    <Facts
      facts={[
        balance && [
          t('suppliers.balance'),
          <>
            <span className="number">{formatAmount(balance.amount)}</span> {balance.currency}
            <br />
            <span className="muted">
              <Ago at={balance.at} />
            </span>
          </>,
        ],
        hours === null ? null : [t('suppliers.lasts'), formatDuration(hours * 3_600_000, language)],
        [t('suppliers.inFlight'), formatNumber(inFlightOf(supplier), language)],
        [t('suppliers.perMinute'), formatNumber(callsOf(calls) / calls.minutes, language)],
        [t('suppliers.inDoubt'), formatShare(doubtOf(calls), language)],
        [t('suppliers.durations'), `${formatMs(calls.p50_ms, language)} · ${formatMs(calls.p95_ms, language)}`],
        [
          t('suppliers.queue'),
          <>
            {formatNumber(queue.due, language)}
            {queue.oldest_at !== null && (
              <span className="muted">
                {' · '}
                <Age from={queue.oldest_at} />
              </span>
            )}
          </>,
        ],
        [
          t('suppliers.open'),
          <Link key="open" to="/review" search={{ supplier: code }}>
            {t('suppliers.openOf', { count: open.open, doubtful: open.in_doubt })}
          </Link>,
        ],
      ]}
    />
  );
}

/** The merchants whose units wait for the supplier's slots, which they share by weight. */
function Waiting({ supplier: { waiting } }: { supplier: SupplierDetail }): ReactNode {
  const t = useT();
  return (
    <ul className={classes.workers}>
      {waiting.map(({ merchant_id: id, merchant, weight, units, oldest_at: oldest }) => (
        <li key={id}>
          <MerchantLink merchant={{ id, name: merchant }} />
          <span className="muted">
            {t('suppliers.waitingUnits', { count: units })}
            {weight > 1 && <> · {t('suppliers.weight', { weight })}</>}
            {' · '}
            <Age from={oldest} />
          </span>
        </li>
      ))}
    </ul>
  );
}

function Workers({ supplier: { breakers } }: { supplier: SupplierDetail }): ReactNode {
  const t = useT();
  if (breakers.length === 0) return <p className="muted">{t('suppliers.noWorkers')}</p>;
  return (
    <ul className={classes.workers}>
      {breakers.map(({ process, state, in_flight: count }, index) => (
        <li key={process}>
          <span title={process}>{t('suppliers.worker', { number: index + 1 })}</span>
          <span className="muted">
            {t(`suppliers.breaker.${state}`)} · {t('suppliers.callsInFlight', { count })}
          </span>
        </li>
      ))}
    </ul>
  );
}

function Settings({ supplier }: { supplier: SupplierDetail }): ReactNode {
  const t = useT();
  const { language } = useWords();
  const maySet = useMay('suppliers.set');
  const { adapter, base_url, credentials, options, callback_url: url, max_in_flight: max } = supplier;
  return (
    <Facts
      facts={[
        [t('suppliers.adapter'), adapter],
        [t('suppliers.baseUrl'), base_url],
        [t('suppliers.credentials'), credentials.length === 0 ? '—' : credentials.join(', ')],
        ...Object.entries(options).map(([name, value]) => [name, value] as const),
        [t('suppliers.timeout'), formatMs(supplier.timeout_ms, language)],
        max === null ? null : [t('suppliers.maxInFlight'), formatNumber(max, language)],
        supplier.low_balance === null ? null : [t('suppliers.lowBalance'), formatAmount(supplier.low_balance)],
        supplier.has_callbacks
          ? [
              t('suppliers.callbackUrl'),
              url === null ? (
                t(maySet ? 'suppliers.callbackUnset' : 'suppliers.callbackHidden')
              ) : (
                <>
                  <span className="mono">{url}</span> <Copy value={url} what={t('suppliers.callbackUrl')} />
                </>
              ),
            ]
          : null,
        [t('suppliers.changed'), <Moment key="changed" at={supplier.updated_at} />],
      ]}
    />
  );
}
