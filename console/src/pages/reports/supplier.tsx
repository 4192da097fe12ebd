import { TextInput } from '@mantine/core';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState, type ReactNode } from 'react';
import { addDays, dayOf, startOfDay } from '../../i18n/moments';
import { useWords, type Translate } from '../../i18n/words';
import { DayInput } from '../../kit/day-input';
import { Amount } from '../../kit/amount';
import { Section } from '../../kit/page';
import { Status } from '../../kit/status';
import { Table, type Column } from '../../kit/table';
import type { SupplierResult } from './job-view';
import { Report } from './report';
import { useReportDay } from './report-day';
import { Differences, ErrorCount } from './differences';
import { Wide } from './wide';

type Row = SupplierResult['suppliers'][number];
type Difference = Row['differences'][number] & { supplier: string };

/** Compares our books with what suppliers report. */
export function SupplierReport(): ReactNode {
  const { t, zone } = useWords();
  const navigate = useNavigate({ from: '/reports/supplier' });
  const [yesterday] = useState(() => addDays(dayOf(new Date(), zone), -1));
  const {
    code,
    since = yesterday,
    job,
  } = useSearch({
    from: '/shell/reports/supplier',
  });
  const change = (changes: { code?: string | undefined; since?: string }): void =>
    void navigate({ to: '/reports/supplier', search: { code, since, ...changes }, replace: true });
  const [isDayWrong, changeDay] = useReportDay((day) => change({ since: day }));
  const moment = startOfDay(since, zone);
  return (
    <Report
      title={t('report.supplierTitle')}
      kind="supplier_report"
      params={{ code, since: moment }}
      job={job}
      isReady={!isDayWrong}
      start={{ kind: 'supplier_report', code, since: moment }}
      linkOf={({ id, params }) => ({
        to: '/reports/supplier',
        search: {
          code: params.code === undefined ? undefined : String(params.code),
          since: dayOf(new Date(String(params.since)), zone),
          job: String(id),
        },
      })}
      fields={
        <>
          <TextInput
            key={code}
            label={t('report.supplierCode')}
            placeholder={t('report.allSuppliers')}
            defaultValue={code}
            onBlur={(event) => change({ code: event.currentTarget.value.trim() || undefined })}
          />
          <DayInput label={t('report.placedSince')} value={since} onChange={changeDay} />
        </>
      }
    >
      {({ result }) => <Comparison result={result as SupplierResult} t={t} />}
    </Report>
  );
}

function Comparison({ result: { suppliers }, t }: { result: SupplierResult; t: Translate }): ReactNode {
  const differences = suppliers.flatMap((each): Difference[] =>
    each.differences.map((difference) => ({ supplier: each.supplier, ...difference })),
  );
  const wrong = suppliers
    .filter(({ ok }) => !ok)
    .map(({ supplier, problem }) => (problem === null ? supplier : `${supplier}: ${problem}`));
  return (
    <>
      <Differences good={t('report.suppliersAgree')} bad={t('report.suppliersDiffer')} lines={wrong} />
      <Wide label={t('report.supplierTitle')}>
        <Table
          label={t('report.supplierTitle')}
          columns={columnsOf(t)}
          rows={suppliers}
          keyOf={({ supplier }) => supplier}
        />
      </Wide>
      {differences.length > 0 && (
        <Section title={t('report.differences')}>
          <Table
            label={t('report.differences')}
            columns={differenceColumns(t)}
            rows={differences}
            keyOf={({ reference }) => reference}
          />
        </Section>
      )}
    </>
  );
}

const count = (id: 'succeeded' | 'failed' | 'open' | 'agreed', head: string): Column<Row> => ({
  id,
  head,
  align: 'end',
  cell: (row) => <span className="number">{row[id]}</span>,
});

const wrong = (id: 'difference_count' | 'unanswered' | 'unaskable' | 'open_cases', head: string): Column<Row> => ({
  id,
  head,
  align: 'end',
  cell: (row) => <ErrorCount count={row[id]} />,
});

const columnsOf = (t: Translate): Column<Row>[] => [
  {
    id: 'ok',
    head: t('report.result'),
    cell: ({ ok }) => <Status of={ok ? 'in_order' : 'not_in_order'} />,
    card: 'corner',
  },
  { id: 'supplier', head: t('report.by.supplier'), cell: ({ supplier }) => supplier, card: 'title' },
  count('succeeded', t('report.succeeded')),
  {
    id: 'amount',
    head: `${t('report.spent')} · THB`,
    cell: (row) => <Amount value={row.succeeded_amount} currency={null} />,
    align: 'end',
  },
  count('failed', t('report.failed')),
  count('open', t('report.open')),
  count('agreed', t('report.agreed')),
  wrong('difference_count', t('report.differences')),
  wrong('unanswered', t('report.unanswered')),
  wrong('unaskable', t('report.unaskable')),
  wrong('open_cases', t('report.openCases')),
  {
    id: 'balance',
    head: t('report.balance'),
    cell: ({ balance_amount: balance, balance_currency: currency }) =>
      balance !== null && <Amount value={balance} currency={currency ?? null} />,
    align: 'end',
  },
];

const differenceColumns = (t: Translate): Column<Difference>[] => [
  {
    id: 'reference',
    head: t('report.reference'),
    cell: ({ reference }) => <span className="mono">{reference}</span>,
    card: 'title',
  },
  { id: 'supplier', head: t('report.by.supplier'), cell: ({ supplier }) => supplier },
  { id: 'ours', head: t('report.ours'), cell: ({ ours }) => <Status of={ours} /> },
  { id: 'theirs', head: t('report.theirs'), cell: ({ theirs }) => <Status of={theirs} /> },
  {
    id: 'amount',
    head: 'THB',
    cell: ({ amount }) => <Amount value={amount} currency={null} />,
    align: 'end',
  },
];
