import { AppError } from '../../core/errors.js';
import type { Logger } from '../../core/logger.js';
import { recordAction, type Actor, type AuditRecord } from '../../audit-log/audit-log.js';
import type { Database, Transaction } from '../../database/database.js';
import { hasPermission, type Permission } from '../roles.js';
import type { JobDatabase } from './job-database.js';
import type { JobKind } from './job.entity.js';
import type { Ending, JobsRepository, NewJob, Progress } from './jobs.repository.js';

/** A job to carry out, with the permission that its operator must have until the job ends. */
export interface JobRequest extends NewJob {
  permission: Permission;
  /** Names of parameters that depend on the time of the request: a repeated request may have other values for them. */
  timeDependent?: readonly string[] | undefined;
  /** The audit log's entry at the start; absent if the work itself writes to the audit log. */
  entry?: { by: Actor; record: AuditRecord } | undefined;
}

/** Lets the work report progress and check that it may go on. */
interface JobContext {
  /** @throws JobStopped when the job must end. */
  report: (done: number, total?: number | null, step?: string | null) => void;
  /** Call it in each transaction that writes: it locks the operator's account until commit. @throws JobStopped */
  assertMay: (tx: Transaction) => Promise<void>;
}

interface JobResult {
  /** Whether the check passed; null for a job that checks nothing. */
  ok: boolean | null;
  result: object;
}

export type JobWork = (job: JobContext) => Promise<JobResult>;

/** The job ends before its work is done. */
class JobStopped extends Error {
  constructor(
    readonly state: 'cancelled' | 'interrupted',
    reason: string,
  ) {
    super(reason);
  }
}

interface Parts {
  /** The main pool. Progress is committed there, so that the pages show it while the job runs. */
  pages: Database;
  jobs: JobsRepository;
  database: JobDatabase;
  logger: Logger;
}

const CHECK_EVERY_MS = 1_000;
const LOST_PERMISSION = 'the operator who started it no longer has the permission';

/** Carries out one job. A transaction stays open until the job is over, and holds the lock of the job's kind. */
export class JobRun {
  /** Resolves when the job is over, also after a failure. */
  readonly ended: Promise<void>;
  /** The id, once the job has begun. Rejects with CONFLICT while another job of its kind runs. */
  readonly begun: Promise<number>;
  private id = 0;
  private stopped: JobStopped | undefined;
  private progress: Progress = { done: 0, total: null, step: null };
  private written: Progress = this.progress;
  private lockPid = 0;
  private isChecking = false;
  /** True once the work has ended. Then the job still writes its result and releases its lock. */
  isOver = false;

  constructor(
    private readonly parts: Parts,
    private readonly request: JobRequest,
    private readonly work: JobWork,
  ) {
    let over: Promise<void> = Promise.resolve();
    this.begun = new Promise((resolve, reject) => {
      over = parts.database
        .transaction((guard) => this.carryOut(guard, resolve))
        .catch((error: unknown) => this.failed(error, reject));
    });
    this.ended = over;
  }

  get kind(): JobKind {
    return this.request.kind;
  }

  /** Ends the job soon, and its running statements at once. */
  async stop(state: JobStopped['state'], reason: string): Promise<void> {
    this.stopped ??= new JobStopped(state, reason);
    const { database, jobs, logger } = this.parts;
    await jobs
      .cancelStatements(database.applicationName, this.lockPid)
      .catch((error: unknown) => logger.warn({ err: error }, 'statements of a job could not be cancelled'));
  }

  /** Writes the progress and checks whether the job must end. Runs every second. */
  private async check(guard: Transaction): Promise<void> {
    if (this.isChecking) return;
    this.isChecking = true;
    try {
      const { cancel_asked: isCancelRequested, active, role } = await this.parts.jobs.standing(guard, this.id);
      if (isCancelRequested) await this.stop('cancelled', 'it was cancelled');
      else if (!active || !hasPermission(role, this.request.permission)) await this.stop('cancelled', LOST_PERMISSION);
    } catch (error) {
      this.parts.logger.warn({ err: error, job: this.id }, 'a job could not check its lock, and ends');
      await this.stop('interrupted', 'its connection to the database was lost');
    }
    await this.writeProgress();
    this.isChecking = false;
  }

  /** A failure does not end the job: the next run writes the progress. */
  private async writeProgress(): Promise<void> {
    const { progress } = this;
    if (this.written === progress) return;
    try {
      await this.parts.jobs.writeProgress(this.id, progress);
      this.written = progress;
    } catch (error) {
      this.parts.logger.warn({ err: error, job: this.id }, 'the progress of a job could not be written');
    }
  }

  /** Must not throw once the job has begun: the caller might repeat a failed transaction. */
  private async carryOut(guard: Transaction, begun: (id: number) => void): Promise<void> {
    const { jobs, logger } = this.parts;
    const { kind } = this.request;
    const lock = await jobs.acquireLock(guard, kind);
    if (!lock) throw isRunning(kind);
    this.lockPid = lock.pid;
    this.id = await this.write();
    begun(this.id);
    const timer = setInterval(() => void this.check(guard), CHECK_EVERY_MS);
    try {
      const ending = await this.outcome();
      this.isOver = true;
      await jobs.finish(this.id, ending);
    } catch (error) {
      // The next reader finds the lock free and marks the job as interrupted.
      logger.error({ err: error, job: this.id }, 'the end of a job could not be written');
    } finally {
      clearInterval(timer);
    }
  }

  private write(): Promise<number> {
    const { pages, jobs } = this.parts;
    const { entry } = this.request;
    return pages.transaction((tx) => {
      if (entry) recordAction(tx, entry.by, entry.record);
      return jobs.insert(tx, this.request);
    });
  }

  private async outcome(): Promise<Ending> {
    try {
      const { ok, result } = await this.work({ report: this.report, assertMay: this.assertMay });
      return this.ending('succeeded', { ok, result });
    } catch (error) {
      const stopped = error instanceof JobStopped ? error : this.stopped;
      if (stopped) return this.ending(stopped.state, { error: stopped.message });
      this.parts.logger.warn({ err: error, job: this.id, kind: this.kind }, 'a job failed');
      const words = error instanceof AppError ? error.message : 'the job failed: see the log of the console';
      return this.ending('failed', { error: words });
    }
  }

  private ending(state: Ending['state'], rest: Partial<Ending>): Ending {
    const { done, total } = this.progress;
    return { state, ok: null, result: null, error: null, done, total, ...rest };
  }

  private readonly report: JobContext['report'] = (done, total = null, step = null) => {
    this.progress = { done, total, step };
    if (this.stopped) throw this.stopped;
  };

  private readonly assertMay: JobContext['assertMay'] = async (tx) => {
    if (this.stopped) throw this.stopped;
    const { active, role } = await this.parts.jobs.lockOperator(tx, this.request.operatorId);
    if (active && hasPermission(role, this.request.permission)) return;
    throw new JobStopped('cancelled', LOST_PERMISSION);
  };

  private failed(error: unknown, reject: (error: unknown) => void): void {
    if (this.id !== 0)
      this.parts.logger.warn({ err: error, job: this.id }, 'the transaction that holds the lock of a job failed');
    reject(error);
  }
}

export const isRunning = (kind: JobKind): AppError =>
  new AppError('CONFLICT', `A job of the kind ${kind} is running: wait for it, or cancel it`);
