import { useSearch } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useWords, type Translate } from '../../i18n/words';
import { Ago, Moment } from '../../kit/moment';
import { Figures } from '../../kit/figures';
import { Page } from '../../kit/page';
import { Answered, Empty } from '../../kit/states';
import { Status } from '../../kit/status';
import { Table, type Column } from '../../kit/table';
import { JobState, useJob } from './job-banner';
import { greenSince, type AuditResult, type JobView } from './job-view';
import { RunButton, Runs, JobResultStatus } from './report';
import { useJobs } from './use-jobs';

type Check = AuditResult['checks'][number];

/** The checks of the latest audit, earlier audits, and since when all of them were green. */
export function Audit(): ReactNode {
  const { t } = useWords();
  const { job } = useSearch({ from: '/shell/audit' });
  const jobs = useJobs('audit');
  return (
    <Page title={t('nav.audit')} actions={<RunButton start={{ kind: 'audit' }} />}>
      <Answered query={jobs}>
        {({ data }) => {
          const shown = job ?? data[0]?.id.toString();
          if (shown === undefined) return <Empty title={t('audit.none')}>{t('audit.noneHint')}</Empty>;
          return (
            <>
              <AuditSummary jobs={data} />
              <Checks id={shown} />
              <Runs
                title={t('audit.runs')}
                jobs={data}
                linkOf={({ id }) => ({ to: '/audit', search: { job: String(id) } })}
              />
            </>
          );
        }}
      </Answered>
    </Page>
  );
}

function AuditSummary({ jobs }: { jobs: readonly JobView[] }): ReactNode {
  const { t } = useWords();
  const last = jobs.find(({ state }) => state === 'succeeded');
  const since = greenSince(jobs);
  if (last === undefined) return null;
  return (
    <Figures
      figures={[
        { name: t('audit.last'), value: <JobResultStatus job={last} />, tone: last.ok === false ? 'bad' : undefined },
        { name: t('audit.lastAt'), value: <Ago at={last.started_at} /> },
        { name: t('audit.greenSince'), value: since === null ? '—' : <Moment at={since} form="short" /> },
      ]}
    />
  );
}

function Checks({ id }: { id: string }): ReactNode {
  const { t } = useWords();
  const query = useJob(id);
  return (
    <Answered query={query} rows={6}>
      {(job) => (
        <>
          <JobState job={job} />
          <SkippedOrders result={job.result as AuditResult | null} />
          {job.result !== null && (
            <Table
              label={t('audit.checks')}
              columns={columnsOf(t)}
              rows={(job.result as AuditResult).checks.toSorted((one, other) => Number(one.ok) - Number(other.ok))}
              keyOf={({ name }) => name}
            />
          )}
        </>
      )}
    </Answered>
  );
}

/** How many orders the audit skipped, because the closing of their month had checked them. */
function SkippedOrders({ result }: { result: AuditResult | null }): ReactNode {
  const { t } = useWords();
  const month = result?.closed_through ?? null;
  if (result === null || month === null) return null;
  return (
    <p>
      {t('audit.read', { count: result.checked_orders ?? 0 })}{' '}
      {t('audit.readBefore', { count: result.closed_orders ?? 0, month })}
    </p>
  );
}

const columnsOf = (t: Translate): Column<Check>[] => [
  {
    id: 'ok',
    head: t('report.result'),
    cell: ({ ok }) => <Status of={ok ? 'in_order' : 'not_in_order'} />,
    card: 'corner',
  },
  { id: 'name', head: t('audit.check'), cell: ({ name }) => name, card: 'title' },
  { id: 'detail', head: t('audit.found'), cell: ({ detail }) => detail },
];
