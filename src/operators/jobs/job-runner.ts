import { Inject, Injectable, type BeforeApplicationShutdown } from '@nestjs/common';
import { recordAction, type Actor } from '../../audit-log/audit-log.js';
import { LOGGER } from '../../core/core.module.js';
import { withDeadline } from '../../core/deadline.js';
import { AppError, notFound } from '../../core/errors.js';
import type { Logger } from '../../core/logger.js';
import { Database } from '../../database/database.js';
import { JobDatabase } from './job-database.js';
import { JobRun, type JobOrder, type JobWork } from './job-run.js';
import { JobsRepository } from './jobs.repository.js';

const STOPS_WITHIN_MS = 4_000;

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
  async start(order: JobOrder, work: JobWork): Promise<number> {
    if (this.current?.isOver) await this.current.ended;
    if (this.current) {
      const { kind } = this.current;
      // Wait until the running job is in the table, so that the caller finds it there.
      await this.current.whenBegun().catch(() => undefined);
      throw new AppError('CONFLICT', `A job of the kind ${kind} is running: wait for it, or cancel it`);
    }
    if (this.database.isOpen) this.own.open();
    const run = new JobRun(
      { pages: this.database, jobs: this.jobs, database: this.own, logger: this.logger },
      order,
      async (job) => work(job),
    );
    this.current = run;
    void run.ended.then(() => (this.current = undefined));
    return run.whenBegun();
  }

  /** Whether this process runs a job. */
  get isBusy(): boolean {
    return this.current !== undefined;
  }

  /** Makes the job's process end the job within two seconds. @throws NOT_FOUND; CONFLICT if it has ended or was cancelled. */
  async cancel(id: number, by: Actor): Promise<void> {
    const job = await this.jobs.find(id);
    if (!job) throw notFound('job');
    await this.database.transaction(async (tx) => {
      if (!(await this.jobs.askToCancel(tx, id)))
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
