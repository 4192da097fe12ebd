import { randomBytes } from 'node:crypto';
import pg from 'pg';

/** The database with the whole schema and no rows. */
export const templateName = 'topup_template';

/** A database of one test. */
export interface TestDatabase {
  url: string;
  /** Removes it, and ends its open connections. */
  drop(): Promise<void>;
}

/** The databases that are there, each with what has to end before it is removed. */
const ends = new Map<string, (() => Promise<unknown>)[]>();

/** Calls `end` before a test's database is removed. @returns false if no test has this database now. */
export function beforeDrop(url: string | undefined, end: () => Promise<unknown>): boolean {
  const others = ends.get(url ?? '');
  others?.push(end);
  return others !== undefined;
}

/** A new database with the whole schema and no rows, copied from the template in some tens of milliseconds. */
export const createTestDatabase = (): Promise<TestDatabase> => createDatabase(templateName);

/** A new, empty database. */
export const createEmptyDatabase = (): Promise<TestDatabase> => createDatabase('template0');

async function createDatabase(template: string): Promise<TestDatabase> {
  const adminUrl = process.env.TEST_POSTGRES_URL;
  if (adminUrl === undefined) throw new Error('TEST_POSTGRES_URL is not set: run the tests with `npm test`.');
  const name = `test_${process.pid}_${randomBytes(6).toString('hex')}`;
  await administer(adminUrl, `CREATE DATABASE ${name} TEMPLATE ${template} STRATEGY file_copy`);
  const url = databaseUrl(adminUrl, name);
  ends.set(url, []);
  const drop = async (): Promise<void> => {
    const toEnd = ends.get(url) ?? [];
    ends.delete(url);
    await Promise.all(toEnd.map((end) => end()));
    await administer(adminUrl, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
  };
  return { url, drop };
}

/** The URL of another database on the same server. */
export function databaseUrl(serverUrl: string, name: string): string {
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return url.href;
}

async function administer(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
