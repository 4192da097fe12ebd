import { useSearch } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { WEBHOOK_STATES } from '../../choices';
import { ask, client } from '../../api';
import { useT, type Translate } from '../../i18n/words';
import { Filters, type Filter } from '../../kit/filters';
import { EVERY, usePolled } from '../../kit/live';
import { LiveButton } from '../../kit/live-controls';
import { Page } from '../../kit/page';
import { Pages } from '../../kit/pages';
import { Answered, Empty } from '../../kit/states';
import { WebhookTable } from './webhook-table';
import { WebhookTabs } from './webhook-tabs';

/** The webhooks of all merchants, and whether their deliveries succeed. */
export function Webhooks(): ReactNode {
  const t = useT();
  const { cursor, ...filters } = useSearch({ from: '/shell/webhooks' });
  const params = { ...filters, cursor };
  const query = usePolled({
    queryKey: ['webhooks', params],
    queryFn: ({ signal }) => ask(() => client.GET('/api/webhooks', { params: { query: params }, signal })),
    every: EVERY.list,
  });
  const isFiltered = Object.values(filters).some((value) => value !== undefined);
  return (
    <Page title={t('nav.webhooks')} actions={<LiveButton />}>
      <WebhookTabs />
      <Filters filters={filtersOf(t)} values={filters} />
      <Answered query={query}>
        {({ data, next_cursor }) => (
          <>
            {data.length > 0 && <WebhookTable rows={data} />}
            {data.length === 0 && (
              <Empty title={t(isFiltered ? 'list.noMatch' : 'webhooks.none')}>
                {t(isFiltered ? 'list.noMatchHint' : 'webhooks.noneHint')}
              </Empty>
            )}
            <Pages next={next_cursor} />
          </>
        )}
      </Answered>
    </Page>
  );
}

function filtersOf(t: Translate): Filter[] {
  return [
    {
      name: 'status',
      label: t('order.status'),
      choices: WEBHOOK_STATES.map((value) => ({
        value,
        label: t(`status.${value}`),
      })),
      several: true,
    },
    { name: 'merchant', label: t('order.merchantId'), several: true },
  ];
}
