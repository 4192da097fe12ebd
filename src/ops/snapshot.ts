import type { Database, Queryable, Statement } from '../database/database.js';

const BEGIN: Statement = {
  name: 'snapshot.begin',
  text: 'SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY',
};

/** Runs statements that all see the same moment, whatever the running processes write meanwhile. */
export function atOneMoment<Result>(
  database: Database,
  read: (tx: Queryable) => Promise<Result>,
): Promise<Result> {
  return database.transaction(async (tx) => {
    await tx.query(BEGIN);
    return read(tx);
  });
}
