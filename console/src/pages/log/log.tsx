import { Link, useSearch } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { LOG_SOURCES } from '../../choices';
import { ask, client } from '../../api';
import { useT, useWords, type Translate } from '../../i18n/words';
import { addDays, startOfDay } from '../../i18n/moments';
import { CsvButton } from '../../kit/csv-button';
import { Filters, type Filter } from '../../kit/filters';
import { scopeOf, useFreshRows } from '../../kit/fresh-rows';
import { EVERY, usePolled } from '../../kit/live';
import { FreshButton, LiveButton } from '../../kit/live-controls';
import { Moment, ZoneName } from '../../kit/moment';
import { Page } from '../../kit/page';
import { Pages } from '../../kit/pages';
import { Answered, Empty } from '../../kit/states';
import { Table, type Column } from '../../kit/table';
import { useMay, useSession } from '../../session';
import { ACTIONS, actionInWords, type LogEntry } from './actions';
import { Entry } from './entry';
import classes from './log.module.css';

/** The audit log, newest first. */
export function Log(): ReactNode {
  const t = useT();
  const { zone } = useWords();
  const mayExport = useMay('exports.run');
  const role = useSession()?.operator?.role;
  const { cursor, ...filters } = useSearch({ from: '/shell/log' });
  const { from, to } = filters;
  const params = {
    ...filters,
    from: from && startOfDay(from, zone),
    to: to && startOfDay(addDays(to, 1), zone),
  };
  const query = usePolled({
    queryKey: ['log', params, cursor],
    queryFn: ({ signal }) => ask(() => client.GET('/api/log', { params: { query: { ...params, cursor } }, signal })),
    every: cursor === undefined ? EVERY.figures : EVERY.rest,
  });
  const isFiltered = Object.values(filters).some((value) => value !== undefined);
  const isOwnOnly = role === 'support' || role === 'catalog';
  return (
    <Page
      title={t('nav.log')}
      actions={
        <>
          <LiveButton />
          {mayExport && <CsvButton path="/api/log.csv" query={params} />}
        </>
      }
    >
      <Filters filters={filtersOf(t, isOwnOnly)} values={filters} />
      {isOwnOnly && <p className="muted">{t('log.ownOnly')}</p>}
      <Answered query={query}>
        {({ data, next_cursor }) => (
          <>
            <LogList rows={data} scope={scopeOf(query, params)} isFirst={cursor === undefined} />
            {data.length === 0 && (
              <Empty title={t(isFiltered ? 'log.noMatch' : 'log.none')}>
                {t(isFiltered ? 'log.noMatchHint' : 'log.noneHint')}
              </Empty>
            )}
            <Pages next={next_cursor} />
          </>
        )}
      </Answered>
    </Page>
  );
}

const idOf = ({ id }: LogEntry): string => String(id);

interface LogListProps {
  rows: LogEntry[];
  /** Identifies the list, so that another filter starts a new one. */
  scope: string;
  /** Whether this is the first page, which receives new entries. */
  isFirst: boolean;
}

/** Entries of the audit log. Opening one shows what it changed. */
export function LogList({ rows, scope, isFirst }: LogListProps): ReactNode {
  const t = useT();
  const fresh = useFreshRows(rows, idOf, scope);
  if (rows.length === 0) return null;
  return (
    <>
      {isFirst && <FreshButton count={fresh.freshCount} onShow={fresh.showFresh} />}
      <Table
        label={t('nav.log')}
        columns={columnsOf(t)}
        rows={isFirst ? fresh.rows : rows}
        keyOf={idOf}
        moreOf={(entry) => <Entry entry={entry} />}
      />
    </>
  );
}

const columnsOf = (t: Translate): Column<LogEntry>[] => [
  {
    id: 'what',
    head: t('log.what'),
    cell: ({ action }) => (
      <span className={classes.what} title={action}>
        {actionInWords(action, t)}
      </span>
    ),
    card: 'title',
  },
  {
    id: 'when',
    head: (
      <>
        {t('log.when')} · <ZoneName />
      </>
    ),
    cell: ({ at }) => <Moment at={at} form="short" zoned={false} />,
    card: 'corner',
  },
  { id: 'who', head: t('log.who'), cell: ({ operator }) => operator, isCut: true },
  {
    id: 'where',
    head: t('log.where'),
    cell: ({ source, ip }) => ip ?? t(`log.source.${source}`),
    from: 1120,
  },
  { id: 'whom', head: t('log.whom'), cell: (entry) => <Subject entry={entry} />, isCut: true },
  { id: 'why', head: t('log.why'), cell: ({ reason }) => reason, isCut: true, from: 1000 },
];

/** The order, merchant, operator, product or supplier that an entry is about. */
function Subject({ entry: { merchant, order_number: number, detail } }: { entry: LogEntry }): ReactNode {
  if (number !== null) {
    return (
      <Link to="/orders/$number" params={{ number }} className="mono">
        {number}
      </Link>
    );
  }
  if (merchant !== null) return merchant.name;
  const named = ['operator', 'sku', 'code'].map((name) => detail[name]).find((each) => typeof each === 'string');
  return named;
}

function filtersOf(t: Translate, isOwnOnly: boolean): Filter[] {
  return [
    ...(isOwnOnly ? [] : [{ name: 'operator', label: t('log.who') }]),
    {
      name: 'action',
      label: t('log.what'),
      choices: ACTIONS.map((value) => ({ value, label: actionInWords(value, t) })).sort((one, other) =>
        one.label.localeCompare(other.label),
      ),
      several: true,
    },
    {
      name: 'source',
      label: t('log.where'),
      choices: LOG_SOURCES.map((value) => ({ value, label: t(`log.source.${value}`) })),
      several: true,
    },
    { name: 'merchant', label: t('log.merchant'), several: true },
    { name: 'order', label: t('log.order') },
    { name: 'supplier', label: t('log.supplier'), several: true },
    { name: 'from', label: t('log.from'), type: 'date' },
    { name: 'to', label: t('log.to'), type: 'date' },
  ];
}
