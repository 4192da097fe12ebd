import type { Statement, Transaction } from './database.js';
import type { ReadServer } from './replica-reads.service.js';

const BEGIN: Statement = {
  name: 'snapshot.begin',
  text: 'SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY',
};

/** Reading a whole large table takes longer than a request may, and needs plans that requests must not use. */
const WHOLE_TABLES: Statement = {
  name: 'snapshot.whole_book',
  text: `SELECT set_config('statement_timeout', '0', true), set_config('enable_hashjoin', 'on', true),
                set_config('enable_mergejoin', 'on', true), set_config('enable_seqscan', 'on', true),
                set_config('max_parallel_workers_per_gather', '2', true)`,
};

/**
 * For a range of ids of a large table. Like {@link WHOLE_TABLES}, but without nested loops: PostgreSQL would wrongly choose them
 * while its statistics lack the newest rows. PostgreSQL plans each range separately, and compiles nothing.
 */
const ID_RANGE: Statement = {
  name: 'snapshot.batch',
  text: `SELECT set_config('statement_timeout', '0', true), set_config('enable_hashjoin', 'on', true),
                set_config('enable_mergejoin', 'on', true), set_config('enable_seqscan', 'on', true),
                set_config('enable_nestloop', 'off', true), set_config('plan_cache_mode', 'force_custom_plan', true),
                set_config('jit', 'off', true), set_config('work_mem', '32MB', true),
                set_config('max_parallel_workers_per_gather', '2', true)`,
};

const snapshot =
  (...settings: Statement[]) =>
  <Result>(server: ReadServer, read: (tx: Transaction) => Promise<Result>): Promise<Result> =>
    server.transaction(async (tx) => {
      for (const each of [BEGIN, ...settings]) await tx.query(each);
      return read(tx);
    });

/** Runs statements that all see the same moment, even while other processes write. */
export const inSnapshot = snapshot(WHOLE_TABLES);

/** Like {@link inSnapshot}, but for statements that find rows by index. Keeps the usual time limit and plans. */
export const inIndexedSnapshot = snapshot();

/** Like {@link inSnapshot}, but for one of many ranges of ids. Each range has its own snapshot, so no transaction is long. */
export const inBatchSnapshot = snapshot(ID_RANGE);

const LONG_TIMEOUT_MS = 3_600_000;

/** Gives a statement that reads whole tables a deadline of its own instead of the pool's. */
export const withLongTimeout = (statement: Statement): Statement & { query_timeout: number } => ({
  ...statement,
  query_timeout: LONG_TIMEOUT_MS,
});
