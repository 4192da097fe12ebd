import type { Statement, Transaction } from './database.js';
import type { ReadServer } from './replica-reads.service.js';

const BEGIN: Statement = {
  name: 'snapshot.begin',
  text: 'SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY',
};

/** Reading all of a large book takes longer than anything that a request may do, and goes by other ways than an index. */
const WHOLE_BOOK: Statement = {
  name: 'snapshot.whole_book',
  text: `SELECT set_config('statement_timeout', '0', true), set_config('enable_hashjoin', 'on', true),
                set_config('enable_mergejoin', 'on', true), set_config('enable_seqscan', 'on', true),
                set_config('max_parallel_workers_per_gather', '2', true)`,
};

/** Runs statements that all see the same moment, whatever the running processes write meanwhile. */
export function inSnapshot<Result>(server: ReadServer, read: (tx: Transaction) => Promise<Result>): Promise<Result> {
  return server.transaction(async (tx) => {
    await tx.query(BEGIN);
    await tx.query(WHOLE_BOOK);
    return read(tx);
  });
}

/** The same for what is found by index, in the time that any other statement has. */
export function inIndexedSnapshot<Result>(
  server: ReadServer,
  read: (tx: Transaction) => Promise<Result>,
): Promise<Result> {
  return server.transaction(async (tx) => {
    await tx.query(BEGIN);
    return read(tx);
  });
}

/**
 * For a piece of a book that is found by a range of ids: as above, but never row by row, whatever the statistics say of its
 * newest rows. Plans are made for the very range, and are not worth being compiled.
 */
const PIECE: Statement = {
  name: 'snapshot.piece',
  text: `SELECT set_config('statement_timeout', '0', true), set_config('enable_hashjoin', 'on', true),
                set_config('enable_mergejoin', 'on', true), set_config('enable_seqscan', 'on', true),
                set_config('enable_nestloop', 'off', true), set_config('plan_cache_mode', 'force_custom_plan', true),
                set_config('jit', 'off', true), set_config('work_mem', '32MB', true),
                set_config('max_parallel_workers_per_gather', '2', true)`,
};

/** The same for one of many pieces, each of which sees a moment of its own, so that no transaction stays open for long. */
export function inPieceSnapshot<Result>(
  server: ReadServer,
  read: (tx: Transaction) => Promise<Result>,
): Promise<Result> {
  return server.transaction(async (tx) => {
    await tx.query(BEGIN);
    await tx.query(PIECE);
    return read(tx);
  });
}

const LONG_TIMEOUT_MS = 3_600_000;

/** A statement that reads a whole book, with its own deadline instead of the pool's. */
export const withLongTimeout = (statement: Statement): Statement & { query_timeout: number } => ({
  ...statement,
  query_timeout: LONG_TIMEOUT_MS,
});
