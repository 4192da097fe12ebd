import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { FairShares1763900000014 } from '../../src/database/migrations/index.js';
import { keepAhead } from '../../src/database/partitions/divide.js';
import { ORDERS } from '../../src/database/partitions/table-groups.js';
import { PartitionsRepository } from '../../src/database/partitions/partitions.repository.js';
import { withRunLock, PartitionsRefused, executeOn, type Execute } from '../../src/database/partitions/runs.js';
import { LIST_UNDECIDED } from '../../src/support/undecided-calls.repository.js';
import { expectBooksToBalance } from '../support/books.js';
import { refused } from '../support/fake-supplier.js';
import { asMigration, createIndexTwice, LEAVE_CALLS_WHOLE } from '../support/partitioning.js';
import type { TestStack } from '../support/stack.js';
import { untilDone } from '../support/until-served.js';
import { PartitionScene } from './partition-scene.js';

const SIZE = 1_000_000n;

let scene: PartitionScene;
let stack: TestStack;
let run: Execute;
let client: pg.Client;

beforeEach(async () => {
  scene = await PartitionScene.make();
  ({ stack, run, client } = scene);
  stack.supplier.script('refused', ({ reference }) => refused(reference, 'OUT_OF_STOCK'));
});

afterEach(() => scene.close());

const partition = (by?: Execute): Promise<void> => scene.partitioning.orders(SIZE, by);

/** The partition of each order, by its reference. */
async function places(): Promise<Record<string, string>> {
  const rows = await stack.sql<{ reference_id: string; place: string }>(
    'SELECT reference_id, tableoid::regclass::text AS place FROM orders',
  );
  return Object.fromEntries(rows.map(({ reference_id, place: where }) => [reference_id, where]));
}

/** The partitions of calls to suppliers, in the order of their ids. */
async function placesOfCalls(): Promise<string[]> {
  const rows = await stack.sql<{ place: string }>(
    `SELECT tableoid::regclass::text AS place FROM supplier_calls ORDER BY id`,
  );
  return rows.map(({ place: where }) => where);
}

/** A copy of an order's row under another id. $1 the id, $2 the reference. */
const COPY = `
  INSERT INTO orders (id, merchant_id, order_number, reference_id, content_hash, user_id, status, subtotal_amount,
                      discount_amount, total_amount, open_items, created_at, updated_at)
  SELECT $1, merchant_id, order_number || '-' || $1::bigint, $2, content_hash, user_id, 'completed', subtotal_amount,
         discount_amount, total_amount, 0, created_at, updated_at FROM orders LIMIT 1`;

/** Writes the state of a partition of orders that is being archived. */
const archiveOne = (state: string): Promise<object[]> =>
  stack.sql(
    `INSERT INTO archived_partitions (number, end_id, state, directory, manifest_hash, orders, months, supplier_ids,
                                      archived_by, archived_at)
     VALUES (1, 100, $1, '/archive', '', 0, '[]', '{}', 'operator', now())
     ON CONFLICT (number) DO UPDATE SET state = excluded.state`,
    [state],
  );

describe('orders that become partitioned', () => {
  it('work as before: old ones end, and new ones are accepted meanwhile, and beyond the boundary, too', async () => {
    await scene.place('before');
    await stack.orderWith(scene.merchant, 'before', 'completed');
    let placed = 0;
    let isOver = false;
    const placing = (async () => {
      for (; !isOver; placed++) expect(await scene.place(`meanwhile-${placed}`, 2)).toMatchObject({ status: 200 });
    })();
    await partition();
    isOver = true;
    await placing;
    await scene.placeAt('orders', SIZE - 1n, 'last', 3, 'refused');
    await scene.place('first', 3, 'refused');
    for (const reference of ['before', `meanwhile-${placed - 1}`])
      await stack.orderWith(scene.merchant, reference, 'completed');
    for (const reference of ['last', 'first']) await stack.orderWith(scene.merchant, reference, 'failed');
    expect(Object.values(await places()).sort()).toEqual([
      ...Array.from({ length: placed + 2 }, () => 'orders_p1'),
      'orders_p2',
    ]);
    const calls = await placesOfCalls();
    expect(calls.slice(0, -6)).toEqual(calls.slice(0, -6).map(() => 'supplier_calls_p1'));
    expect(calls.slice(-6).sort()).toEqual([1, 1, 1, 2, 2, 2].map((number) => `supplier_calls_p${number}`));
    await expectBooksToBalance(stack);
  });

  it('keep their references, each of one order in all partitions', async () => {
    await scene.place('one');
    const before = await stack.orderWith(scene.merchant, 'one', 'completed');
    await partition();
    await scene.goOnAt('orders', SIZE);
    expect(await scene.place('one')).toMatchObject({ status: 200, body: before });
    expect(await scene.place('one', 2)).toMatchObject({ status: 409 });
    const both = await Promise.all(Array.from({ length: 12 }, () => scene.place('another')));
    expect(new Set(both.map(({ body }) => (body as { order_number: string }).order_number)).size).toBe(1);
    expect(await places()).toEqual({ one: 'orders_p1', another: 'orders_p2' });
  });

  it('never have one reference in two partitions, even if two processes write at the same moment', async () => {
    await scene.place('one');
    await partition();
    await expect(client.query(COPY, [SIZE, 'one'])).rejects.toMatchObject({
      code: '23505',
      constraint: 'uq_orders_merchant_reference',
    });
    const other = new pg.Client(stack.config.DATABASE_URL);
    await other.connect();
    try {
      await client.query('BEGIN');
      await client.query(COPY, [500n, 'two']);
      const second = expect(other.query(COPY, [SIZE, 'two'])).rejects.toMatchObject({ code: '23505' });
      await stack.sql('SELECT 1');
      await client.query('COMMIT');
      await second;
    } finally {
      await other.end();
    }
  });

  it('keep the constraints of their tables in each partition, with foreign keys between partitions of one range', async () => {
    await partition();
    await scene.goOnAt('orders', SIZE);
    await untilDone(() => keepAhead(run, ORDERS));
    const [first, second, third] = await Promise.all(['p1', 'p2', 'p3'].map((name) => rulesOf(name)));
    expect(first).toContain('FOREIGN KEY (order_id, item) REFERENCES order_items_N(order_id, "position")');
    expect(second).toEqual(first);
    expect(third).toEqual(first);
  });

  it('find their latest calls to suppliers by keys alone, in all partitions', async () => {
    await partition();
    const { text } = LIST_UNDECIDED;
    const rows = await stack.sql<{ 'QUERY PLAN': string }>(`EXPLAIN (GENERIC_PLAN) ${text}`);
    const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
    expect(plan).toMatch(/Merge Append[^]*Index Scan Backward using \w+ on supplier_calls_p2/);
    expect(plan).not.toMatch(/Seq Scan on supplier_calls/);
  });

  it('get the next partition when they reach the newest one, and not before', async () => {
    expect(await keepAhead(run, ORDERS)).toEqual([]);
    await partition();
    await scene.goOnAt('orders', SIZE - 1n);
    expect(await keepAhead(run, ORDERS)).toEqual([]);
    await scene.goOnAt('orders', SIZE);
    const workers = await Promise.all([stack.startWorker(), stack.startWorker()]);
    const partitions = await scene.partitionsAhead(workers, ORDERS);
    expect(partitions.at(-1)).toEqual({ number: 3, lower: '2000000', upper: '3000000' });
    expect(await keepAhead(run, ORDERS)).toEqual([]);
  });
});

describe('calls to suppliers whose orders the previous version partitioned without them', () => {
  const keyOf = (partition: string): Promise<object[]> =>
    stack.sql(
      `SELECT pg_get_constraintdef(oid) AS key FROM pg_constraint
       WHERE conrelid = $1::regclass AND contype = 'f'`,
      [partition],
    );

  it('are partitioned, at the boundaries of the orders, when `npm run partition` runs again', async () => {
    await scene.refuse('before');
    await partition();
    await client.query(LEAVE_CALLS_WHOLE);
    await scene.refuse('whole');
    await partition();
    await scene.goOnAt('orders', SIZE);
    await scene.refuse('later');
    expect(await placesOfCalls()).toEqual(['supplier_calls_p1', 'supplier_calls_p1', 'supplier_calls_p2']);
    expect(await keyOf('supplier_calls_p2')).toEqual([
      { key: 'FOREIGN KEY (order_id, item, unit) REFERENCES order_units_p2(order_id, item, unit)' },
    ]);
    await expectBooksToBalance(stack);
  });

  it('have one partition for all ranges that the orders have passed', async () => {
    await partition();
    await client.query(LEAVE_CALLS_WHOLE);
    await scene.refuse('first');
    await scene.goOnAt('orders', SIZE);
    await scene.refuse('second');
    await partition();
    await scene.goOnAt('orders', 2n * SIZE);
    await scene.refuse('third');
    expect(await placesOfCalls()).toEqual(['supplier_calls_p2', 'supplier_calls_p2', 'supplier_calls_p3']);
    const [first, ...others] = await new PartitionsRepository(run, ORDERS).listPartitions('supplier_calls');
    expect(first).toEqual({ number: 2, lower: null, upper: '2000000' });
    expect(others).toEqual([{ number: 3, lower: '2000000', upper: '3000000' }]);
    await expectBooksToBalance(stack);
  });

  it('stay one table until then, while partitions of orders are added', async () => {
    await partition();
    await client.query(LEAVE_CALLS_WHOLE);
    await scene.goOnAt('orders', SIZE);
    expect(await untilDone(() => keepAhead(run, ORDERS))).toMatchObject([{ number: 3 }]);
    await scene.refuse('one');
    expect(await placesOfCalls()).toEqual(['supplier_calls']);
  });

  it('get the partition that a worker of that version did not make for them', async () => {
    await partition();
    await client.query('ALTER TABLE supplier_calls DETACH PARTITION supplier_calls_p2; DROP TABLE supplier_calls_p2');
    expect(await untilDone(() => keepAhead(run, ORDERS))).toMatchObject([{ number: 2 }]);
    await scene.goOnAt('orders', SIZE);
    await scene.refuse('one');
    expect(await placesOfCalls()).toEqual(['supplier_calls_p2']);
  });
});

describe('a migration', () => {
  it('makes an index of orders, partitioned or not, without blocking writers', async () => {
    const index = async (name: string): Promise<object[]> => {
      await createIndexTwice(stack, name, 'orders', `(user_id) WHERE status = 'failed'`);
      return stack.sql(
        `SELECT indrelid::regclass::text AS table, indisvalid AS valid FROM pg_index
         WHERE indexrelid::regclass::text LIKE $1 ORDER BY 1`,
        [`${name}%`],
      );
    };
    expect(await index('ix_orders_one')).toEqual([{ table: 'orders', valid: true }]);
    await partition();
    expect(await index('ix_orders_two')).toEqual(
      ['orders', 'orders_p1', 'orders_p2'].map((table) => ({ table, valid: true })),
    );
  });

  it('replaces the index of due units, and writes the merchants of open ones, partitioned or not', async () => {
    const index = (): Promise<object[]> =>
      stack.sql(
        `SELECT indrelid::regclass::text AS table, indisvalid AS valid FROM pg_index
         WHERE pg_get_indexdef(indexrelid) ~ 'claimed_by IS NULL.* next_action_at\\) WITH \\(deduplicate_items=off\\)' ORDER BY 1`,
      );
    const replaceTwice = (): Promise<void> =>
      asMigration(stack, async (runner) => {
        const migration = new FairShares1763900000014();
        await migration.down(runner);
        await migration.down(runner);
        await migration.up(runner);
        await migration.up(runner);
      });
    await scene.complete('ended');
    await stack.stopWorkers();
    await scene.place('open', 3);
    await replaceTwice();
    const units = `SELECT count(*)::int AS count, u.merchant_id FROM order_units u JOIN orders o ON o.id = u.order_id
                   WHERE o.reference_id = $1 GROUP BY 2`;
    expect(await stack.sql(units, ['open'])).toEqual([{ count: 3, merchant_id: scene.merchant.id }]);
    expect(await stack.sql(units, ['ended'])).toEqual([{ count: 1, merchant_id: null }]);
    expect(await index()).toEqual([{ table: 'order_units', valid: true }]);
    await partition();
    await replaceTwice();
    expect(await index()).toEqual(
      ['order_units', 'order_units_p1', 'order_units_p2'].map((table) => ({ table, valid: true })),
    );
    const names = `SELECT indexrelid::regclass::text AS name FROM pg_index WHERE indexrelid::regclass::text ~ '_due' ORDER BY 1`;
    expect(await stack.sql(names)).toEqual(
      expect.arrayContaining(['', '_p1', '_p2'].map((part) => ({ name: `ix_order_units_due${part}` }))),
    );
    await stack.startWorker();
    await stack.orderWith(scene.merchant, 'open', 'completed');
  });
});

describe('partitioning', () => {
  it('can be interrupted at any step, and started again', async () => {
    await scene.place('one');
    for (const step of ['VALIDATE', 'ATTACH', 'CREATE TRIGGER tg_orders_rep', 'CREATE TABLE orders_p2', 'ANALYZE']) {
      await expect(partition(scene.partitioning.interruptedAt(step))).rejects.toThrow('interrupted');
      expect(await scene.place(`after-${step}`)).toMatchObject({ status: 200 });
    }
    await partition();
    await partition();
    const left = await stack.sql(
      `SELECT conname FROM pg_constraint WHERE conname ~ 'first_partition' OR contype = 'f' AND conparentid = 0 AND NOT convalidated
         AND conrelid IN ('transfers'::regclass, 'supplier_calls'::regclass, 'supplier_calls_p1'::regclass, 'events'::regclass)`,
    );
    expect(left).toEqual([]);
    expect(await new PartitionsRepository(run, ORDERS).listPartitions()).toHaveLength(2);
  });

  it('is refused if a view would read only the first partition afterwards', async () => {
    await client.query('CREATE VIEW late AS SELECT * FROM orders');
    await expect(partition()).rejects.toThrow(PartitionsRefused);
    await expect(partition()).rejects.toThrow('view late');
    expect(await scene.place('one')).toMatchObject({ status: 200 });
  });

  it('is refused for any table while orders are archived, because foreign keys to them would fail', async () => {
    const { partitioning } = scene;
    const all = [partition, () => partitioning.transfers(2_000_000n), () => partitioning.events(20_000_000n)];
    for (const state of ['detached', 'dropped', 'attached']) {
      await archiveOne(state);
      for (const each of all) await expect(each()).rejects.toThrow('orders are archived');
    }
    expect(await stack.sql(`SELECT relname FROM pg_class WHERE relkind = 'p'`)).toEqual([]);
    for (const state of ['begun', 'verified']) {
      await archiveOne(state);
      await all.shift()?.();
    }
    expect(await new PartitionsRepository(run, ORDERS).isPartitioned()).toBe(true);
  });

  it('is refused while another run is in progress', async () => {
    const other = new pg.Client(stack.config.DATABASE_URL);
    await other.connect();
    try {
      await withRunLock(executeOn(other), () => expect(partition()).rejects.toThrow('another run'));
      expect(await new PartitionsRepository(run, ORDERS).isPartitioned()).toBe(false);
    } finally {
      await other.end();
    }
  });

  it('waits for a long read, and orders are accepted meanwhile', async () => {
    const reader = new pg.Client(stack.config.DATABASE_URL);
    await reader.connect();
    await reader.query('BEGIN; SELECT 1 FROM order_units LIMIT 1');
    const partitioned = partition();
    for (const reference of ['one', 'two', 'three'])
      expect(await scene.place(reference)).toMatchObject({ status: 200 });
    await reader.end();
    await partitioned;
    expect(await new PartitionsRepository(run, ORDERS).isPartitioned()).toBe(true);
  });
});

/** Constraints, indexes, triggers and settings of the partitions of one range, without the names that differ. */
async function rulesOf(range: string): Promise<string[]> {
  const tables = `SELECT oid, reloptions FROM pg_class WHERE relkind = 'r' AND relname ~ '^(order|unit|supplier_calls).*_${range}$'`;
  const rows = await stack.sql<{ rule: string }>(
    `SELECT pg_get_constraintdef(c.oid) AS rule FROM pg_constraint c JOIN (${tables}) t ON t.oid = conrelid
       WHERE contype <> 'n'
     UNION ALL SELECT regexp_replace(pg_get_indexdef(indexrelid), 'INDEX \\S+', '') FROM pg_index JOIN (${tables}) t ON t.oid = indrelid
     UNION ALL SELECT pg_get_triggerdef(g.oid) FROM pg_trigger g JOIN (${tables}) t ON t.oid = tgrelid WHERE NOT tgisinternal
     UNION ALL SELECT array_to_string(reloptions, ' ') FROM (${tables}) t`,
  );
  return rows.map(({ rule }) => String(rule).replaceAll(new RegExp(`_${range}\\b`, 'g'), '_N')).sort();
}
