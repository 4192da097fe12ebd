import type { components } from '../../schema';

type Schemas = components['schemas'];
export type JobView = Schemas['JobDto'];
export type JobDetailView = Schemas['JobDetailDto'];
export type JobKind = JobView['kind'];
export type ReportKind = Schemas['StartJobDto']['kind'];
export type StartJob = Schemas['StartJobDto'];
export type DailyResult = Schemas['DailyReportDto'];
export type MarginResult = Schemas['MarginReportDto'];
export type SupplierResult = Schemas['SupplierReportDto'];
export type AuditResult = Schemas['AuditResultDto'];

/** The parameters of a job. An undefined one matches any value. */
export type Params = Readonly<Record<string, string | undefined>>;

/** The newest job with these parameters. */
export const latestOf = (jobs: readonly JobView[], params: Params): JobView | undefined =>
  jobs.find((job) =>
    Object.entries(params).every(([name, value]) => value === undefined || job.params[name] === value),
  );

/** When the first of the latest uninterrupted green audits started. Null when the last audit was not green. */
export function greenSince(jobs: readonly JobView[]): string | null {
  const done = jobs.filter(({ state }) => state === 'succeeded');
  const red = done.findIndex(({ ok }) => ok === false);
  const green = red === -1 ? done : done.slice(0, red);
  return green.at(-1)?.started_at ?? null;
}
