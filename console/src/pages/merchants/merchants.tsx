import { Button } from '@mantine/core';
import { useSearch } from '@tanstack/react-router';
import { useState, type ReactNode } from 'react';
import { MERCHANT_STATUSES } from '../../choices';
import { ask, client } from '../../api';
import { useT, useWords, type Translate } from '../../i18n/words';
import { Amount } from '../../kit/amount';
import { Filters, type Filter } from '../../kit/filters';
import { EVERY, usePolled } from '../../kit/live';
import { LiveButton } from '../../kit/live-controls';
import { Ago } from '../../kit/moment';
import { Page } from '../../kit/page';
import { Pages } from '../../kit/pages';
import { Answered, Empty } from '../../kit/states';
import { Status } from '../../kit/status';
import { Table, type Column } from '../../kit/table';
import { useMay } from '../../session';
import { AddMerchant } from './add-merchant';
import type { MerchantView } from './merchant-view';
import classes from './merchants.module.css';

/** All merchants with their money and orders. */
export function Merchants(): ReactNode {
  const t = useT();
  const { language } = useWords();
  const { cursor, ...filters } = useSearch({ from: '/shell/merchants' });
  const [isAdding, setAdding] = useState(false);
  const [mayCreate, seesWallets] = [useMay('merchants.create'), useMay('wallets.read')];
  const query = usePolled({
    queryKey: ['merchants', filters, cursor],
    queryFn: ({ signal }) =>
      ask(() => client.GET('/api/merchants', { params: { query: { ...filters, cursor } }, signal })),
    every: EVERY.figures,
  });
  const isFiltered = Object.values(filters).some((value) => value !== undefined);
  const add = mayCreate && (
    <Button size="xs" onClick={() => setAdding(true)}>
      {t('merchants.add')}
    </Button>
  );
  return (
    <Page
      title={t('nav.merchants')}
      actions={
        <>
          <LiveButton />
          {add}
        </>
      }
    >
      <Filters filters={filtersOf(t, seesWallets)} values={filters} />
      <Answered query={query}>
        {({ data, next_cursor }) => (
          <>
            {data.length > 0 ? (
              <Table
                label={t('nav.merchants')}
                columns={columnsOf(t, language, seesWallets)}
                rows={data}
                keyOf={({ id }) => String(id)}
                linkOf={({ id }) => ({ to: '/merchants/$id', params: { id: String(id) } })}
              />
            ) : (
              <Empty
                title={t(isFiltered ? 'merchants.noMatch' : 'merchants.none')}
                action={isFiltered ? undefined : add}
              >
                {t(isFiltered ? 'merchants.noMatchHint' : 'merchants.noneHint')}
              </Empty>
            )}
            <Pages next={next_cursor} />
          </>
        )}
      </Answered>
      {isAdding && <AddMerchant onClose={() => setAdding(false)} />}
    </Page>
  );
}

const columnsOf = (t: Translate, language: string, seesWallets: boolean): Column<MerchantView>[] => [
  {
    id: 'name',
    head: t('merchants.name'),
    cell: ({ name, sandbox }) => (
      <span className={classes.name}>
        <span className={classes.text}>{name}</span>
        {sandbox && <Status of="sandbox" />}
      </span>
    ),
    card: 'title',
  },
  { id: 'id', head: t('merchant.id'), cell: ({ id }) => id, align: 'end', card: 'hidden', from: 1120 },
  { id: 'status', head: t('merchants.status'), cell: ({ status }) => <Status of={status} />, card: 'corner' },
  ...(seesWallets ? moneyOf(t) : []),
  {
    id: 'today',
    head: t('merchants.today'),
    cell: ({ today }) => <span className="number">{today.orders}</span>,
    align: 'end',
  },
  {
    id: 'failed',
    head: t('merchants.failedShare'),
    cell: ({ today }) => <FailedShare {...today} language={language} />,
    align: 'end',
    from: 1000,
  },
  {
    id: 'last',
    head: t('merchants.lastOrder'),
    cell: ({ last_order_at: at }) => at && <Ago at={at} />,
    align: 'end',
    card: 'hidden',
    from: 1000,
  },
];

const moneyOf = (t: Translate): Column<MerchantView>[] => [
  {
    id: 'available',
    head: `${t('wallet.available')} · THB`,
    cell: ({ wallet }) =>
      wallet && (
        <span className={classes.available}>
          {wallet.is_low && <Status of="low" />}
          <Amount value={wallet.available_amount} currency={null} />
        </span>
      ),
    align: 'end',
  },
  {
    id: 'held',
    head: t('wallet.held'),
    cell: ({ wallet }) => wallet && <Amount value={wallet.held_amount} currency={null} />,
    align: 'end',
    card: 'hidden',
    from: 1300,
  },
  {
    id: 'alert',
    head: t('wallet.alert'),
    cell: ({ wallet }) => wallet?.alert_below && <Amount value={wallet.alert_below} currency={null} />,
    align: 'end',
    card: 'hidden',
    from: 1120,
  },
];

function FailedShare({ orders, failed, language }: MerchantView['today'] & { language: string }): ReactNode {
  if (orders === 0) return null;
  const share = new Intl.NumberFormat(language, { style: 'percent', maximumFractionDigits: 1 });
  return (
    <span className="number" title={`${failed} / ${orders}`}>
      {share.format(failed / orders)}
    </span>
  );
}

const filtersOf = (t: Translate, seesWallets: boolean): Filter[] => [
  { name: 'q', label: t('merchants.nameOrId') },
  {
    name: 'status',
    label: t('merchants.status'),
    choices: MERCHANT_STATUSES.map((value) => ({ value, label: t(`status.${value}`) })),
    several: true,
  },
  {
    name: 'sandbox',
    label: t('merchant.sandbox'),
    choices: (['false', 'true'] as const).map((value) => ({ value, label: t(`merchants.sandbox.${value}`) })),
  },
  ...(seesWallets
    ? [{ name: 'low', label: t('merchants.low'), choices: [{ value: 'true', label: t('merchants.yes') }] }]
    : []),
];
