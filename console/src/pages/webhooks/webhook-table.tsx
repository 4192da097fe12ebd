import type { ReactNode } from 'react';
import { useWords, type Translate } from '../../i18n/words';
import { Age, Ago } from '../../kit/moment';
import { Status } from '../../kit/status';
import { Table, type Column } from '../../kit/table';
import { shareOf, stateOf, waitingText, type WebhookView } from './webhook-view';

/** A table of webhooks. @param isOfOne whether all are of one merchant, which the page already names. */
export function WebhookTable({
  rows,
  isOfOne = false,
}: {
  rows: readonly WebhookView[];
  isOfOne?: boolean;
}): ReactNode {
  const { t, language } = useWords();
  return (
    <Table
      label={t('nav.webhooks')}
      columns={columnsOf(t, language, isOfOne)}
      rows={rows}
      keyOf={({ id }) => String(id)}
      linkOf={({ id }) => ({ to: '/webhooks/$id', params: { id: String(id) } })}
    />
  );
}

const columnsOf = (t: Translate, language: string, isOfOne: boolean): Column<WebhookView>[] => [
  {
    id: 'state',
    head: t('order.status'),
    cell: (webhook) => <Status of={stateOf(webhook)} />,
    card: 'corner',
  },
  { id: 'url', head: t('webhook.url'), cell: ({ url }) => url, card: 'title' },
  ...(isOfOne
    ? []
    : [
        {
          id: 'merchant',
          head: t('order.merchant'),
          cell: ({ merchant }: WebhookView) => merchant.name,
          isCut: true,
        },
      ]),
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
