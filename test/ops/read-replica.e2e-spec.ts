import type { INestApplication } from '@nestjs/common';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { ReadReplicaService } from '../../src/database/read-replica.service.js';
import { ReplicaReadsService } from '../../src/database/replica-reads.service.js';
import { SchemaService } from '../../src/database/schema.service.js';
import { CommandLine } from '../cli/command-line.js';
import { closeWithBalancedBooks } from '../support/books.js';
import { eventually } from '../support/eventually.js';
import { Client } from '../support/http.js';
import { TestStack, type OrderBody, type TestMerchant } from '../support/stack.js';
import { PostgresPair } from '../support/standby.js';
import { openManagementPort, Scrape } from './management.js';

const AN_HOUR_MS = 3_600_000;

let servers: PostgresPair;
let stack: TestStack;
/** An API that accepts any lag. */
let patient: INestApplication;
/** An API that accepts a lag of some seconds, and reads with a read-only role. */
let strict: INestApplication;
let merchant: TestMerchant;
let sku: string;

beforeAll(async () => {
  servers = await PostgresPair.start();
  stack = await TestStack.start({ DATABASE_URL: servers.primary.url });
  const replica = { DATABASE_READ_URL: servers.url };
  patient = await stack.startApi({ ...replica, DATABASE_READ_MAX_LAG_MS: AN_HOUR_MS });
  await stack.sql(`CREATE ROLE reader LOGIN PASSWORD 'reads-only' IN ROLE pg_read_all_data`);
  const reader = Object.assign(new URL(servers.url), { username: 'reader', password: 'reads-only' });
  strict = await stack.startApi({ DATABASE_READ_URL: reader.href, DATABASE_READ_MAX_LAG_MS: 3_000 });
  sku = await stack.product('35.00');
});

beforeEach(async () => {
  merchant = await stack.merchant('1000.00');
});

afterAll(async () => {
  await patient.close();
  await strict.close();
  await closeWithBalancedBooks(stack);
  await servers.close();
});

const of = (api: INestApplication): Client => new Client(stack.urlOf(api), merchant.key);

/** The orders that an API lists. */
async function listed(api: INestApplication): Promise<string[]> {
  const { status, body } = await of(api).get<{ data: OrderBody[] }>('/v1/orders?limit=100');
  expect(status).toBe(200);
  return body.data.map(({ reference_id }) => reference_id);
}

const managementPorts = new Map<INestApplication, Promise<string>>();

async function metricsOf(api: INestApplication): Promise<Scrape> {
  const url = managementPorts.get(api) ?? openManagementPort(api);
  managementPorts.set(api, url);
  return Scrape.of(await url);
}

/** Waits until reads go to the replica, or no longer do. */
async function replicaIsUsed(api: INestApplication, used: boolean): Promise<void> {
  await eventually(
    async () => (await metricsOf(api)).value('topup_read_replica_usable'),
    (value) => value === (used ? 1 : 0),
  );
}

/** Runs the test's work while the standby receives no changes. */
async function whilePaused(work: () => Promise<void>): Promise<void> {
  await servers.replay('pause');
  try {
    await work();
  } finally {
    await servers.replay('resume');
  }
}

describe('DATABASE_READ_URL', () => {
  it('gets the reads of lists, while single orders are read from the primary', async () => {
    await replicaIsUsed(patient, true);
    const seen = await stack.order(merchant, [{ sku }]);
    await stack.orderWith(merchant, seen.reference_id, 'completed');
    await eventually(
      () => listed(patient),
      (orders) => orders.includes(seen.reference_id),
    );
    await whilePaused(async () => {
      const unseen = await stack.order(merchant, [{ sku }]);
      // After a late answer, the replica gets no reads for a moment.
      await eventually(
        () => listed(patient),
        (orders) => orders.join() === seen.reference_id,
      );
      const one = await of(patient).get<OrderBody>(`/v1/orders/${unseen.reference_id}`);
      expect(one.body.order_number).toBe(unseen.order_number);
      for (const named of [`reference_id=${unseen.reference_id}`, `order_number=${unseen.order_number}`]) {
        const { body } = await of(patient).get<{ data: OrderBody[] }>(`/v1/orders?${named}`);
        expect(body.data.map(({ reference_id }) => reference_id)).toEqual([unseen.reference_id]);
      }
    });
    await eventually(
      () => listed(patient),
      ({ length }) => length === 2,
    );
  });

  it('gets no reads while its lag exceeds DATABASE_READ_MAX_LAG_MS, which metrics show', async () => {
    await replicaIsUsed(strict, true);
    await whilePaused(async () => {
      const order = await stack.order(merchant, [{ sku }]);
      await eventually(
        () => listed(strict),
        (orders) => orders.includes(order.reference_id),
      );
      await replicaIsUsed(strict, false);
      await eventually(
        async () => (await metricsOf(strict)).value('topup_read_replica_lag_seconds') ?? 0,
        (seconds) => seconds > 3,
      );
      const metrics = await metricsOf(strict);
      expect(metrics.value('topup_replica_reads_total', { server: 'primary' })).toBeGreaterThan(0);
    });
    await replicaIsUsed(strict, true);
  });

  it('loses a slow read to the primary, and gets reads again once it answers in time', async () => {
    await replicaIsUsed(patient, true);
    const reads = patient.get(ReplicaReadsService);
    const slow = {
      name: 'slow',
      text: 'SELECT CASE WHEN pg_is_in_recovery() THEN pg_sleep(600) IS NULL END AS slept',
    };
    const where = { name: 'where', text: 'SELECT pg_is_in_recovery() AS on_standby' };
    const onStandby = async (): Promise<object[]> => reads.query(where);
    expect(await reads.query(slow)).toEqual([{ slept: null }]);
    expect(patient.get(ReadReplicaService).isUsable).toBe(false);
    expect(await onStandby()).toEqual([{ on_standby: false }]);
    // After the pause, one read tries it. A second read that waited for the answer would find no read in flight any more.
    const tried = async (): Promise<number> => {
      expect(await reads.query(slow)).toEqual([{ slept: null }]);
      return servers.sleepingOnStandby();
    };
    expect(await eventually(tried, (count) => count > 0)).toBe(1);
    // One read at a time.
    const others = await Promise.all(Array.from({ length: 5 }, tried));
    expect(Math.max(...others)).toBeLessThanOrEqual(1);
    expect(await onStandby()).toEqual([{ on_standby: false }]);
    await eventually(
      () => onStandby(),
      ([found]) => found !== undefined && 'on_standby' in found && found.on_standby === true,
    );
    await replicaIsUsed(patient, true);
  });

  it('can stop and start at any time: the primary gets the reads meanwhile, without errors', async () => {
    await replicaIsUsed(patient, true);
    await servers.killStandby();
    const order = await stack.order(merchant, [{ sku }]);
    expect(await listed(patient)).toContain(order.reference_id);
    expect(await listed(strict)).toContain(order.reference_id);
    await replicaIsUsed(patient, false);
    expect((await of(patient).get('/readyz')).status).toBe(200);
    await servers.restartStandby();
    await replicaIsUsed(patient, true);
    await eventually(
      () => listed(patient),
      (orders) => orders.includes(order.reference_id),
    );
  });

  it('gets no reads if it is the primary itself, or another server that is no standby', async () => {
    const api = await stack.startApi({ DATABASE_READ_URL: servers.primary.url });
    try {
      await api.get(SchemaService).whenReady();
      await replicaIsUsed(api, false);
      const order = await stack.order(merchant, [{ sku }]);
      expect(await listed(api)).toEqual([order.reference_id]);
    } finally {
      await api.close();
    }
  });
});

describe('DATABASE_READ_URL of another database', () => {
  it('gets no reads, even if it is of a standby', async () => {
    const elsewhere = new URL(servers.url);
    elsewhere.pathname = '/template1';
    const api = await stack.startApi({
      DATABASE_READ_URL: elsewhere.href,
      DATABASE_READ_MAX_LAG_MS: AN_HOUR_MS,
    });
    try {
      await api.get(SchemaService).whenReady();
      expect(await api.get(ReadReplicaService).becomesUsable()).toBe(false);
      const order = await stack.order(merchant, [{ sku }]);
      expect(await listed(api)).toEqual([order.reference_id]);
    } finally {
      await api.close();
    }
  });
});

describe('commands with DATABASE_READ_URL', () => {
  const commands = (): CommandLine =>
    new CommandLine({
      DATABASE_URL: servers.primary.url,
      DATABASE_READ_URL: servers.url,
      LOG_LEVEL: 'silent',
    });

  /** The output of a command, and the statements that it sends to the standby. */
  const runAndWatch = async (...args: string[]) => {
    const before = servers.statements.length;
    const ran = await commands().run(...args);
    const asked = servers.statements.slice(before);
    return {
      ran,
      asked,
      snapshots: [...asked.matchAll(/ISOLATION LEVEL REPEATABLE READ READ ONLY/g)].length,
    };
  };

  it('read from the replica everything from before their start: the audit, reports, statements and lists', async () => {
    const order = await stack.order(merchant, [{ sku }]);
    await stack.orderWith(merchant, order.reference_id, 'completed');
    const today = new Date().toISOString().slice(0, 10);
    const all: string[] = [];
    for (const args of [
      ['audit', '--json'],
      ['order', 'list', '--json'],
      ['report', 'daily', '--date', today, '--timezone', 'UTC'],
      ['report', 'margin', '--from', today, '--to', today, '--by', 'merchant'],
      ['wallet', 'statement', '--merchant', String(merchant.id)],
    ]) {
      // The audit reads the books in batches, and reports also count archived orders.
      const expected = args[0] === 'report' ? 2 : 1;
      // A command rightly reads from the primary if a busy standby does not catch up within seconds.
      const { ran, asked } = await eventually(
        () => runAndWatch(...args),
        ({ snapshots }) => (args[0] === 'audit' ? snapshots > 0 : snapshots === expected),
      );
      expect([args, ran]).toEqual([args, expect.objectContaining({ code: 0, stderr: '' })]);
      if (args[0] === 'order') expect(ran.stdout).toContain(order.reference_id);
      all.push(asked);
    }
    for (const table of ['transfers', 'orders', 'order_items']) expect(all.join()).toContain(table);
  });

  it('read from the primary if the replica does not catch up soon', async () => {
    await whilePaused(async () => {
      const order = await stack.order(merchant, [{ sku }]);
      const list = await commands().run('order', 'list', '--json');
      expect(list.stdout).toContain(order.reference_id);
    });
  });
});
