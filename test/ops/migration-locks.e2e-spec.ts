import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import type { QueryRunner } from 'typeorm';
import { replaceIndexConcurrently } from '../../src/database/concurrent-index.js';
import { FairShares1763900000014 } from '../../src/database/migrations/1763900000014-fair-shares.js';
import { LastPauses1763900000030 } from '../../src/database/migrations/1763900000030-last-pauses.js';
import { ProbesInFlight1763900000031 } from '../../src/database/migrations/1763900000031-probes-in-flight.js';
import { OffersOff1763900000032 } from '../../src/database/migrations/1763900000032-offers-off.js';
import { isLockTimeout } from '../../src/core/postgres-errors.js';
import { whileLocked } from '../support/locks.js';
import { asMigration } from '../support/partitioning.js';
import { TestStack } from '../support/stack.js';

let stack: TestStack;

beforeAll(async () => {
  stack = await TestStack.start({}, { worker: false });
});
afterAll(() => stack.close());

/** Repeats a statement on a table, as orders do, until the work is over. It may never wait for a second. */
async function repeatingUntil(work: Promise<unknown>, statement: string): Promise<void> {
  let isOver = false;
  const over = work.finally(() => (isOver = true));
  const client = new pg.Client(stack.config.DATABASE_URL);
  await client.connect();
  try {
    await client.query(`SET lock_timeout = '1s'`);
    while (!isOver) await client.query(statement);
  } finally {
    await over;
    await client.end();
  }
}

const WRITE_UNITS = 'UPDATE order_units SET claim = claim WHERE false';
const READ_SUPPLIERS = 'SELECT FROM suppliers';
const READ_OFFERS = 'SELECT FROM supplier_offers';

describe('while a backup reads a table, no order waits for long behind a migration', () => {
  it.each<[what: string, table: string, statement: string, migrate: (runner: QueryRunner) => Promise<void>]>([
    ['adds a column', 'order_units', WRITE_UNITS, (runner) => new FairShares1763900000014().up(runner)],
    [
      'replaces an index',
      'order_units',
      WRITE_UNITS,
      (runner) => replaceIndexConcurrently(runner, 'ix_order_units_due', 'order_units', '(item)'),
    ],
    ['adds last pauses', 'suppliers', READ_SUPPLIERS, (runner) => new LastPauses1763900000030().up(runner)],
    ['adds probes in flight', 'suppliers', READ_SUPPLIERS, (runner) => new ProbesInFlight1763900000031().up(runner)],
    ['adds when offers went off', 'supplier_offers', READ_OFFERS, (runner) => new OffersOff1763900000032().up(runner)],
  ])('that %s: it gives up, for the process to try again', async (_what, table, statement, migrate) => {
    await whileLocked(stack, `LOCK TABLE ${table} IN ACCESS SHARE MODE`, async () => {
      const failed = asMigration(stack, migrate).then(
        () => null,
        (error: unknown) => error,
      );
      await repeatingUntil(failed, statement);
      expect(isLockTimeout(await failed)).toBe(true);
    });
  });
});
