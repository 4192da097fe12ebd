import { Button, SegmentedControl } from '@mantine/core';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState, type ReactNode } from 'react';
import { PAYMENT_LISTS } from '../../choices';
import { ask, client } from '../../api';
import { useT, type Translate } from '../../i18n/words';
import { Amount } from '../../kit/amount';
import { Filters } from '../../kit/filters';
import { EVERY, usePolled } from '../../kit/live';
import { LiveButton } from '../../kit/live-controls';
import { Age, ZoneName } from '../../kit/moment';
import { Page } from '../../kit/page';
import { Pages } from '../../kit/pages';
import { plainAmount } from '../../kit/read-amount';
import { WithSidePanel } from '../../kit/side-panel';
import { Answered, Empty } from '../../kit/states';
import { Status } from '../../kit/status';
import { Stack, Table, type Column } from '../../kit/table';
import { choice } from '../../search-params';
import { useMay } from '../../session';
import { MerchantLink } from '../merchants/merchant-link';
import { DecidePayment, type Deciding } from './decide-payment';
import { DepositTabs } from './deposit-tabs';
import type { PaymentView } from './deposit-view';
import { PaymentPanel } from './payment-panel';
import { DepositLink, differenceOf, PaidAt, stateOf } from './payment-view';
import { isCreditable, isSafe } from './safe-credit';
import classes from './deposits.module.css';

/** Payments that arrived. Opens on those that wait, oldest first. */
export function Payments(): ReactNode {
  const t = useT();
  const navigate = useNavigate({ from: '/payments' });
  const { cursor, payment, which = 'waiting', ...filters } = useSearch({ from: '/shell/payments' });
  const [deciding, setDeciding] = useState<Deciding | null>(null);
  const list = {
    ...filters,
    cursor,
    which: which === 'all' ? undefined : which,
    // As the list writes it.
    amount: filters.amount && (plainAmount(filters.amount) ?? filters.amount),
  };
  const query = usePolled({
    queryKey: ['payments', list],
    queryFn: ({ signal }) => ask(() => client.GET('/api/payments', { params: { query: list }, signal })),
    every: cursor === undefined ? EVERY.list : EVERY.rest,
  });
  const isFiltered = Object.values(filters).some((value) => value !== undefined);
  const close = (): void =>
    void navigate({ to: '/payments', search: (search) => ({ ...search, payment: undefined }), replace: true });
  return (
    <Page title={t('payments.title')} actions={<LiveButton />}>
      <DepositTabs />
      <Filters
        filters={[
          { name: 'channel', label: t('deposits.channel'), several: true },
          { name: 'amount', label: t('payments.amount') },
          { name: 'merchant', label: t('deposits.merchantId'), several: true },
        ]}
        values={filters}
      >
        <SegmentedControl
          size="xs"
          aria-label={t('payments.which')}
          data={PAYMENT_LISTS.map((value) => ({ value, label: t(`payments.list.${value}`) }))}
          value={which}
          onChange={(value) =>
            void navigate({
              to: '/payments',
              search: (search) => ({
                ...search,
                which: choice(value, PAYMENT_LISTS),
                cursor: undefined,
              }),
            })
          }
        />
      </Filters>
      <WithSidePanel of={payment} panel={(id) => <PaymentPanel id={id} onDecide={setDeciding} onClose={close} />}>
        <Answered query={query}>
          {({ data, next_cursor }) => (
            <>
              <List rows={data} isNarrow={payment !== undefined} onDecide={setDeciding} />
              {data.length === 0 && (
                <Empty title={t(isFiltered ? 'list.noMatch' : `payments.none.${which}`)}>
                  {t(isFiltered ? 'list.noMatchHint' : 'payments.noneHint')}
                </Empty>
              )}
              <Pages next={next_cursor} />
            </>
          )}
        </Answered>
      </WithSidePanel>
      {deciding && <DecidePayment {...deciding} onClose={() => setDeciding(null)} />}
    </Page>
  );
}

interface ListProps {
  rows: PaymentView[];
  /** Whether the side panel leaves little room. */
  isNarrow: boolean;
  onDecide: (deciding: Deciding) => void;
}

function List({ rows, isNarrow, onDecide }: ListProps): ReactNode {
  const t = useT();
  const mayDecide = useMay('payments.decide');
  if (rows.length === 0) return null;
  const columns = [...columnsOf(t), ...(mayDecide ? [decideColumn(t, onDecide)] : [])];
  return (
    <Table
      label={t('payments.title')}
      columns={columns.filter(({ id }) => !isNarrow || ['amount', 'state', 'why'].includes(id))}
      rows={rows}
      keyOf={({ id }) => id}
      linkOf={({ id }) => ({ to: '/payments', search: (search: object) => ({ ...search, payment: id }) })}
    />
  );
}

const columnsOf = (t: Translate): Column<PaymentView>[] => [
  {
    id: 'amount',
    head: t('payments.amount'),
    cell: ({ amount, currency }) => <Amount value={amount} currency={currency} />,
    card: 'title',
  },
  { id: 'state', head: t('payments.state'), cell: (payment) => <Status of={stateOf(payment)} />, card: 'corner' },
  {
    id: 'why',
    head: t('payments.why'),
    cell: ({ reason }) => reason && <span title={reason}>{t.maybe(`payments.why.${reason}`) ?? reason}</span>,
  },
  { id: 'suggested', head: t('payments.suggested'), cell: (payment) => <ForWhom payment={payment} /> },
  {
    id: 'text',
    head: t('payments.text'),
    cell: ({ text }) => <span title={text ?? ''}>{text}</span>,
    isCut: true,
    from: 1300,
  },
  { id: 'channel', head: t('deposits.channel'), cell: ({ channel }) => channel, from: 1120 },
  {
    id: 'paid',
    head: (
      <>
        {t('payments.paidAt')} · <ZoneName />
      </>
    ),
    cell: (payment) => (
      <Stack
        below={
          payment.state === 'waiting' && (
            <>
              {t('payments.waits')} <Age from={payment.seen_at} />
            </>
          )
        }
      >
        <PaidAt payment={payment} isShort />
      </Stack>
    ),
    align: 'end',
  },
];

/** The credited merchant; for a waiting payment, the most probable deposit or merchant. */
function ForWhom({
  payment: { merchant, deposit_number: number, suggestions, amount, state },
}: {
  payment: PaymentView;
}): ReactNode {
  const t = useT();
  const [first] = suggestions;
  if (merchant)
    return (
      <Stack below={number && <DepositLink number={number} />}>
        <MerchantLink merchant={merchant} />
      </Stack>
    );
  if (!first) return state === 'waiting' && <span className="muted">{t('payments.noSuggestion')}</span>;
  return (
    <Stack
      below={
        first.deposit_number === null || first.amount_to_pay === null ? (
          t('payments.named')
        ) : (
          <>
            <DepositLink number={first.deposit_number} /> · {differenceOf(amount, first.amount_to_pay, t)}
          </>
        )
      }
    >
      {first.merchant.name}
    </Stack>
  );
}

const decideColumn = (t: Translate, onDecide: ListProps['onDecide']): Column<PaymentView> => ({
  id: 'decide',
  head: <span className="hidden">{t('payments.actions')}</span>,
  cell: (payment) => {
    const { state, is_open_case: isCase, suggestions } = payment;
    if (!isCase && (state !== 'waiting' || !isCreditable(payment))) return null;
    const [first] = suggestions;
    const to = first && isSafe(payment, first) ? first : undefined;
    const deciding: Deciding = isCase ? { payment, kind: 'keep' } : { payment, kind: 'credit', to };
    return (
      <span className={classes.buttons}>
        <Button size="compact-xs" variant="default" onClick={() => onDecide(deciding)}>
          {t(`payments.${deciding.kind}`)}
        </Button>
      </span>
    );
  },
  align: 'end',
});
