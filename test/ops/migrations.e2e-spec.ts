import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { DataSource } from 'typeorm';
import { dataSourceOptions } from '../../ormconfig.js';
import { SchemaService } from '../../src/database/schema.service.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { eventually } from '../support/eventually.js';
import { TestStack } from '../support/stack.js';

/**
 * What a schema consists of, a line each. Whether a rule was tried on the rows that were there when it came is left
 * out: a step back does not read whole tables again.
 */
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

/** The tables that it makes for itself before the first migration, and again before the last step back. */
const OF_TYPEORM = /schema_migrations|^(column|constraint) typeorm_metadata/;

let database: TestDatabase;

beforeAll(async () => {
  database = await createTestDatabase();
});

afterAll(() => database.drop());

const migrations = dataSourceOptions('postgres://').migrations as (new () => object)[];

/** Works on the test's database as a version of the service would that knows the first `count` migrations. */
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
  it('build the schema step by step, and each step back leaves what was there before', async () => {
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

  it('take as long as they take, but nobody waits for long behind a lock that they wait for', async () => {
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

  it('keep suppliers with their tokens, and let the version before add more beside them', async () => {
    const before = migrations.findIndex(({ name }) => name.startsWith('SupplierSettings'));
    const add = (source: DataSource, code: string): Promise<unknown> =>
      source.query(
        `INSERT INTO suppliers (code, adapter, base_url, token_sealed, timeout_ms) VALUES ($1, 'http', 'http://x', 'sealed', 1)`,
        [code],
      );
    await withMigrations(0, (source) => source.query('DROP SCHEMA public CASCADE; CREATE SCHEMA public'));
    await withMigrations(before, async (source) => {
      await source.runMigrations();
      await add(source, 'old');
    });
    await withMigrations(before + 1, async (source) => {
      await source.runMigrations();
      await add(source, 'beside');
      const suppliers = await source.query<object[]>(
        `SELECT code, convert_from(token_sealed, 'UTF8') AS token, credentials_sealed, credential_names, options
         FROM suppliers ORDER BY id`,
      );
      const rest = { token: 'sealed', credentials_sealed: null, credential_names: [], options: {} };
      expect(suppliers).toEqual(['old', 'beside'].map((code) => ({ code, ...rest })));
      await source.query(`UPDATE suppliers SET adapter = 'vendor' WHERE code = 'beside'`);
      await source.undoLastMigration();
    });
  });

  it('make nobody wait for them who reads a supplier and then opens a case', async () => {
    const count = migrations.findIndex(({ name }) => name.startsWith('PurchaseLimits')) + 1;
    await withMigrations(0, (source) => source.query('DROP SCHEMA public CASCADE; CREATE SCHEMA public'));
    await withMigrations(count - 1, (source) => source.runMigrations());
    await withMigrations(count, async (source) => {
      const other = new pg.Client(database.url);
      await other.connect();
      try {
        await other.query(`BEGIN; SET LOCAL lock_timeout = '10s'; SELECT FROM suppliers`);
        await source.query(`SET lock_timeout = '60s'`);
        const migrating = source.runMigrations();
        await eventually(
          () =>
            other.query(
              `SELECT FROM pg_locks WHERE relation = 'suppliers'::regclass AND mode = 'AccessExclusiveLock' AND NOT granted`,
            ),
          ({ rowCount }) => rowCount === 1,
        );
        await other.query(
          `INSERT INTO supplier_reversals (supplier_id, kind, attempt, reference, status, created_at)
           VALUES (0, 'unknown_purchase', NULL, 'T1', 'open', now()); COMMIT`,
        );
        expect(await migrating).toHaveLength(1);
      } finally {
        await other.end();
      }
    });
  });

  it('tell deliveries of older versions the kinds of their events, also when a crash made them begin again', async () => {
    const before = migrations.findIndex(({ name }) => name.startsWith('DeliveryPages'));
    await withMigrations(0, (source) => source.query('DROP SCHEMA public CASCADE; CREATE SCHEMA public'));
    await withMigrations(before, async (source) => {
      await source.runMigrations();
      await source.query(`INSERT INTO merchants (name) VALUES ('one')`);
      await source.query(
        `INSERT INTO webhooks (merchant_id, url, events, secret_sealed, secret_hint)
         VALUES (1, 'https://shop.example', '{order.failed}', '', '')`,
      );
      await deliver(source, 'webhook.test', 6_000);
    });
    await withMigrations(before + 1, async (source) => {
      await source.runMigrations();
      await deliver(source, 'wallet.low_balance', 2);
      await source.query(`DELETE FROM schema_migrations WHERE name LIKE 'DeliveryPages%'`);
      await source.runMigrations();
      const kinds = await source.query<object[]>(
        `SELECT kind, count(*)::int FROM webhook_deliveries GROUP BY kind ORDER BY count(*)`,
      );
      expect(kinds).toEqual([
        { kind: 'wallet.low_balance', count: 2 },
        { kind: 'webhook.test', count: 6_000 },
      ]);
    });
  });
});

describe('a process that finds nothing to migrate', () => {
  it('starts while another one migrates', async () => {
    const stack = await TestStack.start({}, { worker: false });
    const migrating = await stack.database.pool.connect();
    try {
      await migrating.query('BEGIN; SELECT pg_advisory_xact_lock(7038167014)');
      const api = await stack.startApi();
      expect(await api.get(SchemaService).whenReady()).toBe(true);
      await api.close();
    } finally {
      await migrating.query('ROLLBACK');
      migrating.release();
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

/** As the version before writes them: events and deliveries in one statement, of which no delivery has a kind. */
const deliver = (source: DataSource, kind: string, count: number): Promise<unknown> =>
  source.query(
    `WITH made AS (
       INSERT INTO events (public_id, merchant_id, kind, body, created_at)
       SELECT $1 || n, 1, $1, '{}', now() FROM generate_series(1, $2::int) n RETURNING id)
     INSERT INTO webhook_deliveries (webhook_id, event_id, status, created_at, updated_at)
     SELECT 1, id, 'succeeded', now(), now() FROM made`,
    [kind, count],
  );
