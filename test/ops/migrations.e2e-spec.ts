import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { DataSource } from 'typeorm';
import { dataSourceOptions } from '../../ormconfig.js';
import { EARLIER_MIGRATIONS, LAST_IN_PLACE } from '../../src/database/earlier-migrations.js';
import { SchemaService } from '../../src/database/schema.service.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { eventually } from '../support/eventually.js';
import { whileLocked } from '../support/locks.js';
import { TestStack } from '../support/stack.js';

/** The parts of a schema, one line each. `NOT VALID` is left out, because a step back does not validate rows again. */
const CATALOG = `
  WITH tables AS (SELECT oid, relname FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r')
  SELECT format('column %s.%s %s %s %s', relname, attname, format_type(atttypid, atttypmod), attnotnull,
                pg_get_expr(adbin, adrelid)) AS line
  FROM tables JOIN pg_attribute ON attrelid = tables.oid AND attnum > 0 AND NOT attisdropped
  LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum
  UNION ALL
  SELECT format('constraint %s.%s %s', relname, conname, replace(pg_get_constraintdef(c.oid), ' NOT VALID', ''))
  FROM tables JOIN pg_constraint c ON conrelid = tables.oid
  UNION ALL
  SELECT format('index %s %s', pg_get_indexdef(indexrelid), reloptions)
  FROM tables JOIN pg_index ON indrelid = tables.oid JOIN pg_class i ON i.oid = indexrelid
  UNION ALL
  SELECT format('trigger %s', pg_get_triggerdef(t.oid)) FROM tables JOIN pg_trigger t ON tgrelid = tables.oid
  WHERE NOT tgisinternal
  UNION ALL
  SELECT format('view %s %s', viewname, definition) FROM pg_views WHERE schemaname = 'public'
  UNION ALL
  SELECT format('function %s', pg_get_functiondef(oid)) FROM pg_proc WHERE pronamespace = 'public'::regnamespace
  ORDER BY line`;

/** The tables that TypeORM makes before the first migration, and that exist again before the last step back. */
const OF_TYPEORM = /schema_migrations|^(column|constraint) typeorm_metadata/;

let database: TestDatabase;

beforeAll(async () => {
  database = await createTestDatabase();
});

afterAll(() => database.drop());

const migrations = (dataSourceOptions('postgres://').migrations as (new () => object)[]).sort((one, other) =>
  one.name.slice(-13).localeCompare(other.name.slice(-13)),
);

/** Works on the test's database like a version of the service with the first `count` migrations. */
async function withMigrations<Result>(count: number, work: (source: DataSource) => Promise<Result>): Promise<Result> {
  const options = dataSourceOptions(database.url);
  const source = await new DataSource({ ...options, migrations: migrations.slice(0, count) }).initialize();
  try {
    return await work(source);
  } finally {
    await source.destroy();
  }
}

async function catalog(source: DataSource): Promise<string[]> {
  const lines = await source.query<{ line: string }[]>(CATALOG);
  return lines.map(({ line }) => line).filter((line) => !OF_TYPEORM.test(line));
}

describe('the migrations', () => {
  it('build the schema step by step, and each step back restores the schema from before', async () => {
    const catalogs: string[][] = [[]];
    await withMigrations(0, (source) => source.query('DROP SCHEMA public CASCADE; CREATE SCHEMA public'));
    for (let count = 1; count <= migrations.length; count++) {
      await withMigrations(count, async (source) => {
        expect(await source.runMigrations()).toHaveLength(1);
        catalogs.push(await catalog(source));
      });
      expect(catalogs[count]).not.toEqual(catalogs[count - 1]);
    }
    for (let count = migrations.length; count > 0; count--) {
      await withMigrations(count, async (source) => {
        await source.undoLastMigration();
        expect([count, await catalog(source)]).toEqual([count, catalogs[count - 1]]);
      });
    }
  });

  it('have no time limit, but soon give up waiting for a lock, because others queue behind them', async () => {
    await withMigrations(0, (source) =>
      source.query(`DO $$ BEGIN
        EXECUTE format('ALTER DATABASE %I SET statement_timeout = ''6s''', current_database());
      END $$`),
    );
    const limits = await withMigrations(0, (source) =>
      source.query<object[]>(
        `SELECT current_setting('statement_timeout') AS statement, current_setting('lock_timeout') AS lock`,
      ),
    );
    expect(limits).toEqual([{ statement: '0', lock: '3s' }]);
  });

  it('leave only the table of migrations after all steps back', async () => {
    await withMigrations(0, (source) => source.query('DROP SCHEMA public CASCADE; CREATE SCHEMA public'));
    await withMigrations(migrations.length, async (source) => {
      await source.runMigrations();
      const whole = await catalog(source);
      for (const _ of migrations) await source.undoLastMigration();
      expect(await catalog(source)).toEqual([]);
      expect(await source.runMigrations()).toHaveLength(migrations.length);
      expect(await catalog(source)).toEqual(whole);
    });
  });
});

describe('a database of the earlier migrations', () => {
  let stack: TestStack;
  let lines: Record<string, unknown>[];

  beforeEach(async () => {
    lines = [];
    const logTo = { write: (line: string) => void lines.push(JSON.parse(line) as Record<string, unknown>) };
    stack = await TestStack.start({ LOG_LEVEL: 'info' }, { worker: false, logTo });
    await stack.sql(`INSERT INTO merchants (name) VALUES ('one')`);
  });

  afterEach(() => stack.close());

  /** The present migrations whose schema such a database lacks. */
  const later = migrations.map(({ name }) => name).filter((name) => Number(name.slice(-13)) > LAST_IN_PLACE);

  /** The rows of the earlier migrations, as TypeORM wrote them, and the schema that they made. */
  const writeEarlier = async (names: readonly string[]): Promise<object[]> => {
    const source = await new DataSource(dataSourceOptions(stack.config.DATABASE_URL)).initialize();
    for (const _ of later) await source.undoLastMigration();
    await source.destroy();
    return stack.sql(
      `WITH removed AS (DELETE FROM schema_migrations)
       INSERT INTO schema_migrations (timestamp, name) SELECT right(name, 13)::bigint, name FROM unnest($1::text[]) name`,
      [names],
    );
  };

  const rows = (): Promise<{ timestamp: bigint; name: string }[]> =>
    stack.sql('SELECT timestamp, name FROM schema_migrations ORDER BY id');

  it('is taken over unchanged: the rows of the migrations are replaced, and only later ones run', async () => {
    await writeEarlier(EARLIER_MIGRATIONS);
    const [one, other] = await Promise.all([stack.startApi(), stack.startApi()]);
    expect(await Promise.all([one, other].map((api) => api.get(SchemaService).whenReady()))).toEqual([true, true]);
    expect(await rows()).toEqual(migrations.map(({ name }) => ({ name, timestamp: BigInt(name.slice(-13)) })));
    expect(lines.filter(({ msg }) => /replaced the earlier migrations/.test(String(msg)))).toHaveLength(1);
    expect(lines.filter(({ level }) => level === 'error')).toEqual([]);
    expect(lines.flatMap(({ migration }) => migration ?? [])).toEqual(later);
    expect(await stack.sql(`SELECT name FROM merchants WHERE name = 'one'`)).toHaveLength(1);
    await Promise.all([one.close(), other.close()]);
  });

  it('with some of them missing is not changed, and the log has the remedy', async () => {
    await writeEarlier(EARLIER_MIGRATIONS.slice(0, -2));
    const before = await rows();
    const api = await stack.startApi();
    await eventually(
      () => lines,
      (logged) => logged.some(({ msg }) => msg === 'the schema could not be migrated'),
    );
    expect(lines.find(({ msg }) => msg === 'the schema could not be migrated')).toMatchObject({
      level: 'error',
      reason:
        'the database lacks 2 of the 62 migrations of earlier versions, the first of them StepsAndLateCodes1763800000100: ' +
        'run "npm run migrate" once at the last commit that has them (docs/operations.md, "Upgrade"), or create a new database',
    });
    expect(await rows()).toEqual(before);
    expect(await stack.sql(`SELECT name FROM merchants WHERE name = 'one'`)).toHaveLength(1);
    await api.close();
  });
});

describe('a process that finds nothing to migrate', () => {
  it('starts while another one migrates', async () => {
    const stack = await TestStack.start({}, { worker: false });
    try {
      await whileLocked(stack, 'SELECT pg_advisory_xact_lock(7038167014)', async () => {
        const api = await stack.startApi();
        expect(await api.get(SchemaService).whenReady()).toBe(true);
        await api.close();
      });
    } finally {
      await stack.close();
    }
  });
});

describe('processes that start at the same moment on an empty database', () => {
  it('make the schema together, each step once', async () => {
    const lines: Record<string, unknown>[] = [];
    const logTo = { write: (line: string) => void lines.push(JSON.parse(line) as Record<string, unknown>) };
    const stack = await TestStack.start({ LOG_LEVEL: 'info' }, { worker: false, logTo });
    try {
      await stack.sql('DROP SCHEMA public CASCADE; CREATE SCHEMA public');
      const starting = [stack.startApi(), stack.startApi(), stack.startWorker()] as const;
      const [one, other, worker] = await Promise.all(starting);
      const ready = [one, other, worker].map((each) => each.get(SchemaService).whenReady());
      expect(await Promise.all(ready)).toEqual([true, true, true]);
      expect(lines.filter(({ level }) => level === 'error')).toEqual([]);
      expect(lines.flatMap(({ migration }) => migration ?? [])).toEqual(migrations.map(({ name }) => name));
      await Promise.all([one.close(), other.close()]);
    } finally {
      await stack.close();
    }
  });
});
