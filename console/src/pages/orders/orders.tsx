import { useSearch } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { ORDER_STATUSES } from '../../choices';
import { ask, client } from '../../api';
import { useT, useWords, type Translate } from '../../i18n/words';
import { addDays, startOfDay } from '../../i18n/moments';
import { Amount } from '../../kit/amount';
import { CsvButton } from '../../kit/csv-button';
import { Filters, type Filter } from '../../kit/filters';
import { scopeOf, useFreshRows } from '../../kit/fresh-rows';
import { EVERY, usePolled } from '../../kit/live';
import { FreshButton, LiveButton } from '../../kit/live-controls';
import { Age, Moment, ZoneName } from '../../kit/moment';
import { Page } from '../../kit/page';
import { Pages } from '../../kit/pages';
import { Answered, Empty } from '../../kit/states';
import { Code, Status } from '../../kit/status';
import { Stack, Table, type Column } from '../../kit/table';
import type { components } from '../../schema';
import { useMay } from '../../session';
import { FAILURE_CODES } from '../../failure-codes';
import { Products } from './products';

type OrderRow = components['schemas']['ListedOrderDto'];

/** The filters of a list of orders, as in the address. Some have several values, with commas between. */
export interface OrderFilters {
  status?: string;
  merchant?: string;
  sku?: string;
  supplier?: string;
  failure?: string;
  from?: string;
  to?: string;
  q?: string;
}

/** Orders of all merchants, newest first. */
export function Orders(): ReactNode {
  const t = useT();
  const { zone } = useWords();
  const mayExport = useMay('exports.run');
  const { cursor, ...filters } = useSearch({ from: '/shell/orders' });
  return (
    <Page
      title={t('nav.orders')}
      actions={
        <>
          <LiveButton />
          {mayExport && <CsvButton path="/api/orders.csv" query={paramsOf(filters, zone)} />}
        </>
      }
    >
      <OrderList filters={filters} cursor={cursor} />
    </Page>
  );
}

/** The filters as parameters of the API. Days begin at midnight in the operator's zone. */
const paramsOf = ({ from, to, ...filters }: OrderFilters, zone: string) => ({
  ...filters,
  from: from && startOfDay(from, zone),
  to: to && startOfDay(addDays(to, 1), zone),
});

interface OrderListProps {
  filters: OrderFilters;
  cursor: string | undefined;
  /** The id of the merchant. Without it the list has the orders of all merchants. */
  of?: string;
}

/** A list of orders with filters, which are stored in the address of the page. */
export function OrderList({ filters, cursor, of }: OrderListProps): ReactNode {
  const t = useT();
  const { zone } = useWords();
  const params = { ...paramsOf({ ...filters, merchant: of ?? filters.merchant }, zone), cursor };
  const query = usePolled({
    queryKey: ['orders', params],
    queryFn: ({ signal }) => ask(() => client.GET('/api/orders', { params: { query: params }, signal })),
    every: cursor === undefined ? EVERY.list : EVERY.rest,
  });
  const isFiltered = Object.values(filters).some((value) => value !== undefined);
  return (
    <>
      <Filters
        filters={filtersOf(t).filter(({ name }) => of === undefined || name !== 'merchant')}
        values={{ ...filters }}
      />
      <Answered query={query}>
        {({ data, next_cursor }) => (
          <>
            <List
              rows={data}
              scope={scopeOf(query, params)}
              isFirst={cursor === undefined}
              columns={columnsOf(t).filter(({ id }) => id !== (of === undefined ? 'reference' : 'merchant'))}
            />
            {data.length === 0 && <NoOrders isFiltered={isFiltered} hasNextPage={next_cursor !== null} />}
            <Pages next={next_cursor} />
          </>
        )}
      </Answered>
    </>
  );
}

/** The API searches a limited number of orders at a time, so an empty page may have a next page. */
function NoOrders({ isFiltered, hasNextPage }: { isFiltered: boolean; hasNextPage: boolean }): ReactNode {
  const t = useT();
  if (hasNextPage) return <Empty title={t('list.noneYet')}>{t('list.noneYetHint')}</Empty>;
  return (
    <Empty title={t(isFiltered ? 'list.noMatch' : 'orders.none')}>
      {t(isFiltered ? 'list.noMatchHint' : 'orders.noneHint')}
    </Empty>
  );
}

interface ListProps {
  rows: OrderRow[];
  scope: string;
  isFirst: boolean;
  columns: Column<OrderRow>[];
}

function List({ rows, scope, isFirst, columns }: ListProps): ReactNode {
  const t = useT();
  const fresh = useFreshRows(rows, numberOf, scope);
  if (rows.length === 0) return null;
  return (
    <>
      {isFirst && <FreshButton count={fresh.freshCount} onShow={fresh.showFresh} />}
      <Table
        label={t('nav.orders')}
        columns={columns}
        rows={isFirst ? fresh.rows : rows}
        keyOf={numberOf}
        linkOf={({ order_number }) => ({ to: '/orders/$number', params: { number: order_number } })}
      />
    </>
  );
}

const numberOf = (row: OrderRow): string => row.order_number;

const columnsOf = (t: Translate): Column<OrderRow>[] => [
  {
    id: 'status',
    head: t('order.status'),
    cell: ({ status, failure_code: code }) => (
      <Stack below={code && <Code of={code} short />}>
        <Status of={status} />
      </Stack>
    ),
    card: 'corner',
  },
  {
    id: 'number',
    head: t('order.number'),
    cell: ({ order_number, sandbox }) => (
      <>
        <span className="mono">{order_number}</span>
        {sandbox && (
          <>
            {' '}
            <Status of="sandbox" />
          </>
        )}
      </>
    ),
    card: 'title',
  },
  {
    id: 'merchant',
    head: `${t('order.merchant')} · ${t('order.reference')}`,
    cell: ({ merchant, reference_id: reference }) => <Stack below={reference}>{merchant.name}</Stack>,
    from: 1000,
  },
  {
    id: 'reference',
    head: t('order.reference'),
    cell: ({ reference_id }) => reference_id,
    card: 'hidden',
    isCut: true,
  },
  {
    id: 'products',
    head: `${t('order.products')} · ${t('order.player')}`,
    cell: ({ items, user_id: player }) => (
      <Stack below={player}>
        <Products items={items} />
      </Stack>
    ),
  },
  ...lastColumnsOf(t),
  {
    id: 'failure',
    head: t('order.failure'),
    cell: ({ failure_code: code }) => code && <Code of={code} short />,
    from: 'card',
  },
];

const lastColumnsOf = (t: Translate): Column<OrderRow>[] => [
  {
    id: 'amount',
    head: `${t('order.amount')} · THB`,
    cell: ({ total_amount }) => <Amount value={total_amount} currency={null} />,
    align: 'end',
  },
  {
    id: 'created',
    head: (
      <>
        {t('order.created')} · <ZoneName />
      </>
    ),
    cell: ({ created_at }) => <Moment at={created_at} form="short" zoned={false} />,
  },
  {
    id: 'took',
    head: t('order.took'),
    cell: ({ created_at, ended_at }) => <Age from={created_at} to={ended_at} />,
    align: 'end',
    card: 'hidden',
    from: 1120,
  },
];

function filtersOf(t: Translate): Filter[] {
  return [
    {
      name: 'status',
      label: t('order.status'),
      choices: ORDER_STATUSES.map((value) => ({ value, label: t(`status.${value}`) })),
      several: true,
    },
    { name: 'merchant', label: t('order.merchantId'), several: true },
    { name: 'sku', label: t('order.sku') },
    { name: 'supplier', label: t('order.supplier'), several: true },
    {
      name: 'failure',
      label: t('order.failure'),
      choices: FAILURE_CODES.map((value) => ({ value, label: value })),
      several: true,
    },
    { name: 'q', label: t('order.term') },
    { name: 'from', label: t('order.from'), type: 'date' },
    { name: 'to', label: t('order.to'), type: 'date' },
  ];
}
