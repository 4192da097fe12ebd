import { statement } from '../../database/parameters.js';
import type { Statement } from '../../database/database.js';
import type { Role } from '../roles.js';
import type { Job } from './job.entity.js';

/** The first half of the advisory locks' keys: arbitrary, but unique among ours. The second is the kind. */
const JOB_LOCKS = 7_038_171;

/** A job with who started it. */
export type JobRow = Omit<Job, 'result' | 'idempotency_key'> & { operator: string; operator_name: string };

/** Whether a job may go on: who started it, as they are now, and whether somebody wants it to end. */
export interface Standing {
  cancel_asked: boolean;
  active: boolean;
  role: Role;
}

/** Keeps the kind's lock as long as its transaction is open, however long nothing is asked in it. */
export const STAY_OPEN: Statement = {
  name: 'console_jobs.stay_open',
  text: `SELECT set_config('idle_in_transaction_session_timeout', '0', true)`,
};

/** Until the end of the transaction. */
export const TRY_LOCK = statement(
  'console_jobs.try_lock',
  { kind: 'text' },
  ({ kind }) => `
    SELECT pg_try_advisory_xact_lock(${JOB_LOCKS}, hashtext(${kind})) AS taken, pg_backend_pid() AS pid`,
);

/** Jobs that run according to the table while nobody has the lock of their kind. */
export const MARK_INTERRUPTED: Statement = {
  name: 'console_jobs.mark_interrupted',
  text: `
    WITH running AS MATERIALIZED (SELECT id, kind FROM console_jobs WHERE state = 'running'),
    dead AS MATERIALIZED (
      SELECT id FROM running WHERE pg_try_advisory_xact_lock(${JOB_LOCKS}, hashtext(kind)))
    UPDATE console_jobs j SET state = 'interrupted', ended_at = statement_timestamp(),
      error = 'its process ended before it did'
    FROM dead WHERE j.id = dead.id AND j.state = 'running'`,
};

export const REMOVE_OLD: Statement = {
  name: 'console_jobs.remove_old',
  text: `DELETE FROM console_jobs WHERE ended_at < statement_timestamp() - interval '1 year'`,
};

export const INSERT_JOB = statement(
  'console_jobs.insert',
  { kind: 'text', params: 'text', operatorId: 'int', idempotencyKey: 'text?' },
  ({ kind, params, operatorId, idempotencyKey }) => `
    INSERT INTO console_jobs (kind, params, operator_id, idempotency_key, created_at)
    VALUES (${kind}, ${params}::jsonb, ${operatorId}, ${idempotencyKey}, statement_timestamp()) RETURNING id`,
);

export const FIND_BY_KEY = statement(
  'console_jobs.find_by_key',
  { operatorId: 'int', idempotencyKey: 'text' },
  ({ operatorId, idempotencyKey }) => `
    SELECT id, kind, params FROM console_jobs WHERE operator_id = ${operatorId} AND idempotency_key = ${idempotencyKey}`,
);

export const IS_RUNNING = statement(
  'console_jobs.is_running',
  { kind: 'text' },
  ({ kind }) => `
    SELECT EXISTS (SELECT FROM console_jobs WHERE kind = ${kind} AND state = 'running') AS is_running`,
);

export const FIND_STANDING = statement(
  'console_jobs.find_standing',
  { id: 'int' },
  ({ id }) => `
    SELECT j.cancel_asked, o.active, o.role FROM console_jobs j JOIN operators o ON o.id = j.operator_id
    WHERE j.id = ${id}`,
);

export const WRITE_PROGRESS = statement(
  'console_jobs.write_progress',
  { id: 'int', done: 'int', total: 'int?', step: 'text?' },
  ({ id, done, total, step }) => `
    UPDATE console_jobs SET done = ${done}, total = ${total}, step = ${step}
    WHERE id = ${id} AND state = 'running'`,
);

export const FINISH_JOB = statement(
  'console_jobs.finish',
  {
    ...({ id: 'int', state: 'text', ok: 'boolean?', result: 'text?', error: 'text?' } as const),
    ...({ done: 'int', total: 'int?' } as const),
  },
  ({ id, state, ok, result, error, done, total }) => `
    UPDATE console_jobs SET state = ${state}, ok = ${ok}, result = ${result}::jsonb, error = ${error},
      done = ${done}, total = ${total}, step = NULL, ended_at = statement_timestamp()
    WHERE id = ${id} AND state = 'running'`,
);

export const ASK_TO_CANCEL = statement(
  'console_jobs.ask_to_cancel',
  { id: 'int' },
  ({ id }) => `
    UPDATE console_jobs SET cancel_asked = true WHERE id = ${id} AND state = 'running' AND NOT cancel_asked
    RETURNING id`,
);

const ROW = `j.id, j.kind, j.params, j.state, j.operator_id, j.cancel_asked, j.done, j.total, j.step, j.ok, j.error,
  j.created_at, j.ended_at, o.email AS operator, o.name AS operator_name`;

export const FIND_JOB = statement(
  'console_jobs.find',
  { id: 'int' },
  ({ id }) => `
    SELECT ${ROW}, j.result FROM console_jobs j JOIN operators o ON o.id = j.operator_id WHERE j.id = ${id}`,
);

/** Newest first. */
export const LIST_JOBS = statement(
  'console_jobs.list',
  { kinds: 'text[]', before: 'int', limit: 'int' },
  ({ kinds, before, limit }) => `
    SELECT ${ROW} FROM console_jobs j JOIN operators o ON o.id = j.operator_id
    WHERE j.kind = ANY(${kinds}) AND j.id < ${before} ORDER BY j.id DESC LIMIT ${limit}`,
);

/** What our other connections are at under a name, ends as if it had taken too long. */
export const CANCEL_STATEMENTS = statement(
  'console_jobs.cancel_statements',
  { applicationName: 'text', but: 'int' },
  ({ applicationName, but }) => `
    SELECT pg_cancel_backend(pid) FROM pg_stat_activity
    WHERE application_name = ${applicationName} AND pid <> ${but} AND state = 'active'`,
);
