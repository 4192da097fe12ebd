import type { Database, Queryable, Statement } from '../database/database.js';

const BEGIN: Statement = {
  name: 'snapshot.begin',
  text: 'SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY',
};

/** Reading all of a large book takes longer than anything that a request may do. */
const NO_TIMEOUT: Statement = { name: 'snapshot.no_timeout', text: 'SET LOCAL statement_timeout = 0' };

/** Runs statements that all see the same moment, whatever the running processes write meanwhile. */
export function atOneMoment<Result>(
  database: Database,
  read: (tx: Queryable) => Promise<Result>,
): Promise<Result> {
  return database.transaction(async (tx) => {
    await tx.query(BEGIN);
    await tx.query(NO_TIMEOUT);
    return read(tx);
  });
}

const PATIENCE_MS = 3_600_000;

/** A statement that reads a whole book, with its own deadline instead of the pool's. */
export const patient = (statement: Statement): Statement & { query_timeout: number } => ({
  ...statement,
  query_timeout: PATIENCE_MS,
});
