import { Button } from '@mantine/core';
import { useMutation, useQueryClient, type UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { ask, client } from '../../api';
import { useT, useWords } from '../../i18n/words';
import { EVERY, usePolled } from '../../kit/live';
import { Age, Ago } from '../../kit/moment';
import { Status } from '../../kit/status';
import { toast, toastFailure } from '../../kit/toasts';
import { useMay, type Permission } from '../../session';
import type { JobDetailView, JobKind, JobView } from './job-view';
import classes from './job-banner.module.css';

const RUN_PERMISSIONS: Record<JobKind, Permission> = {
  replay: 'webhooks.replay',
  daily_report: 'reports.run',
  supplier_report: 'reports.run',
  margin_report: 'reports.run',
  audit: 'audit.run',
};

/** A job with its result. Refreshes while the job runs. */
export function useJob(id: string | undefined): UseQueryResult<JobDetailView> {
  return usePolled({
    queryKey: ['job', id],
    queryFn: ({ signal }) => ask(() => client.GET('/api/jobs/{id}', { params: { path: { id: Number(id) } }, signal })),
    every: (job) => (job === undefined || job.state === 'running' ? EVERY.openOrder : null),
    enabled: id !== undefined,
  });
}

/** The state of the job in the address. */
export function JobBanner({ id }: { id: string }): ReactNode {
  const { data: job, error } = useJob(id);
  if (error) return <p className={classes.banner}>{error.message}</p>;
  return job && <JobState job={job} />;
}

/** The progress or the end of a job. Operators who may start such a job may also cancel it. */
export function JobState({ job }: { job: JobView }): ReactNode {
  const { t, language } = useWords();
  const { done, total, step } = job.progress;
  const isRunning = job.state === 'running';
  const count = done.toLocaleString(language);
  return (
    <section className={classes.banner} aria-label={t(`job.${job.kind}`)}>
      <div className={classes.line} role="status">
        <strong>{t(`job.${job.kind}`)}</strong>
        <Status of={job.state} />
        {(isRunning || job.kind === 'replay') && total !== null && (
          <span className="number">{t('job.doneOf', { done: count, total: total.toLocaleString(language) })}</span>
        )}
        {step !== null && <span className="muted">{step}</span>}
        {job.error !== null && <span>{job.error}</span>}
      </div>
      {isRunning && <Bar done={done} total={total} label={t(`job.${job.kind}`)} />}
      <div className={`${classes.line} muted`}>
        <span>
          {t('job.by', { name: job.operator.name })} · <Ago at={job.started_at} /> ·{' '}
          <Age from={job.started_at} to={job.ended_at} />
        </span>
        {isRunning && <Cancel job={job} />}
      </div>
    </section>
  );
}

function Bar({ done, total, label }: { done: number; total: number | null; label: string }): ReactNode {
  if (total === null) return <progress className={classes.bar} aria-label={label} />;
  return <progress className={classes.bar} aria-label={label} value={done} max={Math.max(total, 1)} />;
}

function Cancel({ job: { id, kind } }: { job: JobView }): ReactNode {
  const t = useT();
  const queries = useQueryClient();
  const mayRun = useMay(RUN_PERMISSIONS[kind]);
  const cancel = useMutation({
    mutationFn: () => ask(() => client.DELETE('/api/jobs/{id}', { params: { path: { id } } })),
    onSuccess: () => toast(t('job.cancelling')),
    onError: (error) => toastFailure(error),
    onSettled: () => queries.invalidateQueries({ queryKey: ['job', String(id)] }),
  });
  if (!mayRun) return null;
  return (
    <Button
      className={classes.end}
      size="compact-xs"
      variant="default"
      loading={cancel.isPending}
      onClick={() => cancel.mutate()}
    >
      {t('job.cancel')}
    </Button>
  );
}
