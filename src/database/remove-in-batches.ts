import { setTimeout as delay } from 'node:timers/promises';
import { statement, type ParameterizedStatement } from './parameters.js';

const BATCH = 1_000;
/** Between batches, so that removing hardly slows orders. */
const PAUSE_MS = 100;

/**
 * Removes rows in small batches until a batch is not full, or the process stops. Rows that were locked then may remain.
 * @param removeSome removes at most `limit` rows and returns how many it removed.
 * @returns how many rows it removed.
 */
export async function removeInBatches(
  removeSome: (limit: number) => Promise<number>,
  stop: AbortSignal,
): Promise<number> {
  for (let total = 0; ; await delay(PAUSE_MS)) {
    const removed = await removeSome(BATCH);
    total += removed;
    if (removed < BATCH || stop.aborted) return total;
  }
}

/**
 * A statement that removes the oldest rows of a table, at most `limit`, if they are older than `days`. Skips rows that
 * another worker has locked. If the database's clock is past `clockLimit`, as one that was set forward by mistake, ages are measured at
 * `clockLimit` instead.
 * With null, they are measured by the clock alone.
 * @param key the columns of the primary key. @param time the column that says how old a row is.
 */
export const removalOfOld = (
  table: string,
  key: string,
  time: string,
): ParameterizedStatement<{ days: 'int'; limit: 'int'; clockLimit: 'timestamptz?' }> =>
  statement(
    `${table}.remove_old`,
    { days: 'int', limit: 'int', clockLimit: 'timestamptz?' },
    ({ days, limit, clockLimit }) => `
      DELETE FROM ${table} WHERE (${key}) IN (
        SELECT ${key} FROM ${table}
        WHERE ${time} < least(statement_timestamp(), ${clockLimit}) - make_interval(days => ${days})
        ORDER BY ${time} LIMIT ${limit} FOR UPDATE SKIP LOCKED)
      RETURNING ${time}`,
  );
