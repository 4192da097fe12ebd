import { useSearch } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { ask, client } from '../../api';
import { useWords, type Translate } from '../../i18n/words';
import { Filters } from '../../kit/filters';
import { EVERY, usePolled } from '../../kit/live';
import { LiveButton } from '../../kit/live-controls';
import { Age, Ago } from '../../kit/moment';
import { Page } from '../../kit/page';
import { Pages } from '../../kit/pages';
import { Answered, Empty } from '../../kit/states';
import { Status } from '../../kit/status';
import { Table, type Column } from '../../kit/table';
import { WebhookTabs } from './webhook-tabs';
import { shareOf, stateOf, waitingText, type WebhookView } from './webhook-view';

/** Webhooks of all merchants, and how their deliveries go. */
export function Webhooks(): ReactNode {
  const { t, language } = useWords();
  const { cursor, ...filters } = useSearch({ from: '/shell/webhooks' });
  const { merchant } = filters;
  const asked = { ...filters, cursor, merchant: merchant === undefined ? undefined : Number(merchant) };
  const query = usePolled({
    queryKey: ['webhooks', asked],
    queryFn: ({ signal }) => ask(() => client.GET('/api/webhooks', { params: { query: asked }, signal })),
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
            {data.length > 0 && (
              <Table
                label={t('nav.webhooks')}
                columns={columnsOf(t, language)}
                rows={data}
                keyOf={({ id }) => String(id)}
                linkOf={({ id }) => ({ to: '/webhooks/$id', params: { id: String(id) } })}
              />
            )}
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

function filtersOf(t: Translate) {
  return [
    {
      name: 'status',
      label: t('order.status'),
      choices: (['active', 'inactive'] as const).map((value) => ({ value, label: t(`status.${value}`) })),
    },
    { name: 'merchant', label: t('order.merchantId'), type: 'number' as const },
  ];
}

const columnsOf = (t: Translate, language: string): Column<WebhookView>[] => [
  {
    id: 'state',
    head: t('order.status'),
    cell: (webhook) => <Status of={stateOf(webhook)} />,
    card: 'corner',
  },
  { id: 'url', head: t('webhook.url'), cell: ({ url }) => url, card: 'title' },
  { id: 'merchant', head: t('order.merchant'), cell: ({ merchant }) => merchant.name, isCut: true },
  {
    id: 'events',
    head: t('webhook.events'),
    cell: ({ events }) => <span className="mono">{events.join(', ')}</span>,
    card: 'hidden',
    isCut: true,
    from: 1300,
  },
  {
    id: 'success',
    head: t('webhook.lastSuccess'),
    cell: ({ last_success_at: at }) => (at === null ? t('webhook.never') : <Ago at={at} />),
    from: 1000,
  },
  {
    id: 'failing',
    head: t('webhook.failingFor'),
    cell: ({ failing_since: since }) => since && <Age from={since} />,
    align: 'end',
  },
  {
    id: 'waiting',
    head: t('webhook.waiting'),
    cell: ({ waiting }) => <span className="number">{waitingText(waiting, language)}</span>,
    align: 'end',
  },
  {
    id: 'day',
    head: t('webhook.day'),
    cell: ({ day }) => <span className="number">{shareOf(day) ?? '—'}</span>,
    align: 'end',
  },
];
