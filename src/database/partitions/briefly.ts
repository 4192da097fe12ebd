import { setTimeout as delay } from 'node:timers/promises';
import type { Run } from './runs.js';

/** How long this may wait for locks, with other transactions behind it. Shorter than PostgreSQL's deadlock timeout. */
const MAX_WAIT_MS = 250;
const PAUSE_MS = 2_000;
/** With the pauses, three minutes. */
const MANY_ATTEMPTS = 90;
/** PostgreSQL's codes for a statement that timed out, a lock that did, and a deadlock. */
const WAITED = new Set(['57014', '55P03', '40P01']);

/** A transaction reads or writes the tables for minutes: most likely a backup. */
export class LocksNotFree extends Error {
  constructor(tables: string) {
    super(
      `the locks of ${tables} are not free: a transaction has been open for long, such as that of a backup. ` +
        'Try again when it has ended',
    );
  }
}

/** The level of an error in the log: locks become free, but other causes, such as a missing right, last until an operator acts. */
export const levelOf = (error: unknown): 'warn' | 'error' => (error instanceof LocksNotFree ? 'warn' : 'error');

/**
 * Works in a transaction that locks these tables for itself. It waits for the locks for a quarter of a second, in which
 * other transactions wait behind it, then lets those go first for two seconds and tries again.
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

/** The first lock lets orders go on. It ends a running autovacuum, which takes a second to yield, and keeps others from starting. */
async function lock(run: Run, tables: string): Promise<void> {
  await run('SET LOCAL lock_timeout = 0');
  await run(`LOCK TABLE ${tables} IN SHARE UPDATE EXCLUSIVE MODE`);
  await run(`SET LOCAL statement_timeout = ${MAX_WAIT_MS}`);
  await run(`LOCK TABLE ${tables} IN ACCESS EXCLUSIVE MODE`);
  await run('SET LOCAL statement_timeout = 0');
}
