import type { INestApplication } from '@nestjs/common';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { serviceVersion } from '../../src/core/project-root.js';
import { Database } from '../../src/database/database.js';
import { SchemaService } from '../../src/database/schema.service.js';
import { DatabaseStatsService } from '../../src/monitoring/management/database-stats.service.js';
import { closeWithBalancedBooks } from '../support/books.js';
import { eventually } from '../support/eventually.js';
import { bought, refused } from '../support/fake-supplier.js';
import { whileLocked } from '../support/locks.js';
import { TestStack, unique, type TestMerchant } from '../support/stack.js';
import { WebhookReceiver } from '../support/webhook-receiver.js';
import { Wire } from '../support/wire.js';
import { openManagementPort, Scrape, type Labels } from './management.js';

const LOCK_ORDERS = 'LOCK TABLE orders IN ACCESS EXCLUSIVE MODE';

let stack: TestStack;
let receiver: WebhookReceiver;
let merchant: TestMerchant;
let sku: string;
/** Management ports. */
let api: string;
let worker: string;

beforeAll(async () => {
  stack = await TestStack.start({}, { worker: false });
  receiver = await new WebhookReceiver().listen();
  api = await openManagementPort(stack.api, 0);
  worker = await openManagementPort(await stack.startWorker(), 0);
  merchant = await stack.merchant('1000.00');
  sku = await stack.product('35.00');
});

afterAll(() => closeWithBalancedBooks(stack, receiver));

/** The increase of a counter during an action, once it is complete. */
async function added(
  port: string,
  name: string,
  labels: Labels,
  count: number,
  happen: () => Promise<unknown>,
): Promise<void> {
  const read = async (): Promise<number> => (await Scrape.of(port)).value(name, labels) ?? 0;
  const before = await read();
  await happen();
  await eventually(read, (value) => value >= before + count);
  expect(await read()).toBe(before + count);
}

const placeAndEnd = async (quantity: number, userId?: string): Promise<void> => {
  const { reference_id } = await stack.order(merchant, [{ sku, quantity }], userId);
  await stack.orderWith(merchant, reference_id, 'completed', 'failed');
};

describe('an order is counted', () => {
  it('as placed, in the API, and as completed, in the worker', async () => {
    await added(api, 'topup_orders_total', { transition: 'placed' }, 1, () =>
      added(worker, 'topup_orders_total', { transition: 'completed' }, 1, () =>
        added(worker, 'topup_order_duration_seconds_count', { status: 'completed' }, 1, () => placeAndEnd(1)),
      ),
    );
  });

  it('once, even if it is sent again', async () => {
    const order = { reference_id: unique('order'), user_id: 'player-1', items: [{ sku }] };
    await merchant.client.post('/v1/orders', order);
    await added(api, 'topup_orders_total', { transition: 'placed' }, 0, () =>
      merchant.client.post('/v1/orders', order),
    );
    await stack.orderWith(merchant, order.reference_id, 'completed');
  });

  it('with the units and calls of its supplier, each by its outcome', async () => {
    stack.supplier.script('one-of-two', ({ reference }) =>
      reference.endsWith('.1') ? bought(reference) : refused(reference, 'OUT_OF_STOCK'),
    );
    const unit = { supplier: 'fake' };
    const send = { supplier: 'fake', kind: 'send' };
    await added(worker, 'topup_units_total', { ...unit, outcome: 'succeeded' }, 1, () =>
      added(worker, 'topup_units_total', { ...unit, outcome: 'failed' }, 1, () =>
        added(worker, 'topup_supplier_calls_total', { ...send, outcome: 'failed' }, 1, () =>
          added(worker, 'topup_supplier_call_duration_seconds_count', send, 2, () =>
            added(worker, 'topup_orders_total', { transition: 'failed' }, 1, () => placeAndEnd(2, 'one-of-two')),
          ),
        ),
      ),
    );
  });

  it('with the inquiries about a unit in doubt', async () => {
    stack.supplier.script('in-doubt', ({ kind, reference }) => (kind === 'send' ? 'drop' : bought(reference)));
    const call = { supplier: 'fake' };
    await added(worker, 'topup_supplier_calls_total', { ...call, kind: 'send', outcome: 'unknown' }, 1, () =>
      added(worker, 'topup_supplier_calls_total', { ...call, kind: 'inquiry', outcome: 'succeeded' }, 1, () =>
        placeAndEnd(1, 'in-doubt'),
      ),
    );
  });

  it('as a refusal if the wallet is empty, and not as an order', async () => {
    const poor = await stack.merchant('10.00');
    await added(api, 'topup_orders_total', { transition: 'placed' }, 0, () =>
      added(api, 'topup_refused_requests_total', {}, 1, () =>
        added(api, 'topup_wallet_refusals_total', {}, 1, async () => {
          const order = { reference_id: unique('order'), user_id: 'player-1', items: [{ sku }] };
          expect((await poor.client.post('/v1/orders', order)).status).toBe(503);
        }),
      ),
    );
  });

  it('in the batches of group commits, with the wait of each command', async () => {
    const name = 'topup_group_commit';
    const [atApi, atWorker] = [await Scrape.of(api), await Scrape.of(worker)];
    for (const [scrape, writer] of [
      [atApi, 'placement'],
      [atWorker, 'settlement'],
      [atWorker, 'postponement'],
    ] as const) {
      expect(scrape.value(`${name}_batch_size_count`, { writer })).toBeGreaterThan(0);
      expect(scrape.value(`${name}_wait_seconds_count`, { writer })).toBe(
        scrape.value(`${name}_batch_size_sum`, { writer }),
      );
    }
  });
});

describe('a webhook attempt is counted by its result', () => {
  const register = async (url: string): Promise<void> => {
    const { status } = await merchant.client.post('/v1/merchant-webhooks', {
      url,
      secret: 'a secret of the test',
      max_retries: 0,
    });
    expect(status).toBe(201);
  };

  it.each([
    ['2xx', 204],
    ['3xx', 302],
    ['4xx', 410],
    ['5xx', 500],
  ] as const)('%s', async (result, status) => {
    receiver.answer(`/${status}`, status);
    await register(receiver.url(`/${status}`));
    await added(worker, 'topup_webhook_attempts_total', { result }, 1, () => placeAndEnd(1));
    await clearWebhooks();
  });

  it('connect, if nothing listens', async () => {
    await register('http://127.0.0.1:1/');
    await added(worker, 'topup_webhook_attempts_total', { result: 'connect' }, 1, () => placeAndEnd(1));
    await clearWebhooks();
    expect((await Scrape.of(worker)).value('topup_webhook_attempt_duration_seconds_count')).toBe(5);
    // An attempt is counted before it is recorded.
    const recorded = async (): Promise<number> =>
      (await Scrape.of(worker)).value('topup_group_commit_batch_size_sum', { writer: 'attempts' }) ?? 0;
    await eventually(recorded, (count) => count >= 5);
    expect(await recorded()).toBe(5);
  });

  async function clearWebhooks(): Promise<void> {
    const { body } = await merchant.client.get<{ id: number }[]>('/v1/merchant-webhooks');
    for (const { id } of body) await merchant.client.delete(`/v1/merchant-webhooks/${id}`);
  }
});

describe('requests are measured by route', () => {
  const name = 'http_request_duration_seconds_count';
  const seen = (labels: Labels): Promise<number> =>
    eventually(
      async () => (await Scrape.of(api)).value(name, labels) ?? 0,
      (count) => count > 0,
    );

  it('under its pattern, with any values in the path', async () => {
    for (const reference of ['a', 'b', 'c%2Fd']) await merchant.client.get(`/v1/orders/${reference}`);
    await seen({ method: 'GET', route: '/v1/orders/:reference_id', status: '404' });
    await merchant.client.get('/v1/wallet');
    await seen({ method: 'GET', route: '/v1/wallet', status: '200' });
  });

  it('under one name without a route, or if none was looked up', async () => {
    const before = (await Scrape.of(api)).valuesOf(name, 'route');
    for (let n = 0; n < 20; n++) {
      await merchant.client.get(`/v1/${unique('nowhere')}`);
      await fetch(`${stack.url}/${unique('nowhere')}`, { method: n % 2 ? 'PROPFIND' : 'GET' });
      await fetch(`${stack.url}/docs/${unique('nowhere')}`);
      await fetch(`${stack.url}/v1/orders/${unique('nowhere')}`, { headers: { 'x-api-key': 'none' } });
    }
    await seen({ method: 'GET', route: 'unknown', status: '401' });
    await seen({ method: 'other', route: 'unknown', status: '404' });
    const after = (await Scrape.of(api)).valuesOf(name, 'route');
    // An earlier request may have been refused before its route was looked up, and so counted as unknown.
    expect([...after].filter((route) => route === 'unknown' || !before.has(route))).toEqual(['unknown']);
    for (const route of after) expect(route).toMatch(/^unknown$|^\/[a-z0-9:_/.-]*$/i);
    expect((await Scrape.of(api)).valuesOf(name, 'method').size).toBeLessThanOrEqual(8);
  });
});

describe('the metrics from PostgreSQL', () => {
  const figure = (name: string, labels: Labels, passes: (value: number) => boolean): Promise<number> =>
    eventually(async () => (await Scrape.of(worker)).value(name, labels) ?? Number.NaN, passes);

  it('show open orders, units in doubt and in review, and due work', async () => {
    await stack.stopWorkers();
    worker = api;
    await stack.order(merchant, [{ sku, quantity: 3 }]);
    await figure('topup_orders_open', {}, (open) => open === 1);
    await stack.sql(`UPDATE orders SET created_at = now() - interval '1 hour' WHERE status = 'pending'`);
    await stack.sql(`UPDATE order_units SET state = 'unknown', unknown_since = now() - interval '10 minutes'
                     WHERE state = 'queued' AND unit = 1`);
    await stack.sql(`UPDATE order_units SET state = 'review', next_action_at = NULL,
                       updated_at = now() - interval '20 minutes' WHERE state = 'queued' AND unit = 2`);
    await figure('topup_orders_oldest_open_seconds', {}, (age) => age >= 3_600 && age < 3_700);
    // What cannot be read in time on a busy machine is left out of a scrape.
    const names = ['orders_open', 'units_unknown', 'units_review', 'queue_due', 'database_size_bytes'];
    const scrape = await eventually(
      () => Scrape.of(api),
      (each) => names.every((name) => each.samples(`topup_${name}`).length > 0),
    );
    expect(scrape.value('topup_units_unknown')).toBe(1);
    expect(scrape.value('topup_units_unknown_oldest_seconds')).toBeGreaterThanOrEqual(600);
    expect(scrape.value('topup_units_review')).toBe(1);
    expect(scrape.value('topup_units_review_oldest_seconds')).toBeGreaterThanOrEqual(1_200);
    expect(scrape.value('topup_queue_due', { queue: 'fulfilment' })).toBe(2);
    expect(scrape.value('topup_queue_oldest_due_seconds', { queue: 'fulfilment' })).toBeGreaterThan(0);
    expect(scrape.value('topup_queue_due', { queue: 'webhooks' })).toBe(0);
    expect(scrape.value('topup_database_size_bytes')).toBeGreaterThan(1_000_000);
    expect(scrape.value('topup_database_up')).toBe(1);
  });

  it('show due deliveries', async () => {
    const { body } = await merchant.client.post<{ id: number }>('/v1/merchant-webhooks', {
      url: receiver.url('/due'),
    });
    await merchant.client.post(`/v1/merchant-webhooks/${body.id}/test`);
    await stack.sql(`UPDATE webhook_deliveries SET due_at = due_at - interval '5 minutes' WHERE due_at IS NOT NULL`);
    await figure('topup_queue_due', { queue: 'webhooks' }, (due) => due === 1);
    await figure('topup_queue_oldest_due_seconds', { queue: 'webhooks' }, (age) => age >= 300);
  });

  it('show the amount by which the books are wrong', async () => {
    await figure('topup_wallet_held_mismatch_baht', {}, (difference) => difference === 0);
    await stack.sql(`UPDATE wallets SET held = held + 12345 WHERE merchant_id = $1`, [merchant.id]);
    await figure('topup_wallet_held_mismatch_baht', {}, (difference) => difference === 123.45);
    await stack.sql(`UPDATE wallets SET held = held - 12345 WHERE merchant_id = $1`, [merchant.id]);
  });

  it('count the merchants whose balance is below their alert', async () => {
    await figure('topup_wallets_below_alert', {}, (count) => count === 0);
    await stack.sql(`UPDATE wallets SET alert_below = available + 1 WHERE merchant_id = $1`, [merchant.id]);
    await figure('topup_wallets_below_alert', {}, (count) => count === 1);
    await stack.sql(`UPDATE wallets SET alert_below = NULL WHERE merchant_id = $1`, [merchant.id]);
  });

  it('show the time since the end of the last complete backup; before one, since the first attempt', async () => {
    const name = 'topup_backup_age_seconds';
    await figure(name, {}, Number.isNaN);
    await stack.sql(
      `INSERT INTO backups (started_at) VALUES (now() - interval '30 hours'), (now() - interval '1 hour')`,
    );
    await figure(name, {}, (age) => age >= 30 * 3_600);
    // It took three hours.
    await stack.sql(`UPDATE backups SET completed_at = started_at + interval '3 hours', bytes = 7
                     WHERE started_at < now() - interval '2 hours'`);
    await figure(name, {}, (age) => age >= 27 * 3_600 && age < 30 * 3_600);
    await stack.sql('TRUNCATE backups');
    await figure(name, {}, Number.isNaN);
  });

  it('are read once in five seconds, with any number of scrapes', async () => {
    const usual = await stack.startApi();
    await usual.get(SchemaService).whenReady();
    const port = await openManagementPort(usual);
    // The sequence counts the queries.
    const age = async (): Promise<number | undefined> =>
      (await Scrape.of(port)).value('topup_orders_oldest_open_seconds');
    const timesRead = async (): Promise<number> => {
      const before = await age();
      const { startedAt, first } = await eventually(
        async () => ({ startedAt: performance.now(), first: await age() }),
        (read) => read.first !== undefined && read.first !== before,
      );
      let times = 0;
      while ((await age()) === first) times++;
      expect(performance.now() - startedAt).toBeGreaterThan(4_500);
      return times;
    };
    // Repeated if the machine was so slow that the five seconds were over before.
    await eventually(timesRead, (times) => times >= 20);
    await usual.close();
  });
});

describe('a scrape gets an answer in every state of PostgreSQL', () => {
  let wire: Wire;
  let other: INestApplication;
  let port: string;

  beforeAll(async () => {
    wire = await new Wire(stack.config.DATABASE_URL).listen();
    other = await stack.startApi({ DATABASE_URL: wire.url });
    await other.get(SchemaService).whenReady();
    port = await openManagementPort(other, 0);
  });

  afterAll(async () => {
    await other.close();
    await wire.close();
  });

  const scrapeWith = (passes: (scrape: Scrape) => boolean): Promise<Scrape> =>
    eventually(() => Scrape.of(port), passes);
  const isUp = (scrape: Scrape): boolean => scrape.value('topup_database_up') === 1;

  it('unreachable: its metrics are left out, all others are there', async () => {
    await scrapeWith((each) => isUp(each) && each.value('topup_orders_open') === 1);
    wire.cut();
    const scrape = await scrapeWith((each) => !isUp(each));
    expect(scrape.value('topup_database_up')).toBe(0);
    expect(scrape.samples('topup_orders_open')).toEqual([]);
    expect(scrape.samples('topup_queue_due')).toEqual([]);
    expect(scrape.value('topup_orders_total', { transition: 'placed' })).toBe(0);
    expect(scrape.value('topup_build_info', { version: serviceVersion(), node_version: process.version })).toBe(1);
    expect(scrape.value('nodejs_eventloop_lag_seconds')).toBeDefined();
    expect(scrape.value('topup_database_pool_connections', { state: 'waiting' })).toBe(0);
    wire.restore();
    await scrapeWith((each) => isUp(each) && each.value('topup_orders_open') === 1);
  });

  it('busy: only the metrics that could not be read in time are left out', async () => {
    const areMissing = (each: Scrape): boolean =>
      ['topup_orders_open', 'topup_wallet_held_mismatch_baht'].every((name) => each.samples(name).length === 0);
    // A busy PostgreSQL may answer a scrape too late for others, too.
    await whileLocked(stack, LOCK_ORDERS, () =>
      scrapeWith((each) => isUp(each) && areMissing(each) && each.value('topup_units_review') === 1),
    );
    await scrapeWith((each) => each.value('topup_orders_open') === 1);
  });

  it('busy for a while: the metrics keep their values, and their age grows', async () => {
    const stats = other.get(DatabaseStatsService);
    stats.keptForMs = 3_600_000;
    const age = (each: Scrape): number =>
      each.value('topup_database_metrics_age_seconds', { statement: 'orders' }) ?? 0;
    const scrapeWhileLocked = async (): Promise<Scrape> => {
      await scrapeWith((each) => each.value('topup_orders_open') === 1);
      return whileLocked(stack, LOCK_ORDERS, () => scrapeWith((each) => isUp(each) && age(each) > 1));
    };
    // Repeated if PostgreSQL answered nothing for seconds meanwhile.
    await eventually(scrapeWhileLocked, (scrape) => scrape.value('topup_orders_open') === 1);
    stats.keptForMs = 0;
  });

  it('so busy that a scrape is over before all metrics are read: it is up, and the metrics are left out', async () => {
    await scrapeWith((each) => isUp(each) && each.value('topup_orders_open') === 1);
    const tables =
      'orders, order_units, suppliers, supplier_reversals, webhook_deliveries, wallets, deposit_channels, backups';
    const areMissing = (each: Scrape): boolean =>
      ['topup_orders_open', 'topup_database_size_bytes'].every((name) => each.samples(name).length === 0);
    await whileLocked(stack, `LOCK TABLE ${tables} IN ACCESS EXCLUSIVE MODE`, () =>
      scrapeWith((each) => isUp(each) && areMissing(each)),
    );
    await scrapeWith((each) => isUp(each) && (each.value('topup_database_size_bytes') ?? 0) > 0);
  });

  it('silent: the scrape does not wait until the query times out', async () => {
    await scrapeWith(isUp);
    const { pool } = other.get(Database);
    // A connection that is being opened does not fall silent yet.
    const scrapeTheSilent = async (): Promise<{ scrape: Scrape; isAsking: boolean }> => {
      wire.silence();
      return { scrape: await Scrape.of(port), isAsking: pool.totalCount > pool.idleCount };
    };
    await eventually(scrapeTheSilent, ({ scrape, isAsking }) => !isUp(scrape) && isAsking);
    await scrapeWith((each) => isUp(each) && each.value('topup_orders_open') === 1);
  });
});
