import { Link, type LinkProps } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { ask, client } from '../../api';
import { useT } from '../../i18n/words';
import { EVERY, usePolled } from '../../kit/live';
import { LiveButton } from '../../kit/live-controls';
import { Ago } from '../../kit/moment';
import { Page, Section } from '../../kit/page';
import { Answered, Empty } from '../../kit/states';
import classes from './home.module.css';

const MOST = 100;

/** What needs somebody, and how orders stand at the moment; each figure leads to the list behind it. */
export function Home(): ReactNode {
  const t = useT();
  return (
    <Page title={t('nav.home')} actions={<LiveButton />}>
      <div className={classes.figures}>
        <Count
          label={t('home.review')}
          link={{ to: '/review', search: { state: 'review' } }}
          queryKey={['review', { state: 'review' }, 'count']}
          list={(signal) =>
            ask(() =>
              client.GET('/api/review', { params: { query: { state: 'review', limit: MOST } }, signal }),
            )
          }
          isAlarming
        />
        <Count
          label={t('home.unknown')}
          link={{ to: '/review', search: { state: 'unknown' } }}
          queryKey={['review', { state: 'unknown' }, 'count']}
          list={(signal) =>
            ask(() =>
              client.GET('/api/review', { params: { query: { state: 'unknown', limit: MOST } }, signal }),
            )
          }
        />
        {(['pending', 'processing'] as const).map((status) => (
          <Count
            key={status}
            label={t(status === 'pending' ? 'home.pending' : 'home.processing')}
            link={{ to: '/orders', search: { status } }}
            queryKey={['orders', { status }, 'count']}
            list={(signal) =>
              ask(() => client.GET('/api/orders', { params: { query: { status, limit: MOST } }, signal }))
            }
          />
        ))}
      </div>
      <LatestFailures />
    </Page>
  );
}

interface CountProps {
  label: string;
  link: LinkProps;
  queryKey: readonly unknown[];
  list: (signal: AbortSignal) => Promise<{ data: unknown[]; next_cursor: string | null }>;
  isAlarming?: boolean;
}

/** How many a list has; where there are more than a page, only that there are more. */
function Count({ label, link, queryKey, list, isAlarming = false }: CountProps): ReactNode {
  const { data, error } = usePolled({
    queryKey,
    queryFn: ({ signal }) => list(signal),
    every: EVERY.figures,
  });
  const count = data && `${data.data.length}${data.next_cursor === null ? '' : '+'}`;
  return (
    <Link {...link} className={classes.figure} data-alarming={isAlarming && (data?.data.length ?? 0) > 0}>
      <span className={classes.label}>{label}</span>
      <span className={classes.count}>{count ?? (error ? '—' : '·')}</span>
    </Link>
  );
}

function LatestFailures(): ReactNode {
  const t = useT();
  const query = usePolled({
    queryKey: ['orders', 'latest-failures'],
    queryFn: ({ signal }) =>
      ask(() => client.GET('/api/orders', { params: { query: { status: 'failed', limit: 8 } }, signal })),
    every: EVERY.figures,
  });
  return (
    <Section
      title={t('home.failures')}
      actions={
        <Link to="/orders" search={{ status: 'failed' }}>
          {t('home.all')}
        </Link>
      }
    >
      <Answered query={query} rows={4}>
        {({ data }) =>
          data.length === 0 ? (
            <Empty title={t('home.noFailures')} />
          ) : (
            <ul className={classes.failures}>
              {data.map((order) => (
                <li key={order.order_number}>
                  <Link to="/orders/$number" params={{ number: order.order_number }} data-row-link="">
                    <span className="mono">{order.order_number}</span>
                  </Link>
                  <span className={classes.merchant}>{order.merchant.name}</span>
                  <span className="mono">{order.failure_code}</span>
                  <span className={classes.ago}>
                    <Ago at={order.created_at} />
                  </span>
                </li>
              ))}
            </ul>
          )
        }
      </Answered>
    </Section>
  );
}
