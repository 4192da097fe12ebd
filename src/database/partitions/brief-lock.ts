import { setTimeout as delay } from 'node:timers/promises';
import type { Execute } from './runs.js';

/**
 * How long {@link withBriefLock} may wait for exclusive locks. It is short, because other transactions wait behind the
 * request, and it is shorter than PostgreSQL's deadlock timeout.
 */
const MAX_WAIT_MS = 250;
const PAUSE_MS = 2_000;
/** With the pauses between them, these tries last at least three minutes. */
const MAX_TRIES = 90;
/** PostgreSQL's codes for a statement timeout, a lock timeout and a deadlock. */
const WAITED = new Set(['57014', '55P03', '40P01']);

/** Another transaction kept the tables locked during every try. After many tries, that is most likely a backup. */
export class LocksNotFree extends Error {
  constructor(tables: string) {
    super(
      `the locks of ${tables} are not free: a transaction has been open for long, such as that of a backup. ` +
        'Try again when it has ended',
    );
  }
}

/**
 * Returns the log level of an error. Locks become free by themselves. Other causes, such as a missing right, usually last
 * until an operator acts.
 */
export const levelOf = (error: unknown): 'warn' | 'error' => (error instanceof LocksNotFree ? 'warn' : 'error');

/**
 * Runs `work` in a transaction that has these tables for itself. Other transactions wait behind its request for
 * exclusive locks. So each try gives up the request after a quarter of a second, and lets the others go first for two
 * seconds.
 * @param work must be repeatable: it runs again after a timeout or a deadlock in it.
 * @throws LocksNotFree after `maxTries`, and other errors of `work` at once.
 */
export async function withBriefLock<Result>(
  execute: Execute,
  tables: string,
  work: () => Promise<Result>,
  maxTries = MAX_TRIES,
): Promise<Result> {
  for (let tries = 1; tries <= maxTries; tries++) {
    await execute('BEGIN');
    try {
      await lock(execute, tables);
      const result = await work();
      await execute('COMMIT');
      return result;
    } catch (error) {
      // After a lost connection, the first error says more.
      await execute('ROLLBACK').catch(() => undefined);
      if (!WAITED.has((error as { code?: string }).code ?? '')) throw error;
    }
    if (tries < maxTries) await delay(PAUSE_MS);
  }
  throw new LocksNotFree(tables);
}

/**
 * Autovacuum yields its lock only after a second. The first lock waits for that without blocking orders, and then keeps
 * autovacuum away.
 */
async function lock(execute: Execute, tables: string): Promise<void> {
  await execute('SET LOCAL lock_timeout = 0');
  await execute(`LOCK TABLE ${tables} IN SHARE UPDATE EXCLUSIVE MODE`);
  await execute(`SET LOCAL statement_timeout = ${MAX_WAIT_MS}`);
  await execute(`LOCK TABLE ${tables} IN ACCESS EXCLUSIVE MODE`);
  await execute('SET LOCAL statement_timeout = 0');
}
