import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { dataSourceOptions } from '../../ormconfig.js';
import { createEmptyDatabase, type TestDatabase } from '../support/database.js';

let database: TestDatabase;

beforeAll(async () => {
  database = await createEmptyDatabase();
});

afterAll(() => database.drop());

/** How many migrations the database says were applied. */
async function applied(): Promise<number> {
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  try {
    const { rows } = await client.query<{ count: number }>(
      'SELECT count(*)::int AS count FROM schema_migrations',
    );
    return rows[0]?.count ?? NaN;
  } finally {
    await client.end();
  }
}

/** Runs the program to its end. @throws with its exit code and what it said, where that is not 0 */
const migrate = (env: Record<string, string>): Promise<{ stdout: string }> =>
  promisify(execFile)(process.execPath, ['dist/src/migrate.js'], { env });

describe('the program that migrates', () => {
  it('brings an empty database up to date with DATABASE_URL alone, however many do so at once', async () => {
    const ended = await Promise.all([
      migrate({ DATABASE_URL: database.url }),
      migrate({ DATABASE_URL: database.url }),
    ]);
    ended.push(await migrate({ DATABASE_URL: database.url }));
    for (const { stdout } of ended) expect(stdout).toContain('the schema is up to date');
    expect(await applied()).toBe((dataSourceOptions('postgres://').migrations as unknown[]).length);
  });

  it('ends with 1 and says why where its settings are wrong', async () => {
    await expect(migrate({ DATABASE_URL: 'mysql://db' })).rejects.toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining('DATABASE_URL must be set to a postgres:// connection string'),
    });
  });
});
