import { setTimeout as delay } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { Inject, Injectable, type BeforeApplicationShutdown } from '@nestjs/common';
import { recordAction, type Actor } from '../../audit-log/audit-log.js';
import { LOGGER } from '../../core/core.module.js';
import { withDeadline } from '../../core/durations.js';
import { AppError, notFound } from '../../core/errors.js';
import type { Logger } from '../../core/logger.js';
import { Database } from '../../database/database.js';
import { JobDatabase } from './job-database.js';
import { isRunning, JobRun, type JobRequest, type JobWork } from './job-run.js';
import { JobsRepository, type StartedJob } from './jobs.repository.js';

const STOPS_WITHIN_MS = 4_000;
/** The waits between checks for a job that another process is starting, and the number of checks. */
const CHECK_EVERY_MS = 50;
const CHECKS = 20;

/** Runs jobs: one at a time in a process, and one of each kind over all processes. */
@Injectable()
export class JobRunner implements BeforeApplicationShutdown {
  private current: JobRun | undefined;

  constructor(
    private readonly database: Database,
    private readonly own: JobDatabase,
    private readonly jobs: JobsRepository,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** @returns the id, once the job has begun. @throws CONFLICT while this process runs a job, or another one runs this kind. */
  async start(request: JobRequest, work: JobWork): Promise<number> {
    if (this.current?.isOver) await this.current.ended;
    if (this.current) {
      const { kind } = this.current;
      // Wait until the running job is in the table, so that the caller finds it there.
      await this.current.begun.catch(() => undefined);
      throw isRunning(kind);
    }
    if (this.database.isOpen) this.own.open();
    const run = new JobRun(
      { pages: this.database, jobs: this.jobs, database: this.own, logger: this.logger },
      request,
      async (job) => work(job),
    );
    this.current = run;
    void run.ended.then(() => (this.current = undefined));
    return run.begun;
  }

  /** Like {@link start}, but a repeated request starts no second job. @throws CONFLICT also for the key of another request. */
  async startOnce(request: JobRequest, work: JobWork): Promise<number> {
    await this.jobs.markInterrupted();
    const earlier = await this.findStarted(request);
    if (earlier !== null) return earlier;
    try {
      return await this.start(request, work);
    } catch (error) {
      const now = await this.startedMeanwhile(request);
      if (now === null) throw error;
      return now;
    }
  }

  /** Returns the job that the same request started earlier, or null. @throws CONFLICT for the key of another request. */
  async findStarted(request: JobRequest): Promise<number | null> {
    const { operatorId, idempotencyKey: key } = request;
    const job = key ? await this.jobs.findByKey(operatorId, key) : undefined;
    if (job && !isFor(job, request)) throw new AppError('CONFLICT', 'Idempotency-Key was used for something else');
    return job?.id ?? null;
  }

  /** If the same request arrives twice at once, the lock of the kind lets only one of the two start a job. The other waits for it. */
  private async startedMeanwhile(request: JobRequest): Promise<number | null> {
    if (!request.idempotencyKey) return null;
    for (let check = 0; check < CHECKS; check++) {
      const isThere = this.current !== undefined || (await this.jobs.isRunning(request.kind));
      const started = await this.findStarted(request);
      if (started !== null || isThere) return started;
      await delay(CHECK_EVERY_MS);
    }
    return null;
  }

  /**
   * Makes the job's process end the job. Running statements are cancelled within two seconds; a call to a supplier ends first.
   * @throws NOT_FOUND; CONFLICT if the job has ended or was cancelled.
   */
  async cancel(id: number, by: Actor): Promise<void> {
    const job = await this.jobs.find(id);
    if (!job) throw notFound('job');
    await this.database.transaction(async (tx) => {
      if (!(await this.jobs.requestCancel(tx, id)))
        throw new AppError('CONFLICT', 'The job has ended, or is already ending');
      recordAction(tx, by, { action: 'job.cancel', detail: { job: id, kind: job.kind } });
    });
  }

  async beforeApplicationShutdown(): Promise<void> {
    const { current } = this;
    if (!current) return;
    await current.stop('interrupted', 'the console was stopped');
    await withDeadline(current.ended, STOPS_WITHIN_MS).catch(() => undefined);
  }
}

/** Whether a job was started with the same kind and parameters, apart from the `timeDependent` ones. */
function isFor(job: StartedJob, { kind, params, timeDependent = [] }: JobRequest): boolean {
  const lasting = (all: object): object =>
    Object.fromEntries(
      Object.entries(all).filter(
        ([name, value]) => value !== undefined && value !== null && !timeDependent.includes(name),
      ),
    );
  return job.kind === kind && isDeepStrictEqual(lasting(job.params), lasting(params));
}
