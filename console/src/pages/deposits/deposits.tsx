import { useSearch } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { DEPOSIT_STATUSES } from '../../choices';
import { ask, client } from '../../api';
import { startOfDay } from '../../i18n/moments';
import { useT, useWords, type Translate } from '../../i18n/words';
import { Amount } from '../../kit/amount';
import { Filters } from '../../kit/filters';
import { EVERY, usePolled } from '../../kit/live';
import { LiveButton } from '../../kit/live-controls';
import { Moment, ZoneName } from '../../kit/moment';
import { Page } from '../../kit/page';
import { Pages } from '../../kit/pages';
import { Answered, Empty } from '../../kit/states';
import { Status } from '../../kit/status';
import { Stack, Table, type Column } from '../../kit/table';
import { MerchantLink } from '../merchants/merchant-link';
import { DepositTabs } from './deposit-tabs';
import type { DepositView } from './deposit-view';

/** The deposits of all merchants, newest first. */
export function Deposits(): ReactNode {
  const t = useT();
  const { cursor, ...filters } = useSearch({ from: '/shell/deposits' });
  return (
    <Page title={t('nav.deposits')} actions={<LiveButton />}>
      <DepositTabs />
      <DepositList filters={filters} cursor={cursor} />
    </Page>
  );
}

/** The filters of a list of deposits, as in the address. Some have several values, with commas between. */
export interface DepositFilters {
  status?: string;
  q?: string;
  merchant?: string;
  channel?: string;
  from?: string;
}

interface ListProps {
  filters: DepositFilters;
  cursor: string | undefined;
  /** The id of the merchant. Without it the list has the deposits of all merchants. */
  of?: string;
}

/** The list with its filters, of all merchants or of one. */
export function DepositList({ filters, cursor, of }: ListProps): ReactNode {
  const { t, zone } = useWords();
  const query = {
    ...filters,
    merchant: of ?? filters.merchant,
    from: filters.from && startOfDay(filters.from, zone),
    cursor,
  };
  const answer = usePolled({
    queryKey: ['deposits', query],
    queryFn: ({ signal }) => ask(() => client.GET('/api/deposits', { params: { query }, signal })),
    every: cursor === undefined ? EVERY.list : EVERY.rest,
  });
  const isFiltered = Object.values(filters).some((value) => value !== undefined);
  return (
    <>
      <Filters
        filters={[
          {
            name: 'status',
            label: t('deposits.status'),
            choices: DEPOSIT_STATUSES.map((value) => ({ value, label: t(`status.deposit_${value}`) })),
            several: true,
          },
          { name: 'q', label: t('deposits.name') },
          ...(of === undefined ? [{ name: 'merchant', label: t('deposits.merchantId'), several: true }] : []),
          { name: 'channel', label: t('deposits.channel'), several: true },
          { name: 'from', label: t('deposits.from'), type: 'date' },
        ]}
        values={{ ...filters }}
      />
      <Answered query={answer}>
        {({ data, next_cursor }) => (
          <>
            {data.length > 0 ? (
              <Table
                label={t('nav.deposits')}
                columns={columnsOf(t).filter(({ id }) => id !== 'merchant' || of === undefined)}
                rows={data}
                keyOf={({ deposit_number: number }) => number}
                linkOf={({ deposit_number: number }) => ({ to: '/deposits/$number', params: { number } })}
              />
            ) : (
              <Empty title={t(isFiltered ? 'list.noMatch' : 'deposits.none')}>
                {t(isFiltered ? 'list.noMatchHint' : 'deposits.noneHint')}
              </Empty>
            )}
            <Pages next={next_cursor} />
          </>
        )}
      </Answered>
    </>
  );
}

const columnsOf = (t: Translate): Column<DepositView>[] => [
  {
    id: 'number',
    head: t('deposits.number'),
    cell: ({ deposit_number: number }) => <span className="mono">{number}</span>,
    card: 'title',
  },
  {
    id: 'status',
    head: t('deposits.status'),
    cell: ({ status }) => <Status of={`deposit_${status}`} />,
    card: 'corner',
  },
  {
    id: 'merchant',
    head: t('deposits.merchant'),
    cell: ({ merchant }) => <MerchantLink merchant={merchant} />,
    isCut: true,
  },
  {
    id: 'reference',
    head: t('deposits.reference'),
    cell: ({ reference_id: reference }) => <span title={reference}>{reference}</span>,
    isCut: true,
    from: 1120,
  },
  { id: 'channel', head: t('deposits.channel'), cell: ({ channel }) => channel },
  {
    id: 'toPay',
    head: t('deposits.toPay'),
    cell: ({ amount_to_pay: amount }) => <Amount value={amount} />,
    align: 'end',
  },
  {
    id: 'paid',
    head: t('deposits.paid'),
    cell: ({ paid_amount: paid }) => (paid === '0.00' ? <span className="muted">–</span> : <Amount value={paid} />),
    align: 'end',
    from: 1000,
  },
  {
    id: 'created',
    head: (
      <>
        {t('deposits.created')} · <ZoneName />
      </>
    ),
    cell: ({ created_at: at, status, expires_at: until }) => (
      <Stack
        below={
          status === 'pending' && (
            <>
              {t('deposits.until')} <Moment at={until} form="short" zoned={false} />
            </>
          )
        }
      >
        <Moment at={at} form="short" zoned={false} />
      </Stack>
    ),
    align: 'end',
  },
];
