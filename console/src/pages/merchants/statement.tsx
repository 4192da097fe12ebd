import { Link, useSearch } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { ask, client } from '../../api';
import { useT, type Translate } from '../../i18n/words';
import { Amount } from '../../kit/amount';
import { Filters } from '../../kit/filters';
import { EVERY, usePolled } from '../../kit/live';
import { Moment, ZoneName } from '../../kit/moment';
import { Pages } from '../../kit/pages';
import { Answered, Empty } from '../../kit/states';
import { Table, type Column } from '../../kit/table';
import { useMerchantId, type EntryView } from './merchant-view';
import { MonthStatement } from './month-statement';
import { StatementCsv } from './statement-csv';
import classes from './statement.module.css';

/** Everything that changed the available balance, newest first. */
export function Statement(): ReactNode {
  const t = useT();
  const id = useMerchantId();
  const { cursor, kind } = useSearch({ from: '/shell/merchants/$id/statement' });
  const query = usePolled({
    queryKey: ['merchant', id, 'entries', kind, cursor],
    queryFn: ({ signal }) =>
      ask(() =>
        client.GET('/api/merchants/{id}/entries', {
          params: { path: { id }, query: { kind, cursor } },
          signal,
        }),
      ),
    every: cursor === undefined ? EVERY.list : EVERY.rest,
  });
  return (
    <>
      <div className={classes.head}>
        <Filters
          filters={[
            {
              name: 'kind',
              label: t('statement.kind'),
              choices: [{ value: 'funding', label: t('statement.funding') }],
            },
          ]}
          values={{ kind }}
        />
        <div className={classes.files}>
          <MonthStatement id={id} />
          <StatementCsv id={id} />
        </div>
      </div>
      <Answered query={query}>
        {({ data, next_cursor }) => (
          <>
            {data.length > 0 ? (
              <Table
                label={t('merchant.statement')}
                columns={columnsOf(t)}
                rows={data}
                keyOf={(entry) => String(entry.id)}
              />
            ) : (
              <Empty title={t(kind === undefined ? 'statement.none' : 'statement.noFunding')}>
                {kind === undefined && t('statement.noneHint')}
              </Empty>
            )}
            <Pages next={next_cursor} />
          </>
        )}
      </Answered>
    </>
  );
}

const columnsOf = (t: Translate): Column<EntryView>[] => [
  {
    id: 'at',
    head: (
      <>
        {t('statement.at')} · <ZoneName />
      </>
    ),
    cell: ({ created_at }) => <Moment at={created_at} form="short" zoned={false} />,
    card: 'title',
  },
  { id: 'kind', head: t('statement.kind'), cell: ({ kind }) => t(`entry.${kind}`), card: 'corner' },
  {
    id: 'reference',
    head: t('statement.reference'),
    cell: ({ reference_id: reference, order_number: number }) =>
      number === null ? (
        reference
      ) : (
        <Link to="/orders/$number" params={{ number }} title={reference ?? undefined}>
          <span className="mono">{number}</span>
        </Link>
      ),
  },
  {
    id: 'note',
    head: t('statement.note'),
    cell: ({ note }) => note && <span title={note}>{note}</span>,
    isCut: true,
    from: 1000,
  },
  {
    id: 'who',
    head: t('statement.who'),
    cell: (entry) => <MovedBy entry={entry} />,
    isCut: true,
    from: 1120,
  },
  {
    id: 'amount',
    head: `${t('statement.amount')} · THB`,
    cell: ({ amount }) => <Amount value={amount} currency={null} />,
    align: 'end',
  },
  {
    id: 'after',
    head: `${t('statement.after')} · THB`,
    cell: ({ available_amount_after: after }) => <Amount value={after} currency={null} />,
    align: 'end',
  },
];

/** The operator who moved the money, and below the one who approved it. */
function MovedBy({ entry: { operator, approved_by: approver } }: { entry: EntryView }): ReactNode {
  const t = useT();
  if (operator === null) return null;
  const approved = approver === null ? null : t('approvals.by', { who: approver });
  return (
    <>
      <span className={classes.who} title={operator}>
        {operator}
      </span>
      {approved !== null && (
        <span className={`${classes.who} muted`} title={approved}>
          {approved}
        </span>
      )}
    </>
  );
}
