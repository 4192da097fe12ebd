import { NativeSelect } from '@mantine/core';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState, type ReactNode } from 'react';
import { MARGIN_GROUPS } from '../../choices';
import { addDays, dayOf, ZONE_OF_DAYS } from '../../i18n/moments';
import { useT, type Translate } from '../../i18n/words';
import { DayInput } from '../../kit/day-input';
import { Amount } from '../../kit/amount';
import { Empty } from '../../kit/states';
import { Table, type Column } from '../../kit/table';
import type { MarginResult } from './job-view';
import { Report } from './report';
import { useReportDay } from './report-day';
import classes from './report.module.css';
import { Wide } from './wide';

type Grouping = (typeof MARGIN_GROUPS)[number];
type Row = MarginResult['total'] & { about: string; isTotal?: boolean };

/** What merchants paid, what it cost, and the margin. */
export function MarginReport(): ReactNode {
  const t = useT();
  const navigate = useNavigate({ from: '/reports/margin' });
  const [today] = useState(() => dayOf(new Date(), ZONE_OF_DAYS));
  const {
    from = addDays(today, -30),
    to = today,
    by = 'sku',
    job,
  } = useSearch({
    from: '/shell/reports/margin',
  });
  const change = (changes: { from?: string; to?: string; by?: Grouping }): void =>
    void navigate({ to: '/reports/margin', search: { from, to, by, ...changes }, replace: true });
  const [isFromWrong, changeFrom] = useReportDay((day) => change({ from: day }));
  const [isToWrong, changeTo] = useReportDay((day) => change({ to: day }));
  return (
    <Report
      title={t('report.marginTitle')}
      kind="margin_report"
      params={{ from, to, by }}
      job={job}
      isReady={!isFromWrong && !isToWrong}
      runsWhenOpened
      start={{ kind: 'margin_report', from, to, by }}
      linkOf={({ id, params }) => ({
        to: '/reports/margin',
        search: {
          from: String(params.from),
          to: String(params.to),
          by: params.by as Grouping,
          job: String(id),
        },
      })}
      fields={
        <>
          <DayInput label={t('report.from')} value={from} onChange={changeFrom} />
          <DayInput label={t('report.to')} value={to} onChange={changeTo} />
          <NativeSelect
            label={t('report.by')}
            data={MARGIN_GROUPS.map((value) => ({ value, label: t(`report.by.${value}`) }))}
            value={by}
            onChange={(event) => change({ by: event.currentTarget.value as Grouping })}
          />
        </>
      }
    >
      {({ result }) => <Margins result={result as MarginResult} t={t} />}
    </Report>
  );
}

function Margins({ result: { by, rows, total }, t }: { result: MarginResult; t: Translate }): ReactNode {
  if (rows.length === 0) return <Empty title={t('report.nothingSold')} />;
  return (
    <Wide label={t('report.marginTitle')}>
      <Table
        label={t('report.marginTitle')}
        columns={columnsOf(t, by)}
        rows={[...rows, { about: t('report.total'), isTotal: true, ...total }] as Row[]}
        keyOf={({ about, isTotal }) => (isTotal ? 'total' : `of ${about}`)}
      />
    </Wide>
  );
}

const isLoss = (amount: string): boolean => amount.startsWith('-');

const columnsOf = (t: Translate, by: Grouping): Column<Row>[] => [
  {
    id: 'about',
    head: t(`report.by.${by}`),
    cell: ({ about, isTotal }) => (isTotal ? <strong>{about}</strong> : <span className="mono">{about}</span>),
    card: 'title',
  },
  {
    id: 'units',
    head: t('report.units'),
    cell: ({ units }) => <span className="number">{units}</span>,
    align: 'end',
  },
  ...(['revenue', 'cost', 'margin'] as const).map((id): Column<Row> => ({
    id,
    head: `${t(`report.${id}`)} · THB`,
    align: 'end',
    cell: (row) => (
      <span className={isLoss(row[id]) ? classes.wrong : undefined}>
        <Amount value={row[id]} currency={null} />
      </span>
    ),
  })),
  {
    id: 'percent',
    head: '%',
    cell: ({ margin_percent: percent }) => (
      <span className="number">{percent === null ? '—' : percent.toFixed(1)}</span>
    ),
    align: 'end',
  },
  {
    id: 'estimated',
    head: t('report.estimated'),
    cell: ({ cost_estimated_units: units }) => <span className="number">{units}</span>,
    align: 'end',
    from: 1120,
  },
  {
    id: 'unknown',
    head: t('report.unknownCost'),
    cell: ({ cost_unknown_units: units }) => <span className="number">{units}</span>,
    align: 'end',
  },
  {
    id: 'unknownRevenue',
    head: `${t('report.unknownRevenue')} · THB`,
    cell: ({ cost_unknown_revenue: revenue }) => revenue !== undefined && <Amount value={revenue} currency={null} />,
    align: 'end',
    from: 1120,
  },
];
