import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { dataSourceOptions } from '../../ormconfig.js';
import { MIGRATION_LOCK } from '../../src/database/schema.service.js';
import { createEmptyDatabase } from '../support/database.js';
import { eventually } from '../support/eventually.js';

/** `MIGRATE_ROUNDS=200` looks for rare failures. */
const ROUNDS = Array.from({ length: Number(process.env.MIGRATE_ROUNDS ?? '1') }, (_, index) => index + 1);

/** The number of migrations that the database has recorded. */
async function applied(url: string): Promise<number> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    const { rows } = await client.query<{ count: number }>('SELECT count(*)::int AS count FROM schema_migrations');
    return rows[0]?.count ?? NaN;
  } finally {
    await client.end();
  }
}

/** Runs the program to its end. @throws with exit code and output, if the code is not 0 */
const migrate = (env: Record<string, string>): Promise<{ stdout: string }> =>
  promisify(execFile)(process.execPath, ['dist/src/migrate.js'], { env });

describe('the program that migrates', () => {
  it.each(ROUNDS)(
    'brings an empty database up to date with DATABASE_URL alone, at the first attempt of three at once (%i)',
    async () => {
      const database = await createEmptyDatabase();
      const { url } = database;
      try {
        const atOnce = Array.from({ length: 3 }, () => migrate({ DATABASE_URL: url }));
        const ended = [...(await Promise.all(atOnce)), await migrate({ DATABASE_URL: url })];
        for (const { stdout } of ended) {
          expect(stdout).toContain('the schema is up to date');
          // The program logs each failure before it retries. A busy PostgreSQL may let it wait for a connection.
          const failures = stdout.split('\n').filter((line) => /"level":"(warn|error)"/.test(line));
          expect(failures.filter((line) => !line.includes('"waiting for PostgreSQL"'))).toEqual([]);
        }
        expect(await applied(url)).toBe((dataSourceOptions('postgres://').migrations as unknown[]).length);
      } finally {
        await database.drop();
      }
    },
  );

  it('polls for the lock without an open transaction, because an index build would wait for that', async () => {
    const database = await createEmptyDatabase();
    const { url } = database;
    const other = new pg.Client(url);
    await other.connect();
    await other.query(`SELECT pg_advisory_lock(${MIGRATION_LOCK})`);
    const migrating = migrate({ DATABASE_URL: url });
    const waiting = async (): Promise<{ xact_start: Date | null }[]> => {
      const { rows } = await other.query<{ xact_start: Date | null }>(
        `SELECT xact_start FROM pg_stat_activity
         WHERE datname = current_database() AND pid <> pg_backend_pid() AND query ~ 'advisory|ROLLBACK'`,
      );
      return rows;
    };
    try {
      const [found] = await eventually(waiting, ([each]) => each?.xact_start === null);
      expect(found).toEqual({ xact_start: null });
    } finally {
      // The lock ends with its connection, and the migration begins.
      await other.end();
      await migrating;
      await database.drop();
    }
  });

  it('ends with 1 and the reason if its settings are wrong', async () => {
    await expect(migrate({ DATABASE_URL: 'mysql://db' })).rejects.toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining('DATABASE_URL must be set to a postgres:// connection string'),
    });
  });
});
