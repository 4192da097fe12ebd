import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { ask, client } from '../../api';
import { startOfDay } from '../../i18n/moments';
import { useT, useWords } from '../../i18n/words';
import { Amount } from '../../kit/amount';
import { Chart } from '../../kit/chart';
import { EVERY, usePolled } from '../../kit/live';
import { Moment } from '../../kit/moment';
import { Facts, Section } from '../../kit/page';
import { Answered, Empty } from '../../kit/states';
import { useMay } from '../../session';
import { useMerchant, useMerchantId, type EntryView } from './merchant-view';
import classes from './overview.module.css';

/** The merchant's orders of each day, the latest credits and debits by operators, and facts about the account. */
export function Overview(): ReactNode {
  const t = useT();
  const { data: merchant } = useMerchant();
  const seesStatement = useMay('statements.read');
  return (
    <div className={classes.columns}>
      <div>
        <Section title={t('merchant.days')}>
          <Days />
        </Section>
        {seesStatement && <LastMovements />}
      </div>
      <aside>
        <Section title={t('merchant.facts')}>
          {merchant && (
            <Facts
              facts={[
                [t('merchant.id'), merchant.id],
                [t('merchant.created'), <Moment key="created" at={merchant.created_at} />],
                [t('merchants.today'), merchant.today.orders],
                [t('merchant.failedToday'), merchant.today.failed],
                [
                  t('merchants.lastOrder'),
                  merchant.last_order_at ? <Moment key="last" at={merchant.last_order_at} /> : '—',
                ],
                [t('merchant.weight'), merchant.weight],
                merchant.sandbox ? [t('merchant.sandbox'), t('merchant.sandboxHint')] : null,
              ]}
            />
          )}
        </Section>
      </aside>
    </div>
  );
}

/** The orders of thirty days, with failed ones stacked on the others. */
function Days(): ReactNode {
  const t = useT();
  const { zone } = useWords();
  const id = useMerchantId();
  const query = usePolled({
    queryKey: ['merchant', id, 'days'],
    queryFn: ({ signal }) => ask(() => client.GET('/api/merchants/{id}/days', { params: { path: { id } }, signal })),
    every: EVERY.rest,
  });
  return (
    <Answered query={query} rows={4}>
      {({ data }) => (
        <Chart
          label={t('merchant.days')}
          kind="bars"
          isWhole
          at={data.map(({ day }) => startOfDay(day, zone))}
          series={[
            {
              name: t('merchant.notFailed'),
              tone: 'accent',
              values: data.map(({ orders, failed }) => orders - failed),
            },
            { name: t('merchant.failed'), tone: 'bad', values: data.map(({ failed }) => failed) },
          ]}
        />
      )}
    </Answered>
  );
}

const SHOWN = 5;

function LastMovements(): ReactNode {
  const t = useT();
  const id = useMerchantId();
  const query = usePolled({
    queryKey: ['merchant', id, 'entries', 'last'],
    queryFn: ({ signal }) =>
      ask(() =>
        client.GET('/api/merchants/{id}/entries', {
          params: { path: { id }, query: { kind: 'funding', limit: SHOWN } },
          signal,
        }),
      ),
    every: EVERY.rest,
  });
  return (
    <Section
      title={t('merchant.lastMovements')}
      actions={
        <Link to="/merchants/$id/statement" params={{ id: String(id) }}>
          {t('merchant.wholeStatement')}
        </Link>
      }
    >
      <Answered query={query} rows={3}>
        {({ data }) =>
          data.length === 0 ? (
            <Empty title={t('statement.noFunding')} />
          ) : (
            <ul className={classes.movements}>
              {data.map((entry) => (
                <Movement key={entry.id} entry={entry} />
              ))}
            </ul>
          )
        }
      </Answered>
    </Section>
  );
}

function Movement({ entry }: { entry: EntryView }): ReactNode {
  const t = useT();
  return (
    <li className={classes.movement}>
      <span>
        <span className={classes.kind}>{t(`entry.${entry.kind}`)}</span>{' '}
        <span className={classes.reference}>{entry.reference_id}</span>
        <span className={classes.who}>
          <Moment at={entry.created_at} form="short" zoned={false} /> · {entry.operator}
          {entry.approved_by !== null && <> · {t('approvals.by', { who: entry.approved_by })}</>}
        </span>
      </span>
      <Amount value={entry.amount} />
    </li>
  );
}
