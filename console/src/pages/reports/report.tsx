import { Button } from '@mantine/core';
import { useMutation, useQueryClient, type UseMutationResult } from '@tanstack/react-query';
import { Link, type LinkProps } from '@tanstack/react-router';
import { useEffect, useState, type ReactNode } from 'react';
import { ask, client } from '../../api';
import { formatDay } from '../../i18n/moments';
import { useT, useWords, type Translate } from '../../i18n/words';
import { Moment } from '../../kit/moment';
import { Page, Section } from '../../kit/page';
import { useRequestKeys } from '../../kit/request-key';
import { Answered, Empty, Failure, Loading } from '../../kit/states';
import { Status } from '../../kit/status';
import { Tabs } from '../../kit/tabs';
import { toastFailure } from '../../kit/toasts';
import { useMay } from '../../session';
import { JobState, useJob } from './job-banner';
import { latestOf, type JobDetailView, type JobView, type Params, type ReportKind, type StartJob } from './job-view';
import classes from './report.module.css';
import { useJobs } from './use-jobs';

interface ReportProps {
  title: string;
  kind: Exclude<ReportKind, 'audit'>;
  /** The fields in which the operator enters `params`. */
  fields: ReactNode;
  params: Params;
  /** The id of the job in the address. Without it the page shows the newest job with these parameters. */
  job: string | undefined;
  start: StartJob;
  /** Whether the fields are complete. */
  isReady?: boolean;
  /** Whether the report runs when it is opened without a result. A report that calls suppliers does not. */
  runsWhenOpened?: boolean;
  /** Where to show an earlier job. */
  linkOf: (job: JobView) => LinkProps;
  children: (job: JobDetailView) => ReactNode;
}

/** A report with its parameters, progress, result and earlier jobs. */
export function Report(props: ReportProps): ReactNode {
  const { title, kind, fields, params, job: named, start, isReady = true, linkOf, children } = props;
  const t = useT();
  const mayRun = useMay('reports.run');
  const [opened] = useState(() => JSON.stringify(start));
  const jobs = useJobs(kind);
  const id = named ?? latestOf(jobs.data?.data ?? [], params)?.id.toString();
  const runsNow = id === undefined && props.runsWhenOpened && mayRun && JSON.stringify(start) === opened;
  const isBusy = jobs.data?.data.some(({ state }) => state === 'running') ?? true;
  return (
    <Page title={title} actions={!runsNow && <RunButton start={start} isBusy={isBusy || !isReady} />}>
      <Tabs
        label={t('nav.reports')}
        tabs={[
          { name: t('report.daily'), link: { to: '/reports/daily' } },
          { name: t('report.supplier'), link: { to: '/reports/supplier' } },
          { name: t('report.margin'), link: { to: '/reports/margin' } },
        ]}
      />
      <div className={classes.fields}>{fields}</div>
      <Answered query={jobs}>
        {({ data }) => (
          <>
            {id !== undefined ? (
              <Result id={id}>{children}</Result>
            ) : runsNow ? (
              <RunWhenOpened start={start} />
            ) : (
              <Empty title={t('report.none')}>{t('report.noneHint')}</Empty>
            )}
            <Runs title={t('report.runs')} jobs={data} linkOf={linkOf} />
          </>
        )}
      </Answered>
    </Page>
  );
}

/** Starts a job. Its idempotency key changes only after a success. */
function useRun(start: StartJob): UseMutationResult<JobView, Error, void> {
  const queries = useQueryClient();
  const [key, next] = useRequestKeys(start);
  return useMutation({
    mutationFn: () =>
      ask(() => client.POST('/api/jobs', { params: { header: { 'Idempotency-Key': key } }, body: start })),
    onSuccess: next,
    onSettled: () => queries.invalidateQueries({ queryKey: ['jobs', start.kind] }),
  });
}

/** Starts the report at once, because the operator opened the page to see it. */
function RunWhenOpened({ start }: { start: StartJob }): ReactNode {
  const { mutate, error } = useRun(start);
  useEffect(() => mutate(), [mutate]);
  return error ? <Failure error={error} onRetry={() => mutate()} /> : <Loading rows={4} />;
}

/** Starts the job. The page shows its result when it ends. */
export function RunButton({ start, isBusy = false }: { start: StartJob; isBusy?: boolean }): ReactNode {
  const t = useT();
  const mayRun = useMay(start.kind === 'audit' ? 'audit.run' : 'reports.run');
  const run = useRun(start);
  if (!mayRun) return null;
  return (
    <Button
      size="xs"
      disabled={isBusy}
      loading={run.isPending}
      onClick={() => run.mutate(undefined, { onError: toastFailure })}
    >
      {t('report.run')}
    </Button>
  );
}

function Result({ id, children }: { id: string; children: ReportProps['children'] }): ReactNode {
  const t = useT();
  const query = useJob(id);
  const mayExport = useMay('exports.run');
  return (
    <Answered query={query} rows={4}>
      {(job) => (
        <>
          <JobState job={job} />
          {job.result !== null && children(job)}
          <Archived result={job.result} />
          {job.result !== null && mayExport && (
            <p className={classes.export}>
              <a href={`/api/jobs/${job.id}/csv`} download>
                {t('report.csv')}
              </a>
            </p>
          )}
        </>
      )}
    </Answered>
  );
}

/** How many orders the report lacks because they are archived. */
function Archived({ result }: Pick<JobDetailView, 'result'>): ReactNode {
  const t = useT();
  const { archived_orders: orders = 0 } = (result ?? {}) as { archived_orders?: number };
  return orders > 0 && <p className="muted">{t('report.archived', { count: orders })}</p>;
}

/** The ten newest jobs. */
export function Runs({
  title,
  jobs,
  linkOf,
}: {
  title: string;
  jobs: readonly JobView[];
  linkOf: ReportProps['linkOf'];
}): ReactNode {
  const { t, language, zone } = useWords();
  if (jobs.length === 0) return null;
  return (
    <Section title={title}>
      <ul className={classes.runs}>
        {jobs.slice(0, 10).map((job) => (
          <li key={job.id}>
            <JobResultStatus job={job} />
            <Link {...linkOf(job)} data-row-link="">
              <Moment at={job.started_at} form="short" />
            </Link>
            <span className="muted">
              {[...paramsInWords(job.params, t, language, zone), t('job.by', { name: job.operator.name })].join(' · ')}
            </span>
          </li>
        ))}
      </ul>
    </Section>
  );
}

/** The parameters of a job for display. Those without a translation are shown unchanged. */
function paramsInWords(params: JobView['params'], t: Translate, language: string, zone: string): string[] {
  return Object.entries(params).map(([name, value]) => {
    const text = String(value);
    if (name === 'by') return t.maybe(`report.by.${text}`) ?? text;
    if (/^\d{4}-\d\d-\d\d$/.test(text)) return formatDay(text, language, 'UTC');
    if (/^\d{4}-\d\d-\d\dT/.test(text)) return formatDay(text, language, zone);
    return text;
  });
}

/** The result of a job that checked something, or else its state. */
export function JobResultStatus({ job: { ok, state } }: { job: JobView }): ReactNode {
  return <Status of={ok === null ? state : ok ? 'in_order' : 'not_in_order'} />;
}
