import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { ask, client } from '../../api';
import { useT } from '../../i18n/words';
import { EVERY, usePolled } from '../../kit/live';
import { Ago } from '../../kit/moment';
import { Section } from '../../kit/page';
import { Answered, Empty } from '../../kit/states';
import classes from './home.module.css';

export function LatestFailures(): ReactNode {
  const t = useT();
  const query = usePolled({
    queryKey: ['orders', 'latest-failures'],
    queryFn: ({ signal }) =>
      ask(() => client.GET('/api/orders', { params: { query: { status: 'failed', limit: 5 } }, signal })),
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
