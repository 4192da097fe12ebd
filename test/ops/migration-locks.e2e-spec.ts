import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import type { QueryRunner } from 'typeorm';
import { replaceIndexConcurrently } from '../../src/database/concurrent-index.js';
import { FairShares1763900000014 } from '../../src/database/migrations/1763900000014-fair-shares.js';
import { isLockTimeout } from '../../src/core/postgres-errors.js';
import { whileLocked } from '../support/locks.js';
import { asMigration } from '../support/partitioning.js';
import { TestStack } from '../support/stack.js';

let stack: TestStack;

beforeAll(async () => {
  stack = await TestStack.start({}, { worker: false });
});
afterAll(() => stack.close());

/** Writes into `order_units` again and again, as orders do, until the work is over. None of the writes may wait for a second. */
async function writingUntil(work: Promise<unknown>): Promise<void> {
  let isOver = false;
  const over = work.finally(() => (isOver = true));
  const client = new pg.Client(stack.config.DATABASE_URL);
  await client.connect();
  try {
    await client.query(`SET lock_timeout = '1s'`);
    while (!isOver) await client.query('UPDATE order_units SET claim = claim WHERE false');
  } finally {
    await over;
    await client.end();
  }
}

describe('while a backup reads the units, no order waits for long behind a migration', () => {
  it.each<[string, (runner: QueryRunner) => Promise<void>]>([
    ['adds a column', (runner) => new FairShares1763900000014().up(runner)],
    ['replaces an index', (runner) => replaceIndexConcurrently(runner, 'ix_order_units_due', 'order_units', '(item)')],
  ])('that %s: it gives up, for the process to try again', async (_what, migrate) => {
    await whileLocked(stack, 'LOCK TABLE order_units IN ACCESS SHARE MODE', async () => {
      const failed = asMigration(stack, migrate).then(
        () => null,
        (error: unknown) => error,
      );
      await writingUntil(failed);
      expect(isLockTimeout(await failed)).toBe(true);
    });
  });
});
