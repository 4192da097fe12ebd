import type { Job } from '../../operators/jobs/job.entity.js';
import type { JobRow } from '../../operators/jobs/jobs.repository.js';
import type { JobDetailDto, JobDto } from './job.dto.js';

export const toJobDto = (job: JobRow): JobDto => ({
  id: job.id,
  kind: job.kind,
  params: job.params as JobDto['params'],
  state: job.state,
  ok: job.ok,
  operator: { email: job.operator, name: job.operator_name },
  progress: { done: job.done, total: job.total, step: job.step },
  error: job.error,
  started_at: job.created_at.toISOString(),
  ended_at: job.ended_at?.toISOString() ?? null,
});

export const toJobDetailDto = (job: JobRow & Pick<Job, 'result'>): JobDetailDto => ({
  ...toJobDto(job),
  result: job.result as JobDetailDto['result'],
});
