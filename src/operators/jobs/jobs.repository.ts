import { Injectable } from '@nestjs/common';
import { present } from '../../core/invariant.js';
import { Database, type Queryable, type Transaction } from '../../database/database.js';
import { Operator } from '../operator.entity.js';
import type { Job, JobKind, JobState } from './job.entity.js';
import * as sql from './jobs.sql.js';
import type { JobRow, Standing } from './jobs.sql.js';

export type { JobRow, Standing } from './jobs.sql.js';

/** How far a job is. */
export interface Progress {
  done: number;
  total: number | null;
  step: string | null;
}

/** A job as it begins. */
export interface NewJob {
  kind: JobKind;
  /** In words of the wire. */
  params: object;
  operatorId: number;
  /** What the operator's page calls the request: under one name it starts one job. */
  idempotencyKey?: string | null | undefined;
}

/** A job with what was asked for. */
export type StartedJob = Pick<Job, 'id' | 'kind' | 'params'>;

/** How a job ended. */
export interface Ending extends Pick<Progress, 'done' | 'total'> {
  state: Exclude<JobState, 'running'>;
  ok: boolean | null;
  result: object | null;
  error: string | null;
}

@Injectable()
export class JobsRepository {
  constructor(private readonly database: Database) {}

  /** Takes the lock of a kind for as long as a transaction is open. @returns undefined where another has it. */
  async takeLock(tx: Transaction, kind: JobKind): Promise<{ pid: number } | undefined> {
    tx.write(sql.STAY_OPEN);
    const [lock] = await tx.query<{ taken: boolean; pid: number }>(...sql.TRY_LOCK.with({ kind }));
    return lock?.taken ? lock : undefined;
  }

  async markInterrupted(): Promise<void> {
    await this.database.query(sql.MARK_INTERRUPTED);
  }

  /** Removes those of more than a year ago besides. */
  async insert(
    tx: Transaction,
    { kind, params, operatorId, idempotencyKey = null }: NewJob,
  ): Promise<number> {
    tx.write(sql.REMOVE_OLD);
    const values = { kind, params: JSON.stringify(params), operatorId, idempotencyKey };
    const [job] = await tx.query<Pick<Job, 'id'>>(...sql.INSERT_JOB.with(values));
    return present(job, 'a job was written').id;
  }

  /** The job that a request of this operator's page has started. */
  async findByKey(operatorId: number, idempotencyKey: string): Promise<StartedJob | undefined> {
    const [job] = await this.database.query<StartedJob>(
      ...sql.FIND_BY_KEY.with({ operatorId, idempotencyKey }),
    );
    return job;
  }

  /** Whether one of the kind runs, as far as the table says. */
  async isRunning(kind: JobKind): Promise<boolean> {
    const [row] = await this.database.query<{ is_running: boolean }>(...sql.IS_RUNNING.with({ kind }));
    return row?.is_running ?? false;
  }

  async standing(source: Queryable, id: number): Promise<Standing> {
    const [standing] = await source.query<Standing>(...sql.FIND_STANDING.with({ id }));
    return present(standing, 'a job and its operator are there');
  }

  /** An operator, who does not change until the transaction ends. */
  lockOperator({ manager }: Transaction, id: number): Promise<Pick<Operator, 'active' | 'role'>> {
    return manager.findOneOrFail(Operator, { where: { id }, lock: { mode: 'pessimistic_read' } });
  }

  async writeProgress(id: number, progress: Progress): Promise<void> {
    await this.database.query(...sql.WRITE_PROGRESS.with({ id, ...progress }));
  }

  async finish(id: number, { result, ...ending }: Ending): Promise<void> {
    const text = result === null ? null : JSON.stringify(result);
    await this.database.query(...sql.FINISH_JOB.with({ id, ...ending, result: text }));
  }

  /** @returns whether it was running, and nobody had asked before. */
  async askToCancel(tx: Transaction, id: number): Promise<boolean> {
    return (await tx.query(...sql.ASK_TO_CANCEL.with({ id }))).length > 0;
  }

  async find(id: number): Promise<(JobRow & Pick<Job, 'result'>) | undefined> {
    const [job] = await this.database.query<JobRow & Pick<Job, 'result'>>(...sql.FIND_JOB.with({ id }));
    return job;
  }

  /** Newest first, without their results. */
  list(kinds: JobKind[], before: number, limit: number): Promise<JobRow[]> {
    return this.database.query<JobRow>(...sql.LIST_JOBS.with({ kinds, before, limit }));
  }

  /** Ends what PostgreSQL is at under this name. @param but the process that is left alone. */
  async cancelStatements(applicationName: string, but: number): Promise<void> {
    await this.database.query(...sql.CANCEL_STATEMENTS.with({ applicationName, but }));
  }
}
