import { TextInput } from '@mantine/core';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState, type ReactNode } from 'react';
import { addDays, dayOf } from '../../i18n/moments';
import { useWords, type Translate } from '../../i18n/words';
import { DayInput } from '../../kit/day-input';
import { Amount } from '../../kit/amount';
import { Table, type Column } from '../../kit/table';
import type { DailyResult } from './job-view';
import { Report } from './report';
import { useReportDay } from './report-day';
import { Differences } from './differences';
import { Wide } from './wide';

type Row = DailyResult['total'] & { merchant_id?: number; name: string };

/** The turnover of each merchant on a day, and whether the balances add up. */
export function DailyReport(): ReactNode {
  const { t, zone: own } = useWords();
  const navigate = useNavigate({ from: '/reports/daily' });
  const [yesterday] = useState(() => addDays(dayOf(new Date(), own), -1));
  const {
    date = yesterday,
    zone = own,
    job,
  } = useSearch({
    from: '/shell/reports/daily',
  });
  const change = (changes: { date?: string; zone?: string }): void =>
    void navigate({ to: '/reports/daily', search: { date, zone, ...changes }, replace: true });
  const [isDayWrong, changeDay] = useReportDay((day) => change({ date: day }));
  return (
    <Report
      title={t('report.dailyTitle')}
      kind="daily_report"
      params={{ date, zone }}
      job={job}
      isReady={!isDayWrong}
      runsWhenOpened
      start={{ kind: 'daily_report', date, zone }}
      linkOf={({ id, params }) => ({
        to: '/reports/daily',
        search: { date: String(params.date), zone: String(params.zone), job: String(id) },
      })}
      fields={
        <>
          <DayInput label={t('report.day')} value={date} onChange={changeDay} />
          <TextInput
            key={zone}
            label={t('report.zone')}
            defaultValue={zone}
            onBlur={(event) => change({ zone: event.currentTarget.value.trim() || own })}
          />
        </>
      }
    >
      {({ result }) => <Days result={result as DailyResult} t={t} />}
    </Report>
  );
}

function Days({ result, t }: { result: DailyResult; t: Translate }): ReactNode {
  const { merchants, total, differences } = result;
  const rows: Row[] = [...merchants, { name: t('report.total'), ...total }];
  return (
    <>
      <Differences good={t('report.fits')} bad={t('report.differs')} lines={differences} />
      <Wide label={t('report.dailyTitle')}>
        <Table
          label={t('report.dailyTitle')}
          columns={columnsOf(t)}
          rows={rows}
          keyOf={({ merchant_id }) => String(merchant_id ?? 'total')}
        />
      </Wide>
    </>
  );
}

const count = (id: 'orders' | 'completed' | 'failed', head: string): Column<Row> => ({
  id,
  head,
  align: 'end',
  cell: (row) => <span className="number">{row[id]}</span>,
});

const amount = (
  id: Extract<keyof DailyResult['total'], `${string}_amount`>,
  head: string,
  from?: 1120 | 1300,
): Column<Row> => ({
  id,
  head,
  from,
  align: 'end',
  cell: (row) => <Amount value={row[id]} currency={null} />,
});

const columnsOf = (t: Translate): Column<Row>[] => [
  {
    id: 'name',
    head: t('report.merchant'),
    cell: ({ merchant_id: id, name }) => (id === undefined ? <strong>{name}</strong> : name),
    card: 'title',
  },
  count('orders', t('report.orders')),
  count('completed', t('report.completed')),
  count('failed', t('report.failed')),
  amount('opening_amount', t('report.opening')),
  amount('credited_amount', t('report.credited')),
  amount('debited_amount', t('report.debited')),
  amount('spent_amount', t('report.spent')),
  amount('closing_amount', t('report.closing')),
  amount('closing_available_amount', t('report.available'), 1300),
  amount('closing_held_amount', t('report.held'), 1300),
];
