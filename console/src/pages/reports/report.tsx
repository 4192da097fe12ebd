import { Button } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link, type LinkProps } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { ask, client } from '../../api';
import { formatDay } from '../../i18n/moments';
import { useT, useWords, type Translate } from '../../i18n/words';
import { Moment } from '../../kit/moment';
import { Page, Section } from '../../kit/page';
import { useRequestKeys } from '../../kit/request-key';
import { Answered, Empty } from '../../kit/states';
import { Status } from '../../kit/status';
import { Tabs } from '../../kit/tabs';
import { toast } from '../../kit/toasts';
import { useMay } from '../../session';
import { JobState, useJob } from './job-banner';
import { latestOf, type JobDetailView, type JobView, type Params, type ReportKind, type StartJob } from './job-view';
import classes from './report.module.css';
import { useJobs } from './use-jobs';

interface ReportProps {
  title: string;
  kind: Exclude<ReportKind, 'audit'>;
  /** What is asked for: fields, and their values. */
  fields: ReactNode;
  params: Params;
  /** One run of all; else the newest of what is asked for. */
  job: string | undefined;
  start: StartJob;
  /** Where a run of before is shown. */
  linkOf: (job: JobView) => LinkProps;
  children: (job: JobDetailView) => ReactNode;
}

/** A report: what is asked for, how far it is, what came of it, and what was asked before. */
export function Report(props: ReportProps): ReactNode {
  const { title, kind, fields, params, job: named, start, linkOf, children } = props;
  const t = useT();
  const jobs = useJobs(kind);
  const id = named ?? latestOf(jobs.data?.data ?? [], params)?.id.toString();
  return (
    <Page title={title} actions={<RunButton start={start} />}>
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
            {id === undefined ? (
              <Empty title={t('report.none')}>{t('report.noneHint')}</Empty>
            ) : (
              <Result id={id}>{children}</Result>
            )}
            <Runs title={t('report.runs')} jobs={data} linkOf={linkOf} />
          </>
        )}
      </Answered>
    </Page>
  );
}

/** Starts it: what came of it appears when it has ended. */
export function RunButton({ start }: { start: StartJob }): ReactNode {
  const t = useT();
  const queries = useQueryClient();
  const mayRun = useMay(start.kind === 'audit' ? 'audit.run' : 'reports.run');
  const [key, next] = useRequestKeys(start);
  const run = useMutation({
    mutationFn: () =>
      ask(() => client.POST('/api/jobs', { params: { header: { 'Idempotency-Key': key } }, body: start })),
    onSuccess: next,
    onError: (error) => toast(error.message),
    onSettled: () => queries.invalidateQueries({ queryKey: ['jobs', start.kind] }),
  });
  if (!mayRun) return null;
  return (
    <Button size="xs" loading={run.isPending} onClick={() => run.mutate()}>
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

/** How many orders the report does not have, because they are archived. */
function Archived({ result }: Pick<JobDetailView, 'result'>): ReactNode {
  const t = useT();
  const { archived_orders: orders = 0 } = (result ?? {}) as { archived_orders?: number };
  return orders > 0 && <p className="muted">{t('report.archived', { count: orders })}</p>;
}

/** What was run before. */
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
            <Verdict job={job} />
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

/** What was asked for, as people say it; what has no words of its own is shown as it is. */
function paramsInWords(params: JobView['params'], t: Translate, language: string, zone: string): string[] {
  return Object.entries(params).map(([name, value]) => {
    const text = String(value);
    if (name === 'by') return t.maybe(`report.by.${text}`) ?? text;
    if (/^\d{4}-\d\d-\d\d$/.test(text)) return formatDay(text, language, 'UTC');
    if (/^\d{4}-\d\d-\d\dT/.test(text)) return formatDay(text, language, zone);
    return text;
  });
}

/** What a job found, where it looked at something; else how it ended. */
export function Verdict({ job: { ok, state } }: { job: JobView }): ReactNode {
  return <Status of={ok === null ? state : ok ? 'in_order' : 'not_in_order'} />;
}
