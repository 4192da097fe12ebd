import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { DataSource } from 'typeorm';
import { dataSourceOptions } from '../../ormconfig.js';
import { replaceIndexConcurrently } from '../../src/database/concurrent-index.js';
import { FOR_MIGRATIONS } from '../../src/database/connections.js';
import { SilentLogger } from '../../src/database/schema.service.js';
import { isLockTimeout } from '../../src/core/postgres-errors.js';
import { createEmptyDatabase } from '../support/database.js';
import { whileLocked } from '../support/locks.js';
import { asMigration } from '../support/partitioning.js';
import { TestStack } from '../support/stack.js';

let stack: TestStack;

beforeAll(async () => {
  stack = await TestStack.start({}, { worker: false });
});
afterAll(() => stack.close());

/**
 * How long a migration would wait for a lock if it did not shorten this time itself: longer than requests do here. Both times are
 * so long that a busy machine can't change which of them ends first.
 */
const NOT_SHORTENED_MS = 200_000;
const REQUESTS_WAIT_MS = 60_000;

/**
 * Repeats a statement, as requests do, until the work is over.
 * @returns the error of the work, or null. @throws if the statement waits for too long.
 */
async function repeatingUntil(work: Promise<unknown>, url: string, statement: string): Promise<unknown> {
  let isOver = false;
  const over = work.then(
    () => null,
    (error: unknown) => error,
  );
  void over.then(() => (isOver = true));
  const client = new pg.Client(url);
  await client.connect();
  try {
    await client.query(`SET lock_timeout = ${REQUESTS_WAIT_MS}`);
    while (!isOver) await client.query(statement);
  } finally {
    await over;
    await client.end();
  }
  return over;
}

const migrations = (dataSourceOptions('postgres://').migrations as (new () => object)[]).sort((one, other) =>
  one.name.slice(-13).localeCompare(other.name.slice(-13)),
);

describe('while a backup reads the tables, no request waits for long behind a change of the schema', () => {
  it('because each migration gives its locks up early, for the process to try again', async () => {
    const database = await createEmptyDatabase();
    try {
      for (let count = 1; count <= migrations.length; count++) {
        const source = await new DataSource({
          ...dataSourceOptions(database.url, {
            driver: pg,
            extra: { ...FOR_MIGRATIONS, lock_timeout: NOT_SHORTENED_MS },
          }),
          migrations: migrations.slice(0, count),
          logger: new SilentLogger(),
        }).initialize();
        await migrateBesideBackup(source, database.url);
        await source.runMigrations();
        await source.destroy();
      }
    } finally {
      await database.drop();
    }
  });

  /** Fails if a reader of any table waits for long. */
  async function migrateBesideBackup(source: DataSource, url: string): Promise<void> {
    const tables = await source.query<{ name: string }[]>(
      `SELECT oid::regclass::text AS name FROM pg_class
       WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND relname <> 'schema_migrations'`,
    );
    const names = tables.map(({ name }) => name);
    if (names.length === 0) return;
    await whileLocked(
      { config: { DATABASE_URL: url } },
      `LOCK TABLE ${names.join(', ')} IN ACCESS SHARE MODE`,
      async () => {
        const error = await repeatingUntil(
          source.runMigrations(),
          url,
          names.map((name) => `SELECT FROM ${name} LIMIT 1`).join(';'),
        );
        expect(error === null || isLockTimeout(error)).toBe(true);
      },
    );
  }

  it('because the replacement of an index gives its lock up early', async () => {
    await whileLocked(stack, 'LOCK TABLE order_units IN ACCESS SHARE MODE', async () => {
      const replaced = asMigration(stack, async (runner) => {
        await runner.query(`SET lock_timeout = ${NOT_SHORTENED_MS}`);
        await replaceIndexConcurrently(runner, 'ix_order_units_due', 'order_units', '(item)');
      });
      const error = await repeatingUntil(
        replaced,
        stack.config.DATABASE_URL,
        'UPDATE order_units SET claim = claim WHERE false',
      );
      expect(isLockTimeout(error)).toBe(true);
    });
  });
});
