import { setTimeout as delay } from 'node:timers/promises';
import type { Run } from './runs.js';

/** How long others may wait behind us for locks that we wait for. Less than PostgreSQL takes to look for deadlocks. */
const MAX_WAIT_MS = 250;
const PAUSE_MS = 2_000;
/** Three minutes. */
const MANY_ATTEMPTS = 90;
/** What PostgreSQL says of a statement that took too long, or waited too long, or in a circle. */
const WAITED = new Set(['57014', '55P03', '40P01']);

/** Somebody reads or writes the tables for minutes on end: a backup, most likely. */
export class LocksNotFree extends Error {
  constructor(tables: string) {
    super(
      `the locks of ${tables} are not free: a transaction has been open for long, such as that of a backup. ` +
        'Try again when it has ended',
    );
  }
}

/** How to log it: locks are free again soon; anything else, such as a role that may not do it, goes on until it is mended. */
export const levelOf = (error: unknown): 'warn' | 'error' => (error instanceof LocksNotFree ? 'warn' : 'error');

/**
 * Works in a transaction that nobody else reads or writes these tables beside. Whoever does is waited for, for a quarter of a
 * second in all, in which others wait behind us; and then again, after they had their time.
 */
export async function briefly<Result>(
  run: Run,
  tables: string,
  work: () => Promise<Result>,
  maxAttempts = MANY_ATTEMPTS,
): Promise<Result> {
  for (let attempt = 1; attempt <= maxAttempts; attempt++) {
    await run('BEGIN');
    try {
      await lock(run, tables);
      const result = await work();
      await run('COMMIT');
      return result;
    } catch (error) {
      await run('ROLLBACK');
      if (!WAITED.has((error as { code?: string }).code ?? '')) throw error;
    }
    await delay(PAUSE_MS);
  }
  throw new LocksNotFree(tables);
}

/** First a lock that ends an autovacuum, and keeps others away, while orders go on: it is given up only after a second. */
async function lock(run: Run, tables: string): Promise<void> {
  await run('SET LOCAL lock_timeout = 0');
  await run(`LOCK TABLE ${tables} IN SHARE UPDATE EXCLUSIVE MODE`);
  await run(`SET LOCAL statement_timeout = ${MAX_WAIT_MS}`);
  await run(`LOCK TABLE ${tables} IN ACCESS EXCLUSIVE MODE`);
  await run('SET LOCAL statement_timeout = 0');
}
