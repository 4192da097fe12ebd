import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { INestApplicationContext } from '@nestjs/common';
import { OldEventPartitions } from '../../src/database/partitions/old-event-partitions.repository.js';
import { OldPartitionsService } from '../../src/maintenance/old-partitions.service.js';
import { RetentionService } from '../../src/maintenance/retention.service.js';
import { DAY_MS } from '../../src/core/durations.js';
import { DELIVERY_ATTEMPTS } from '../../src/webhooks/delivery-attempts.sql.js';
import { eventually } from '../support/eventually.js';
import { whileLocked } from '../support/locks.js';
import type { Partitioning } from '../support/partitioning.js';
import { unique, type TestMerchant, type TestStack } from '../support/stack.js';
import { untilDone } from '../support/until-served.js';
import { WebhookReceiver } from '../support/webhook-receiver.js';
import { openManagementPort, Scrape } from './management.js';
import { PartitionScene } from './partition-scene.js';

const DAYS = 30;
/** In days. */
const HOUR = 1 / 24;
const END = 20_000_000;

let scene: PartitionScene;
let stack: TestStack;
let merchant: TestMerchant;
let partitioning: Partitioning;
let worker: INestApplicationContext;
let receiver: WebhookReceiver;
let webhookId: number;
let path: string;
let log: { msg: string; level: string; reason?: string }[];

beforeEach(async () => {
  log = [];
  scene = await PartitionScene.make(
    { WEBHOOK_LOG_DAYS: String(DAYS), LOG_LEVEL: 'info' },
    { worker: false, logTo: { write: (line) => log.push(JSON.parse(line) as (typeof log)[number]) } },
  );
  ({ stack, merchant, partitioning } = scene);
  await partitioning.events(BigInt(END));
  // The worker starts later, because its first rounds would meet the tables while they are exchanged.
  worker = await startWorker();
  receiver = await new WebhookReceiver().listen();
  path = `/${unique('orders')}`;
  const { body } = await merchant.client.post<{ id: number }>('/v1/merchant-webhooks', {
    url: receiver.url(path),
    max_retries: 1,
    retry_delay: 86_400,
  });
  webhookId = body.id;
});

afterEach(async () => {
  await scene.close();
  await receiver.close();
});

/**
 * Starts a worker, and waits for its first round, which would meet those of the tests, and for its first heartbeat, because
 * nothing is old before. Then it removes old rows, as workers do soon after their start and an hour later again.
 */
async function startWorker(): Promise<INestApplicationContext> {
  const started = await stack.startWorker();
  const port = await openManagementPort(started, 0);
  for (const task of ['old_partitions', 'overdue_work', 'old_events'])
    await eventually(
      async () => (await Scrape.of(port)).value('topup_task_runs_total', { task, result: 'done' }) ?? 0,
      (rounds) => rounds > 0,
    );
  await untilDone(() => started.get(RetentionService).removeIfDue(new AbortController().signal, DAYS));
  return started;
}

/** A round of a worker's task, which runs every ten minutes. */
const round = (of = worker): Promise<void> => of.get(OldPartitionsService).dropOld(new AbortController().signal, DAYS);

/** Places orders, and waits until they have ended and had an attempt of their delivery. @returns their references. */
async function attemptedOrders(count: number): Promise<string[]> {
  const before = await attempts();
  const references: string[] = [];
  for (let n = 0; n < count; n++) references.push((await stack.order(merchant, [{ sku: scene.sku }])).reference_id);
  await eventually(attempts, (now) => now === before + count);
  return references;
}

const attempts = async (): Promise<number> => (await stack.sql(`SELECT FROM ${DELIVERY_ATTEMPTS} attempts`)).length;

/** Moves the ids to the next partitions. */
async function begin(...tables: string[]): Promise<void> {
  for (const table of tables) await scene.goOnAt(table, END);
}

const beginNext = (): Promise<void> => begin('events', 'webhook_deliveries');

/** Makes the rows of the first partition of events, and their deliveries, older by this many days. */
async function age(days: number): Promise<void> {
  const older = (moment: string): string => `${moment} = ${moment} - interval '${days} days'`;
  await partitioning.client.query(`
    BEGIN; SET LOCAL session_replication_role = 'replica';
    UPDATE orders SET ${older('updated_at')} WHERE id IN (SELECT order_id FROM events_0);
    UPDATE webhook_deliveries SET ${older('created_at')} WHERE event_id IN (SELECT id FROM events_0);
    UPDATE events_0 SET ${older('created_at')};
    COMMIT`);
}

const daysFromNow = (days: number): Date => new Date(Date.now() + days * DAY_MS);

/** The partitions of each table, except the current one and the next one. */
async function oldPartitions(): Promise<string[]> {
  const rows = await stack.sql<{ name: string }>(
    `SELECT inhrelid::regclass::text AS name FROM pg_inherits JOIN pg_class ON pg_class.oid = inhrelid
     WHERE relkind = 'r' AND relname ~ '_0$' ORDER BY 1`,
  );
  return rows.map(({ name }) => name);
}

/** Rounds of all these workers until only these partitions are left. */
const roundsUntil = (left: string[], workers = [worker]): Promise<string[]> =>
  eventually(
    async () => {
      await Promise.all(workers.map((each) => round(each)));
      return oldPartitions();
    },
    (names) => String(names) === String(left),
  );

const ALL = ['events_0', 'webhook_attempts_0', 'webhook_deliveries_0'];

interface EventsPage {
  data: { id: string; data: { reference_id: string } }[];
}

const eventsOf = async (): Promise<EventsPage['data']> =>
  (await merchant.client.get<EventsPage>('/v1/events')).body.data;

const listed = async (): Promise<string[]> => (await eventsOf()).map(({ data }) => data.reference_id);

/** Warnings about dropping, and about nothing else that a busy machine may delay. */
const troubles = (): typeof log =>
  log.filter(({ level, msg }) => level !== 'info' && /\bold (partitions|events)\b/.test(msg));

/** Other transactions may keep the locks for a moment: the next round drops the partitions. */
const isDelay = ({ level, reason = '' }: (typeof log)[number]): boolean =>
  level === 'warn' && /the locks of .+ are not free/.test(reason);

describe('old partitions', () => {
  it('are dropped once all their rows are old: deliveries and attempts first, and events a round later', async () => {
    const old = await attemptedOrders(2);
    await beginNext();
    const young = await attemptedOrders(2);
    await round();
    expect(await oldPartitions()).toEqual(ALL);
    await age(DAYS + 1);
    const [{ id: last } = { id: '' }] = (await eventsOf()).slice(1);
    expect((await merchant.client.get(`/v1/events?after=${last}`)).status).toBe(200);

    await roundsUntil(['events_0']);
    expect(await listed()).toEqual([...old, ...young]);
    expect(await scene.faults()).toEqual([]);
    await roundsUntil([]);
    expect(await listed()).toEqual(young);
    expect(await scene.faults()).toEqual([]);
    expect(await merchant.client.get(`/v1/events?after=${last}`)).toMatchObject({
      status: 400,
      body: { details: [{ field: 'after', code: 'INVALID_VALUE' }] },
    });
    for (const reference of [...old, ...young])
      expect((await merchant.client.get(`/v1/orders/${reference}`)).status).toBe(200);
    await attemptedOrders(1);
    expect(troubles().filter((line) => !isDelay(line))).toEqual([]);
  });

  it('are dropped once their newest rows are WEBHOOK_LOG_DAYS old, and not an hour earlier', async () => {
    await attemptedOrders(1);
    await beginNext();
    await attemptedOrders(1);
    await age(DAYS - HOUR);
    for (let times = 0; times < 2; times++) await round();
    expect(await oldPartitions()).toEqual(ALL);
    await age(2 * HOUR);
    await roundsUntil([]);
  });

  it('are not dropped while they have one young row, at any place, or may get new ids', async () => {
    await attemptedOrders(3);
    await age(DAYS + 1);
    for (let times = 0; times < 2; times++) await round();
    expect(await oldPartitions()).toEqual(ALL);
    await beginNext();
    await attemptedOrders(1);
    for (const table of ['events', 'webhook_deliveries'])
      await stack.sql(
        `UPDATE ${table}_0 SET created_at = now() WHERE id = (SELECT percentile_disc(0.5) WITHIN GROUP (ORDER BY id) FROM ${table}_0)`,
      );
    for (let times = 0; times < 2; times++) await round();
    expect(await oldPartitions()).toEqual(ALL);
  });

  it('are not dropped while they have a waiting delivery; their other rows are removed one by one if that takes long', async () => {
    receiver.answer(path, 500);
    await attemptedOrders(1);
    receiver.answer(path, 200);
    await attemptedOrders(2);
    await beginNext();
    await attemptedOrders(1);
    await age(DAYS + 1);
    for (let times = 0; times < 2; times++) await round();
    expect(await oldPartitions()).toEqual(ALL);

    await age(DAYS);
    await stack.stopWorkers();
    worker = await startWorker();
    await eventually(
      () => stack.sql(`SELECT status FROM webhook_deliveries_0`),
      ({ length }) => length === 1,
    );
    expect(await stack.sql('SELECT FROM events_0')).toHaveLength(1);
    const [{ id } = { id: 0n }] = await stack.sql<{ id: bigint }>('SELECT id FROM webhook_deliveries_0');
    await merchant.client.post(`/v1/merchant-webhooks/${webhookId}/deliveries/${id}/retry`);
    await eventually(
      () => stack.sql(`SELECT FROM webhook_deliveries_0 WHERE status = 'succeeded'`),
      ({ length }) => length === 1,
    );
    await roundsUntil([]);
    expect(await scene.faults()).toEqual([]);
  });

  it('are not dropped if one of their deliveries is retried at the last moment', async () => {
    await attemptedOrders(1);
    await beginNext();
    await attemptedOrders(1);
    await age(DAYS + 1);
    const old = new OldEventPartitions(partitioning.run, DAYS, daysFromNow(1));
    const [found] = await old.listDeliveries();
    if (!found) throw new Error('no partition is old');
    await stack.stopWorkers();
    await stack.sql(`UPDATE webhook_deliveries_0 SET status = 'pending', automatic = false, due_at = now()`);
    expect(await old.dropDeliveries(found)).toBe(false);
    expect(await oldPartitions()).toEqual(ALL);
  });

  it('are not old by a clock that was set forward', async () => {
    await attemptedOrders(1);
    await beginNext();
    await attemptedOrders(1);
    await age(DAYS + 1);
    for (const limit of [daysFromNow(-5), new Date(0)]) {
      const old = new OldEventPartitions(partitioning.run, DAYS, limit);
      expect([await old.listDeliveries(), await old.listWaiting()]).toEqual([[], []]);
      await old.announce();
    }
    expect(
      await stack.sql(`SELECT FROM event_retention WHERE removed_until > now() - interval '${DAYS + 1} days'`),
    ).toEqual([]);
  });

  it('are dropped after an interruption, too', async () => {
    await attemptedOrders(1);
    await beginNext();
    await attemptedOrders(1);
    await age(DAYS + 1);
    for (const step of ['DROP TABLE webhook', 'COMMIT']) {
      const old = new OldEventPartitions(partitioning.interruptedAt(step), DAYS, daysFromNow(1));
      const [found] = await old.listDeliveries();
      if (!found) throw new Error('no partition is old');
      await expect(untilDone(() => old.dropDeliveries(found))).rejects.toThrow('interrupted');
      expect(await oldPartitions()).toEqual(ALL);
      await attemptedOrders(1);
    }
    await roundsUntil([]);
    expect(await scene.faults()).toEqual([]);
  });

  it('are dropped by one of several workers that find them at once', async () => {
    await attemptedOrders(1);
    await beginNext();
    await attemptedOrders(1);
    await age(DAYS + 1);
    const workers = [worker, await startWorker(), await startWorker()];
    await roundsUntil([], workers);
    expect(log.filter(({ msg }) => msg === 'old partitions were dropped')).toHaveLength(2);
    expect(troubles().filter((line) => !isDelay(line))).toEqual([]);
  });

  it.each([false, true])(
    'are dropped beside open writes, and orders end while a lock delays the drop; orders partitioned: %s',
    async (arePartitioned) => {
      if (arePartitioned) await partitioning.orders(1_000_000n);
      await attemptedOrders(1);
      await beginNext();
      await attemptedOrders(1);
      await age(DAYS + 1);
      await whileLocked(stack, 'SELECT FROM webhook_deliveries LIMIT 1', async () => {
        const rounds = round();
        await attemptedOrders(3);
        await rounds;
      });
      expect(troubles().map(({ level, reason }) => `${level}: ${reason}`)).toEqual([
        expect.stringMatching(/^warn: .*not free/),
      ]);
      expect(await oldPartitions()).toEqual(ALL);
      const writing = 'LOCK TABLE orders, webhooks, wallets, merchants IN ROW EXCLUSIVE MODE';
      await whileLocked(stack, writing, () => roundsUntil([]));
      await attemptedOrders(1);
      expect(await scene.faults()).toEqual([]);
    },
  );
});

describe('events that are removed row by row', () => {
  /** A worker removes rows as soon as it starts. */
  async function removeRows(): Promise<void> {
    await stack.stopWorkers();
    log.length = 0;
    worker = await startWorker();
    await eventually(
      () => log,
      (lines) => lines.some(({ msg }) => msg === 'old events were removed'),
    );
  }

  it('are not those whose partition will soon be dropped, but all if it was not dropped in time', async () => {
    await attemptedOrders(3);
    await beginNext();
    const [early] = await attemptedOrders(2);
    await age(DAYS + 1);
    await stack.sql(`UPDATE events SET created_at = created_at - interval '${DAYS + 1} days' WHERE reference_id = $1`, [
      early,
    ]);
    await removeRows();
    expect(await listed()).not.toContain(early);
    expect(await listed()).toHaveLength(4);
    await age(DAYS);
    await removeRows();
    expect(await listed()).toHaveLength(1);
  });

  it('are those with deliveries in a partition that stays, so that their own partition can be dropped', async () => {
    const whole = await attemptedOrders(2);
    await begin('webhook_deliveries');
    const apart = await attemptedOrders(2);
    await begin('events');
    const young = await attemptedOrders(1);
    await age(DAYS + 1);
    await removeRows();
    expect(await listed()).toEqual([...whole, ...young]);
    expect(apart).toHaveLength(2);
    await roundsUntil([]);
    expect(await listed()).toEqual(young);
    expect(await scene.faults()).toEqual([]);
  });
});
