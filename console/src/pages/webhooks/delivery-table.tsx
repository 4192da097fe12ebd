import type { LinkProps } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { DELIVERED_EVENTS, DELIVERY_STATUSES } from '../../choices';
import { useT, type Translate } from '../../i18n/words';
import type { Filter } from '../../kit/filters';
import { Moment, ZoneName } from '../../kit/moment';
import { Status } from '../../kit/status';
import { Table, type Column } from '../../kit/table';
import type { DeliveryView } from './webhook-view';

interface DeliveryTableProps {
  rows: DeliveryView[];
  /** Whether all rows are of one webhook, which the page already names. */
  isOfOne?: boolean;
  /** Whether a panel beside the table leaves less room. */
  isNarrow: boolean;
  linkOf: (row: DeliveryView) => LinkProps;
}

/** Deliveries, newest first. */
export function DeliveryTable({ rows, isOfOne = false, isNarrow, linkOf }: DeliveryTableProps): ReactNode {
  const t = useT();
  const columns = columnsOf(t).filter(
    ({ id }) => !(isNarrow && !ALWAYS_SHOWN.has(id)) && !(isOfOne && WEBHOOK_COLUMNS.has(id)),
  );
  return (
    <Table label={t('deliveries.title')} columns={columns} rows={rows} keyOf={({ id }) => String(id)} linkOf={linkOf} />
  );
}

const ALWAYS_SHOWN: ReadonlySet<string> = new Set(['status', 'event', 'created']);
const WEBHOOK_COLUMNS: ReadonlySet<string> = new Set(['merchant', 'url']);

const columnsOf = (t: Translate): Column<DeliveryView>[] => [
  { id: 'status', head: t('order.status'), cell: ({ status }) => <Status of={status} />, card: 'corner' },
  {
    id: 'event',
    head: t('webhook.event'),
    cell: ({ event }) => <span className="mono">{event}</span>,
    card: 'title',
  },
  {
    id: 'about',
    head: t('delivery.about'),
    cell: ({ reference_id: reference, order_number: number }) => reference ?? number,
    isCut: true,
  },
  { id: 'merchant', head: t('order.merchant'), cell: ({ merchant }) => merchant.name, isCut: true },
  {
    id: 'url',
    head: t('webhook.url'),
    cell: ({ webhook }) => webhook.url,
    isCut: true,
    card: 'hidden',
    from: 1120,
  },
  {
    id: 'attempts',
    head: t('delivery.attempts'),
    cell: ({ attempt_count: count }) => <span className="number">{count}</span>,
    align: 'end',
  },
  {
    id: 'answer',
    head: t('delivery.lastAnswer'),
    cell: ({ last_attempt: last }) => last && <AnswerName attempt={last} />,
  },
  {
    id: 'created',
    head: (
      <>
        {t('order.created')} · <ZoneName />
      </>
    ),
    cell: ({ created_at: at }) => <Moment at={at} form="short" zoned={false} />,
  },
];

/** Renders `HTTP 500`, or why there was no answer. */
export function AnswerName({
  attempt: { response_status: status, error },
}: {
  attempt: { response_status: number | null; error: string | null };
}): ReactNode {
  const t = useT();
  if (status !== null) return <span className="mono">HTTP {status}</span>;
  return error && (t.maybe(`attempt.${error}`) ?? error);
}

export const deliveryFilters = (t: Translate): Filter[] => [
  {
    name: 'status',
    label: t('order.status'),
    choices: DELIVERY_STATUSES.map((value) => ({ value, label: t(`status.${value}`) })),
    several: true,
  },
  {
    name: 'event',
    label: t('webhook.event'),
    choices: DELIVERED_EVENTS.map((value) => ({ value, label: value })),
    several: true,
  },
  { name: 'from', label: t('order.from'), type: 'date' },
];
