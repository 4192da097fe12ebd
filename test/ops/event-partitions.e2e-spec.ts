import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { Database } from '../../src/database/database.js';
import { keepAhead } from '../../src/database/partitions/divide.js';
import {
  DELIVERIES,
  EVENTS,
  EVENT_TABLES,
  idsOfNewest,
  type EventTable,
} from '../../src/database/partitions/event-partitions.js';
import { RECORD_EVENTS } from '../../src/events/events.sql.js';
import { LOCK_PARTITIONS, NextPartitionsRepository } from '../../src/database/partitions/next-partitions.repository.js';
import { NextPartitionsService } from '../../src/database/partitions/next-partitions.service.js';
import { ORDERS } from '../../src/database/partitions/table-groups.js';
import type { Execute } from '../../src/database/partitions/runs.js';
import { eventually } from '../support/eventually.js';
import { whileLocked } from '../support/locks.js';
import { createIndexTwice, type Partitioning } from '../support/partitioning.js';
import type { TestMerchant, TestStack } from '../support/stack.js';
import { untilDone } from '../support/until-served.js';
import { WebhookReceiver } from '../support/webhook-receiver.js';
import { openManagementPort, Scrape } from './management.js';
import { PartitionScene } from './partition-scene.js';

const END = 20_000_000;
const NAMES = EVENT_TABLES.map(({ table }) => table);

/** Partitions with their ranges, lowest first. */
const RANGES = `
  SELECT inhparent::regclass::text AS table, array_agg(pg_get_expr(relpartbound, c.oid) ORDER BY c.oid) AS ranges
  FROM pg_inherits JOIN pg_class c ON c.oid = inhrelid WHERE relkind = 'r' GROUP BY 1 ORDER BY 1`;

/** The parts of partitions, such as constraints and indexes, one line each, with the partition's name replaced by its table's. */
const MEMBERS = `
  WITH members AS (
    SELECT c.oid, relname FROM pg_inherits JOIN pg_class c ON c.oid = inhrelid WHERE inhparent = $1::text::regclass),
  lines AS (
    SELECT relname, concat_ws(' ', 'column', attname, format_type(atttypid, atttypmod), attnotnull, attgenerated,
                              pg_get_expr(adbin, adrelid)) AS line
    FROM members JOIN pg_attribute ON attrelid = members.oid AND attnum > 0
    LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum
    UNION ALL
    SELECT relname, pg_get_constraintdef(c.oid) FROM members JOIN pg_constraint c ON conrelid = members.oid
    WHERE contype IN ('c', 'f', 'p')
    UNION ALL
    SELECT relname, pg_get_indexdef(indexrelid) FROM members JOIN pg_index ON indrelid = members.oid
    UNION ALL
    SELECT relname, pg_get_triggerdef(t.oid) FROM members JOIN pg_trigger t ON tgrelid = members.oid WHERE NOT tgisinternal)
  SELECT relname, array_agg(replace(regexp_replace(line, '_[0-9]+', '', 'g'), relname, $1) ORDER BY line COLLATE "C") AS lines
  FROM lines GROUP BY relname ORDER BY relname`;

const range = (from: number | null, to: number): string =>
  `FOR VALUES FROM (${from === null ? 'MINVALUE' : `'${from}'`}) TO ('${to}')`;

let scene: PartitionScene;
let stack: TestStack;
let merchant: TestMerchant;
let partitioning: Partitioning;
let receiver: WebhookReceiver;

beforeEach(async () => {
  scene = await PartitionScene.make();
  ({ stack, merchant, partitioning } = scene);
  receiver = await new WebhookReceiver().listen();
  await merchant.client.post('/v1/merchant-webhooks', { url: receiver.url('/orders') });
});

afterEach(async () => {
  await scene.close();
  await receiver.close();
});

const partition = (by?: Execute): Promise<void> => partitioning.events(BigInt(END), by);

const ranges = (): Promise<{ table: string; ranges: string[] }[]> => stack.sql(RANGES);

/** The ranges, once a worker gave each table a third one. By itself, a worker that found a lock not free waits ten minutes. */
async function rangesAhead(): ReturnType<typeof ranges> {
  await stack.stopWorkers();
  const worker = await stack.startWorker();
  const keepAndList = async (): ReturnType<typeof ranges> => {
    await worker.get(NextPartitionsService).keepEventsAhead();
    return ranges();
  };
  return eventually(keepAndList, (found) =>
    found.every(({ table, ranges: { length } }) => !NAMES.includes(table) || length === 3),
  );
}

/** The expected parts of the three tables. */
const each = (...expected: string[]): { table: string; ranges: string[] }[] =>
  [...NAMES].sort().map((table) => ({ table, ranges: expected }));

const FIRST_TWO = [range(null, END), range(END, 2 * END)];

/** Orders that ended, and whose webhook deliveries succeeded. @returns their references. */
async function deliveredOrders(count: number): Promise<string[]> {
  const before = await countSucceeded();
  const references: string[] = [];
  for (let n = 0; n < count; n++) {
    const { reference_id: reference } = await stack.order(merchant, [{ sku: scene.sku }]);
    await stack.orderWith(merchant, reference, 'completed');
    references.push(reference);
  }
  await eventually(countSucceeded, (now) => now === before + count);
  return references;
}

/** Every delivery once more: of its attempts, the first stands in the delivery and this one has a row. */
async function deliverAgain(): Promise<void> {
  const path = '/v1/merchant-webhooks';
  const { body: webhooks } = await merchant.client.get<{ id: number }[]>(path);
  const log = `${path}/${webhooks[0]?.id}/deliveries`;
  const { body } = await merchant.client.get<{ data: { id: number }[] }>(log);
  for (const { id } of body.data) await merchant.client.post(`${log}/${id}/retry`);
  await eventually(
    () => stack.sql('SELECT FROM webhook_attempts'),
    ({ length }) => length === body.data.length,
  );
}

const countSucceeded = async (): Promise<number> =>
  (await stack.sql(`SELECT FROM webhook_deliveries WHERE status = 'succeeded'`)).length;

/** The partitions of a table that have rows, and whether these are beyond the boundary. */
const partitionsWithRows = ({ table, key }: EventTable): Promise<object[]> =>
  stack.sql(
    `SELECT DISTINCT tableoid::regclass::text AS partition, ${key} >= ${END} AS beyond FROM ${table} ORDER BY 1`,
  );

/** Moves the ids of events and deliveries to `left` before the end of the first partitions. */
const goNear = async (left: number): Promise<void> => {
  for (const table of ['events', 'webhook_deliveries']) await scene.goOnAt(table, END - left);
};

/** The metrics, once they include those from PostgreSQL. */
async function idsLeft(port: string): Promise<Record<string, number>> {
  const scrape = await eventually(
    () => Scrape.of(port),
    (metrics) => metrics.value('topup_database_size_bytes') !== undefined,
  );
  const left = scrape.samples('topup_partition_ids_left');
  return Object.fromEntries(left.map(({ labels: { table = '' }, value }) => [table, value]));
}

describe('events that become partitioned', () => {
  it('work as before: old ones are kept, and those beyond the boundary are delivered, too', async () => {
    const before = await deliveredOrders(2);
    await partition();
    expect(await ranges()).toEqual(each(...FIRST_TWO));
    await goNear(1);
    const after = await deliveredOrders(3);
    await deliverAgain();
    for (const eventTable of EVENT_TABLES) {
      const { table } = eventTable;
      expect(await stack.sql(`SELECT FROM ${table}`)).toHaveLength(5);
      // How many are beyond the boundary depends on the ids that rolled-back transactions took.
      expect(await partitionsWithRows(eventTable)).toEqual([
        { partition: `${table}_0`, beyond: false },
        { partition: `${table}_${END}`, beyond: true },
      ]);
    }
    const { body } = await merchant.client.get('/v1/events');
    const listed = (body as { data: { data: { reference_id: string } }[] }).data;
    expect(listed.map(({ data }) => data.reference_id)).toEqual([...before, ...after]);
    expect(await scene.faults()).toEqual([]);
  });

  it('get the next partition, alike in everything, from a worker once the newest has rows', async () => {
    await partition();
    await goNear(1);
    await deliveredOrders(2);
    const three = each(...FIRST_TWO, range(2 * END, 3 * END));
    expect(await rangesAhead()).toEqual(three);
    for (const table of NAMES) {
      const [first, ...others] = await stack.sql<{ lines: string[] }>(MEMBERS, [table]);
      expect(others).toHaveLength(2);
      for (const { lines } of others) expect(lines).toEqual(first?.lines);
    }
  });

  it('always have a partition of the requested width, with any number of earlier ids', async () => {
    await stack.sql(
      `INSERT INTO events (id, public_id, merchant_id, kind, body, created_at)
       OVERRIDING SYSTEM VALUE VALUES ($1, 'evt_1', $2, 'webhook.test', '{}', now())`,
      [0.6 * END, merchant.id],
    );
    await partition();
    expect((await ranges()).find(({ table }) => table === 'events')?.ranges).toEqual([
      range(null, 2 * END),
      range(2 * END, 3 * END),
    ]);
    const [newest] = await stack.sql(`SELECT ${idsOfNewest(EVENTS)}::int AS ids`);
    expect(newest).toEqual({ ids: END });
  });

  it('get partitions from workers, and metrics of the ids that are left, only once they are partitioned', async () => {
    const partitions = new NextPartitionsRepository(stack.api.get(Database));
    for (const table of EVENT_TABLES) expect(await partitions.keepEventsAhead(table)).toEqual([]);
    const port = await openManagementPort(stack.api, 0);
    expect(await idsLeft(port)).toEqual({});
    await partition();
    const left = await eventually(
      () => idsLeft(port),
      (tables) => Object.keys(tables).length > 0,
    );
    expect(left).toEqual(Object.fromEntries(NAMES.map((table) => [table, 2 * END])));
  });

  it('get partitions from a worker while another worker is at another table', async () => {
    await partition();
    await goNear(0);
    await deliveredOrders(1);
    const partitions = new NextPartitionsRepository(stack.api.get(Database));
    await whileLocked(stack, LOCK_PARTITIONS.text.replace('$1', `'events'`), async () => {
      expect(await partitions.keepEventsAhead(EVENTS)).toEqual([]);
      expect(await untilDone(() => partitions.keepEventsAhead(DELIVERIES))).toEqual([`webhook_deliveries_${2 * END}`]);
    });
    expect(await untilDone(() => partitions.keepEventsAhead(EVENTS))).toEqual([`events_${2 * END}`]);
  });

  it('keep their ids and the rights of other roles, beside statements of the previous version', async () => {
    await stack.sql('GRANT SELECT ON events TO PUBLIC');
    const older = new pg.Client(stack.config.DATABASE_URL);
    await older.connect();
    let kinds = 0;
    /** Records an event on a connection with a planned statement. */
    const record = async (): Promise<void> => {
      const event = {
        merchant_id: merchant.id,
        kind: 'webhook.test',
        order_id: null,
        reference_id: null,
      };
      const events = [{ ...event, body: '{}', public_id: `evt_${++kinds}`, created_at: new Date() }];
      const [{ name, text }, values] = RECORD_EVENTS.with({ events });
      await older.query({ name, text, values });
    };
    const ids = async (): Promise<string[]> =>
      (await stack.sql<{ id: string }>('SELECT id::text FROM events ORDER BY events.id')).map(({ id }) => id);
    try {
      for (let n = 0; n < 8; n++) await record();
      await partition();
      await record();
      expect(await ids()).toEqual(Array.from({ length: 9 }, (_, n) => String(n + 1)));
      await expect(stack.sql(`UPDATE events SET public_id = 'evt_1' WHERE id = 2`)).rejects.toThrow(
        'uq_events_public_id_0',
      );
      const [granted] = await stack.sql(`SELECT has_table_privilege('public', 'events', 'SELECT') AS granted`);
      expect(granted).toEqual({ granted: true });
    } finally {
      await older.end();
    }
  });
});

describe('partitioning events', () => {
  it('can be interrupted at any step, and started again', async () => {
    await deliveredOrders(1);
    for (const step of ['VALIDATE', 'ATTACH PARTITION events_0', 'ATTACH PARTITION webhook_attempts_0', 'ANALYZE']) {
      await expect(partition(partitioning.interruptedAt(step))).rejects.toThrow('interrupted');
      await deliveredOrders(1);
    }
    await partition();
    await partition();
    expect(await ranges()).toEqual(each(...FIRST_TWO));
    expect(await stack.sql(`SELECT conname FROM pg_constraint WHERE conname ~ 'first_partition'`)).toEqual([]);
    expect(await scene.faults()).toEqual([]);
  });

  it('waits for a long read, and orders end meanwhile', async () => {
    const reader = new pg.Client(stack.config.DATABASE_URL);
    await reader.connect();
    await reader.query('BEGIN; SELECT 1 FROM webhook_deliveries LIMIT 1');
    const partitioned = partition();
    await deliveredOrders(2);
    await reader.end();
    await partitioned;
    expect(await ranges()).toEqual(each(...FIRST_TWO));
  });

  it('is refused if a view would read only the first partition afterwards', async () => {
    await stack.sql('CREATE VIEW late AS SELECT * FROM webhook_deliveries');
    await expect(partition()).rejects.toThrow('view late');
    expect(await ranges()).toEqual([]);
    await deliveredOrders(1);
  });

  it.each(['orders', 'events'])('works with the partitioning of orders, first %s', async (first) => {
    await deliveredOrders(1);
    const orders = (): Promise<void> => partitioning.orders(1_000_000n);
    for (const work of first === 'orders' ? [orders, partition] : [partition, orders]) await work();
    await goNear(1);
    await scene.goOnAt('orders', 1_000_000n);
    await deliveredOrders(3);
    expect(await untilDone(() => keepAhead(partitioning.run, ORDERS))).toMatchObject([{ number: 3 }]);
    await rangesAhead();
    await deliveredOrders(1);
    expect(await scene.faults()).toEqual([]);
    await expect(
      stack.sql(`UPDATE events SET order_id = 999999 WHERE order_id = (SELECT max(order_id) FROM events)`),
    ).rejects.toMatchObject({ code: '23503' });
  });
});

it('a migration makes an index of events in each partition, without blocking writers', async () => {
  await partition();
  await createIndexTwice(stack, 'ix_events_one', 'events', '(created_at)');
  expect(
    await stack.sql(
      `SELECT indexrelid::regclass::text AS index, indisvalid AS valid FROM pg_index
       WHERE indexrelid::regclass::text ~ '^ix_events_one' ORDER BY 1`,
    ),
  ).toEqual(['ix_events_one', 'ix_events_one_0', `ix_events_one_${END}`].map((index) => ({ index, valid: true })));
});
