import { Link, useSearch } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { ask, client } from '../../api';
import { useT } from '../../i18n/words';
import { EVERY, usePolled } from '../../kit/live';
import { Pages } from '../../kit/pages';
import { Answered, Empty } from '../../kit/states';
import { WebhookTable } from '../webhooks/webhook-table';
import { useMerchantId } from './merchant-view';
import classes from './statement.module.css';

/** The webhooks of the merchant, and whether their deliveries succeed. */
export function MerchantWebhooks(): ReactNode {
  const t = useT();
  const id = useMerchantId();
  const { cursor } = useSearch({ from: '/shell/merchants/$id/webhooks' });
  const query = usePolled({
    queryKey: ['merchant', id, 'webhooks', cursor],
    queryFn: ({ signal }) =>
      ask(() => client.GET('/api/webhooks', { params: { query: { merchant: String(id), cursor } }, signal })),
    every: EVERY.figures,
  });
  return (
    <>
      <p className={classes.all}>
        <Link to="/deliveries" search={{ merchant: String(id) }}>
          {t('merchant.deliveries')}
        </Link>
      </p>
      <Answered query={query} rows={3}>
        {({ data, next_cursor }) => (
          <>
            {data.length > 0 && <WebhookTable rows={data} isOfOne />}
            {data.length === 0 && <Empty title={t('merchant.noWebhooks')}>{t('merchant.noWebhooksWhy')}</Empty>}
            <Pages next={next_cursor} />
          </>
        )}
      </Answered>
    </>
  );
}
