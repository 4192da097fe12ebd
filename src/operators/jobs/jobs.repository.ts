import { Injectable } from '@nestjs/common';
import { present } from '../../core/invariant.js';
import { Database, type Queryable, type Statement, type Transaction } from '../../database/database.js';
import { statement } from '../../database/parameters.js';
import { Operator } from '../operator.entity.js';
import type { Role } from '../roles.js';
import { Job, type JobKind, type JobState } from './job.entity.js';

/** First key of the advisory locks, unique among ours. The second key is the kind. */
const JOB_LOCKS = 7_038_171;

/** A job with the operator who started it. */
export type JobRow = Omit<Job, 'result' | 'idempotency_key'> & { operator: string; operator_name: string };

/** The facts that decide whether a job may continue: the operator's current account, and a request to cancel the job. */
export interface Standing {
  cancel_asked: boolean;
  active: boolean;
  role: Role;
}

/** Keeps PostgreSQL from ending the idle transaction that holds the lock. */
const STAY_OPEN: Statement = {
  name: 'console_jobs.stay_open',
  text: `SELECT set_config('idle_in_transaction_session_timeout', '0', true)`,
};

/** The lock is released at the end of the transaction. */
const TRY_LOCK = statement(
  'console_jobs.try_lock',
  { kind: 'text' },
  ({ kind }) => `
    SELECT pg_try_advisory_xact_lock(${JOB_LOCKS}, hashtext(${kind})) AS taken, pg_backend_pid() AS pid`,
);

/**
 * Marks a running job as interrupted if the lock of its kind is free: the job's process has ended, or has lost the
 * lock.
 */
const MARK_INTERRUPTED: Statement = {
  name: 'console_jobs.mark_interrupted',
  text: `
    WITH running AS MATERIALIZED (SELECT id, kind FROM console_jobs WHERE state = 'running'),
    dead AS MATERIALIZED (
      SELECT id FROM running WHERE pg_try_advisory_xact_lock(${JOB_LOCKS}, hashtext(kind)))
    UPDATE console_jobs j SET state = 'interrupted', ended_at = statement_timestamp(),
      error = 'its process ended, or lost its connection, before the job ended'
    FROM dead WHERE j.id = dead.id AND j.state = 'running'`,
};

const REMOVE_OLD: Statement = {
  name: 'console_jobs.remove_old',
  text: `DELETE FROM console_jobs WHERE ended_at < statement_timestamp() - interval '1 year'`,
};

const INSERT_JOB = statement(
  'console_jobs.insert',
  { kind: 'text', params: 'text', operatorId: 'int', idempotencyKey: 'text?' },
  ({ kind, params, operatorId, idempotencyKey }) => `
    INSERT INTO console_jobs (kind, params, operator_id, idempotency_key, created_at)
    VALUES (${kind}, ${params}::jsonb, ${operatorId}, ${idempotencyKey}, statement_timestamp()) RETURNING id`,
);

const FIND_STANDING = statement(
  'console_jobs.find_standing',
  { id: 'int' },
  ({ id }) => `
    SELECT j.cancel_asked, o.active, o.role FROM console_jobs j JOIN operators o ON o.id = j.operator_id
    WHERE j.id = ${id}`,
);

const ROW = `j.id, j.kind, j.params, j.state, j.operator_id, j.cancel_asked, j.done, j.total, j.step, j.ok, j.error,
  j.created_at, j.ended_at, o.email AS operator, o.name AS operator_name`;

const FIND_JOB = statement(
  'console_jobs.find',
  { id: 'int' },
  ({ id }) => `
    SELECT ${ROW}, j.result FROM console_jobs j JOIN operators o ON o.id = j.operator_id WHERE j.id = ${id}`,
);

/** Newest first. */
const LIST_JOBS = statement(
  'console_jobs.list',
  { kinds: 'text[]', before: 'int', limit: 'int' },
  ({ kinds, before, limit }) => `
    SELECT ${ROW} FROM console_jobs j JOIN operators o ON o.id = j.operator_id
    WHERE j.kind = ANY(${kinds}) AND j.id < ${before} ORDER BY j.id DESC LIMIT ${limit}`,
);

/** Cancels running statements of the connections with this application name. Spares the connection that holds the lock. */
const CANCEL_STATEMENTS = statement(
  'console_jobs.cancel_statements',
  { applicationName: 'text', but: 'int' },
  ({ applicationName, but }) => `
    SELECT pg_cancel_backend(pid) FROM pg_stat_activity
    WHERE application_name = ${applicationName} AND pid <> ${but} AND state = 'active'`,
);

/** Progress of a job. */
export interface Progress {
  done: number;
  total: number | null;
  step: string | null;
}

/** A job to be stored. */
export interface NewJob {
  kind: JobKind;
  /** Named as in JSON. */
  params: object;
  operatorId: number;
  /** Chosen by the page: repeated requests with one key start one job. */
  idempotencyKey?: string | null | undefined;
}

/** A job with its parameters. */
export type StartedJob = Pick<Job, 'id' | 'kind' | 'params'>;

/** The end of a job. */
export interface Ending extends Pick<Progress, 'done' | 'total'> {
  state: Exclude<JobState, 'running'>;
  ok: boolean | null;
  result: object | null;
  error: string | null;
}

@Injectable()
export class JobsRepository {
  constructor(private readonly database: Database) {}

  /** Acquires the lock of a kind until the transaction ends. @returns undefined if another job has it. */
  async acquireLock(tx: Transaction, kind: JobKind): Promise<{ pid: number } | undefined> {
    tx.write(STAY_OPEN);
    const [lock] = await tx.query<{ taken: boolean; pid: number }>(...TRY_LOCK.with({ kind }));
    return lock?.taken ? lock : undefined;
  }

  async markInterrupted(): Promise<void> {
    await this.database.query(MARK_INTERRUPTED);
  }

  /** Also removes jobs that are older than a year. */
  async insert(tx: Transaction, { kind, params, operatorId, idempotencyKey = null }: NewJob): Promise<number> {
    tx.write(REMOVE_OLD);
    const values = { kind, params: JSON.stringify(params), operatorId, idempotencyKey };
    const [job] = await tx.query<Pick<Job, 'id'>>(...INSERT_JOB.with(values));
    return present(job, 'a job was written').id;
  }

  /** Finds the job that an earlier request with this key started. */
  async findByKey(operatorId: number, idempotencyKey: string): Promise<StartedJob | undefined> {
    const where = { operator_id: operatorId, idempotency_key: idempotencyKey };
    const select = { id: true, kind: true, params: true } as const;
    return (await this.database.manager.findOne(Job, { select, where })) ?? undefined;
  }

  /** Whether the table has a running job of the kind. The job's process may have ended. */
  isRunning(kind: JobKind): Promise<boolean> {
    return this.database.manager.existsBy(Job, { kind, state: 'running' });
  }

  async standing(source: Queryable, id: number): Promise<Standing> {
    const [standing] = await source.query<Standing>(...FIND_STANDING.with({ id }));
    return present(standing, 'a job and its operator are there');
  }

  /** Locks an operator's account until the transaction ends. */
  lockOperator({ manager }: Transaction, id: number): Promise<Pick<Operator, 'active' | 'role'>> {
    return manager.findOneOrFail(Operator, { where: { id }, lock: { mode: 'pessimistic_read' } });
  }

  async writeProgress(id: number, progress: Progress): Promise<void> {
    await this.database.manager.update(Job, { id, state: 'running' }, { ...progress });
  }

  async finish(id: number, { result, ...ending }: Ending): Promise<void> {
    const change = { ...ending, result: result && { ...result }, step: null, ended_at: () => 'statement_timestamp()' };
    await this.database.manager.update(Job, { id, state: 'running' }, change);
  }

  /** @returns false if the job has ended or was already cancelled. */
  async requestCancel(tx: Transaction, id: number): Promise<boolean> {
    const { affected } = await tx.manager.update(
      Job,
      { id, state: 'running', cancel_asked: false },
      { cancel_asked: true },
    );
    return affected === 1;
  }

  async find(id: number): Promise<(JobRow & Pick<Job, 'result'>) | undefined> {
    const [job] = await this.database.query<JobRow & Pick<Job, 'result'>>(...FIND_JOB.with({ id }));
    return job;
  }

  /** Newest first, without results. */
  list(kinds: JobKind[], before: number, limit: number): Promise<JobRow[]> {
    return this.database.query<JobRow>(...LIST_JOBS.with({ kinds, before, limit }));
  }

  /** Cancels running statements with this application name. @param but the PostgreSQL process to spare. */
  async cancelStatements(applicationName: string, but: number): Promise<void> {
    await this.database.query(...CANCEL_STATEMENTS.with({ applicationName, but }));
  }
}
