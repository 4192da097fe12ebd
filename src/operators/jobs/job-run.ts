import { AppError } from '../../core/errors.js';
import type { Logger } from '../../core/logger.js';
import { recordAction, type Actor, type AuditRecord } from '../../audit-log/audit-log.js';
import type { Database, Transaction } from '../../database/database.js';
import { hasPermission, type Permission } from '../roles.js';
import type { JobDatabase } from './job-database.js';
import type { JobKind } from './job.entity.js';
import type { Ending, JobsRepository, NewJob, Progress } from './jobs.repository.js';

/** What is to be done, for whom, and what they must be allowed to do for as long as it takes. */
export interface JobOrder extends NewJob {
  permission: Permission;
  /** The entry of the operators' log that begins it; absent where its work logs what it does. */
  log?: { by: Actor; record: AuditRecord } | undefined;
}

/** What work is given to say how far it is, and to ask whether it may go on. */
export interface JobContext {
  /** @throws JobStopped when the job is to end. */
  report: (done: number, total?: number | null, step?: string | null) => void;
  /** For a transaction that changes something: its operator's account stays as it is until that ends. @throws JobStopped */
  assertMay: (tx: Transaction) => Promise<void>;
}

export interface JobResult {
  /** Whether what was looked at is in order; null where nothing was. */
  ok: boolean | null;
  result: object;
}

export type JobWork = (job: JobContext) => Promise<JobResult>;

/** Why a job ended before it was done. */
class JobStopped extends Error {
  constructor(
    readonly state: 'cancelled' | 'interrupted',
    reason: string,
  ) {
    super(reason);
  }
}

interface Parts {
  /** The pages' connections, by which others see how far a job is. */
  pages: Database;
  jobs: JobsRepository;
  database: JobDatabase;
  logger: Logger;
}

const LOOK_EVERY_MS = 1_000;
const NO_LONGER = 'the operator who started it may not do this any more';

/** One job from its begin to its end. A transaction that is open all the while holds the lock of its kind. */
export class JobRun {
  /** Once it is over, whatever came of it. */
  readonly ended: Promise<void>;
  private readonly begun: Promise<number>;
  private id = 0;
  private stopped: JobStopped | undefined;
  private progress: Progress = { done: 0, total: null, step: null };
  private written: Progress = this.progress;
  private lockPid = 0;
  private isLooking = false;
  /** It is over but for the end of its transaction. */
  isOver = false;

  constructor(
    private readonly parts: Parts,
    private readonly order: JobOrder,
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
    return this.order.kind;
  }

  /** Its id, once it has begun. @throws CONFLICT while another of its kind runs. */
  whenBegun(): Promise<number> {
    return this.begun;
  }

  /** Ends it soon: what PostgreSQL is at for it, at once. */
  async stop(state: JobStopped['state'], reason: string): Promise<void> {
    this.stopped ??= new JobStopped(state, reason);
    const { database, jobs, logger } = this.parts;
    await jobs
      .cancelStatements(database.applicationName, this.lockPid)
      .catch((error: unknown) => logger.warn({ err: error }, 'no cancellation'));
  }

  /** Looks whether it is to end, and says how far it is. Every second by itself. */
  private async look(guard: Transaction): Promise<void> {
    if (this.isLooking) return;
    this.isLooking = true;
    try {
      const { cancel_asked: isAsked, active, role } = await this.parts.jobs.standing(guard, this.id);
      if (isAsked) await this.stop('cancelled', 'it was cancelled');
      else if (!active || !hasPermission(role, this.order.permission)) await this.stop('cancelled', NO_LONGER);
      if (this.written !== this.progress) {
        this.written = this.progress;
        await this.parts.jobs.writeProgress(this.id, this.written);
      }
    } catch (error) {
      this.parts.logger.warn({ err: error, job: this.id }, 'a job lost its lock');
      await this.stop('interrupted', 'its connection to the database was lost');
    } finally {
      this.isLooking = false;
    }
  }

  /** Throws nothing once the job has begun: a transaction that fails might be tried again. */
  private async carryOut(guard: Transaction, begun: (id: number) => void): Promise<void> {
    const { jobs, logger } = this.parts;
    const { kind } = this.order;
    const lock = await jobs.takeLock(guard, kind);
    if (!lock) throw isRunning(kind);
    this.lockPid = lock.pid;
    this.id = await this.write();
    begun(this.id);
    const timer = setInterval(() => void this.look(guard), LOOK_EVERY_MS);
    try {
      const ending = await this.outcome();
      this.isOver = true;
      await jobs.finish(this.id, ending);
    } catch (error) {
      // Whoever looks next finds that nobody has the lock.
      logger.error({ err: error, job: this.id }, 'how a job ended could not be written');
    } finally {
      clearInterval(timer);
    }
  }

  private write(): Promise<number> {
    const { pages, jobs } = this.parts;
    const { log } = this.order;
    return pages.transaction((tx) => {
      if (log) recordAction(tx, log.by, log.record);
      return jobs.insert(tx, this.order);
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
      const words = error instanceof AppError ? error.message : 'it failed: the log of the console says why';
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
    const { active, role } = await this.parts.jobs.lockOperator(tx, this.order.operatorId);
    if (active && hasPermission(role, this.order.permission)) return;
    throw new JobStopped('cancelled', NO_LONGER);
  };

  private failed(error: unknown, reject: (error: unknown) => void): void {
    if (this.id !== 0) this.parts.logger.warn({ err: error, job: this.id }, 'a job lost its lock');
    reject(error);
  }
}

const isRunning = (kind: JobKind): AppError =>
  new AppError('CONFLICT', `A job of the kind ${kind} is running: wait for it, or cancel it`);
