import type { INestApplicationContext } from '@nestjs/common';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { setTimeout as delay } from 'node:timers/promises';
import { Redis } from 'ioredis';
import pg from 'pg';
import { DELIVERY_ATTEMPTS } from '../../src/webhooks/delivery-attempts.sql.js';
import { deferred } from '../support/deferred.js';
import { eventually } from '../support/eventually.js';
import { whileLocked } from '../support/locks.js';
import { TestStack, type OrderBody } from '../support/stack.js';
import { untilDone } from '../support/until-served.js';
import { DispatchRepository } from '../../src/webhooks/dispatch.repository.js';
import { WebhookDispatcher } from '../../src/webhooks/webhook-dispatcher.js';
import { deliveriesAre, Endpoints, Hooks, Workers, type DeliveryDetail, type WorkerChanges } from './support.js';

const SLOTS = 4;
/** The timeout. An attempt in flight lasts until the test ends it. */
const PATIENT: WorkerChanges = { timing: { timeoutMs: 120_000 } };

let stack: TestStack;
let endpoints: Endpoints;
let hooks: Hooks;
let sku: string;
const workers = new Workers();

beforeAll(async () => {
  stack = await TestStack.start({ WEBHOOK_MAX_IN_FLIGHT: String(SLOTS) }, { worker: false });
  endpoints = await new Endpoints().listen();
  sku = await stack.product('1.00');
});

afterAll(async () => {
  await stack.close();
  await endpoints.close();
});

beforeEach(async () => void (hooks = new Hooks(await stack.merchant())));

afterEach(() => workers.close());

const order = (): Promise<OrderBody> => stack.order(hooks.merchant, [{ sku }]);

const start = (changes?: WorkerChanges): Promise<INestApplicationContext> => workers.start(stack, changes);

const statuses = (id: number, expected: string, count: number): Promise<void> =>
  deliveriesAre(stack, id, expected, count);

interface Begun {
  id: bigint;
  webhook_id: number;
}

/** Begins an attempt of the webhook's only delivery, as a claim does. */
async function begin(webhookId: number, number: number): Promise<Begun> {
  const [delivery] = await stack.sql<Begun>(
    `UPDATE webhook_deliveries SET due_at = NULL, attempt_count = $2, attempt_started_at = now(),
       leased_until = now() + interval '1 hour' WHERE webhook_id = $1 RETURNING id, webhook_id`,
    [webhookId, number],
  );
  return delivery as Begun;
}

/** The end of an attempt, for the record. */
const ended = ({ id, webhook_id }: Begun, number: number, status: number, startedAt = new Date()) => ({
  delivery_id: id,
  webhook_id,
  number,
  started_at: startedAt,
  response_status: status,
  error: null,
  response_body: null,
  duration_ms: 10,
  retry_after: null,
});

describe('a worker', () => {
  it('makes first attempts before retries', async () => {
    const url = endpoints.add();
    const { id } = await hooks.register(url);
    await Promise.all(Array.from({ length: 12 }, () => hooks.test(id)));
    // Four of them become retries, which have been due for longer than the others.
    await stack.sql(
      `UPDATE webhook_deliveries SET attempt_count = 1, due_at = now() - interval '1 hour'
       WHERE id IN (SELECT id FROM webhook_deliveries WHERE webhook_id = $1 ORDER BY id LIMIT 4)`,
      [id],
    );
    await start();
    await statuses(id, 'succeeded', 12);
    const rows = await stack.sql<{ is_retry: boolean }>(
      `SELECT d.attempt_count > 1 AS is_retry FROM webhook_deliveries d JOIN ${DELIVERY_ATTEMPTS} a ON a.delivery_id = d.id
       WHERE d.webhook_id = $1 ORDER BY a.started_at, d.attempt_count`,
      [id],
    );
    expect(rows.map(({ is_retry }) => is_retry)).toEqual([
      ...Array<boolean>(8).fill(false),
      ...Array<boolean>(4).fill(true),
    ]);
  });
});

describe('a worker that dies', () => {
  const abandon = (id: number): Promise<unknown> =>
    stack.sql(
      `UPDATE webhook_deliveries SET due_at = NULL, attempt_count = attempt_count + 1,
         attempt_started_at = now() - interval '21 s', leased_until = now() - interval '1 s' WHERE webhook_id = $1`,
      [id],
    );

  it('leaves attempts that count, are logged as interrupted, and are retried', async () => {
    const url = endpoints.add();
    const { id } = await hooks.register(url);
    const { secret_hint: _, ...webhook } = (await hooks.get(id)).body;
    await order();
    // A worker without deliveries settles the order.
    await start({ config: { WEBHOOK_MAX_IN_FLIGHT: 0 } });
    await statuses(id, 'pending', 1);
    await workers.close();
    await abandon(id);
    await start();
    const { attempts, ...delivery } = await hooks.newestIs(id, 'succeeded');
    expect(attempts).toMatchObject([
      { number: 1, response_status: null, error: 'interrupted', response_body: null, duration_ms: 20_000 },
      { number: 2, response_status: 204, error: null },
    ]);
    const [first, second] = attempts;
    const gapMs = Date.parse(second?.started_at ?? '') - Date.parse(first?.started_at ?? '') - 20_000;
    expect(gapMs).toBeGreaterThanOrEqual(webhook.retry_delay * 1000);
    expect(delivery.attempt_count).toBe(2);
  });

  it('leaves no attempt of a negative duration, even if the clock was set back meanwhile', async () => {
    const { id } = await hooks.register(endpoints.add());
    await hooks.test(id);
    // Leases were pulled back, and attempts still began at the time of the clock before.
    await stack.sql(
      `UPDATE webhook_deliveries SET due_at = NULL, attempt_count = 1, leased_until = now() - interval '1 s',
         attempt_started_at = now() + interval '60 days' WHERE webhook_id = $1`,
      [id],
    );
    await start();
    expect(await hooks.newestIs(id, 'failed')).toMatchObject({
      attempts: [{ number: 1, error: 'interrupted', duration_ms: 0 }],
    });
  });

  it('makes its delivery fail for good if the interrupted attempt was the last one', async () => {
    const { id } = await hooks.register(endpoints.add());
    await hooks.test(id);
    await abandon(id);
    await start();
    expect(await hooks.newestIs(id, 'failed')).toMatchObject({
      attempts: [{ number: 1, error: 'interrupted' }],
    });
  });

  it('does not keep its slots', async () => {
    const url = endpoints.add();
    const { id } = await hooks.register(url);
    await Promise.all(Array.from({ length: SLOTS }, () => hooks.test(id)));
    await abandon(id);
    await hooks.test(id);
    await start();
    await endpoints.arrived(url);
    await statuses(id, 'failed', SLOTS);
  });

  const standStill = (id: number): Promise<unknown> =>
    stack.sql(`UPDATE webhook_deliveries SET leased_until = now() - interval '1 s' WHERE webhook_id = $1`, [id]);

  /** An endpoint whose answers come from the test, in the order of the requests. */
  function held() {
    const answers: ((status: number, text: string) => void)[] = [];
    const url = endpoints.add((response) => {
      answers.push((status, text) => response.writeHead(status).end(text));
    });
    return {
      url,
      answer: (index: number, status: number, text = ''): void => answers[index]?.(status, text),
    };
  }

  it('and still reports a success makes the delivery succeed, even if it had failed for good', async () => {
    const { url, answer } = held();
    const { id } = await hooks.register(url, { max_retries: 0 });
    await start(PATIENT);
    await order();
    await endpoints.arrived(url);
    await standStill(id);
    await hooks.newestIs(id, 'failed');
    answer(0, 200, 'late');
    const { attempts, ...delivery } = await hooks.newestIs(id, 'succeeded');
    expect(attempts).toMatchObject([{ number: 1, response_status: 200, error: null, response_body: 'late' }]);
    expect(delivery).toMatchObject({ attempt_count: 1, next_attempt_at: null });
  });

  it('and still reports a success ends the retries', async () => {
    const { url, answer } = held();
    const { id } = await hooks.register(url, { max_retries: 3, retry_delay: 3_600 });
    await start(PATIENT);
    await order();
    await endpoints.arrived(url);
    await standStill(id);
    await hooks.newest(id, ({ attempt_count: count }) => count === 1);
    answer(0, 204);
    const delivery = await hooks.newestIs(id, 'succeeded');
    expect(delivery).toMatchObject({ attempt_count: 1, next_attempt_at: null, attempts: [{ error: null }] });
  });

  it('and still reports a success makes the delivery succeed once the attempt in flight ends, with any result', async () => {
    const { url, answer } = held();
    const { id } = await hooks.register(url, { max_retries: 1 });
    await start(PATIENT);
    await order();
    await endpoints.arrived(url);
    await standStill(id);
    await endpoints.arrived(url, 2);
    answer(0, 200, 'late');
    const hasSucceededLate = ({ attempts: [first] }: DeliveryDetail): boolean => first?.response_status === 200;
    expect(await hooks.newest(id, hasSucceededLate)).toMatchObject({
      status: 'pending',
      attempts: [{ number: 1, response_status: 200, error: null, response_body: 'late' }],
    });
    answer(1, 500);
    expect((await hooks.newestIs(id, 'succeeded')).attempts).toMatchObject([
      { number: 1, response_status: 200, error: null },
      { number: 2, response_status: 500 },
    ]);
  });

  it.each([
    ['would be the last one', 1],
    ['would be followed by another', 3],
  ])('and still reports a success beside the record of the next attempt, which %s', async (_what, retries) => {
    // Repeated if the machine was so slow that a record waited for longer than PostgreSQL lets it.
    const id = await untilDone(() => recordBeside(retries));
    expect(await hooks.newestIs(id, 'succeeded')).toMatchObject({ attempt_count: 2, next_attempt_at: null });
  });

  /** Records the success of the first attempt, and beside it the failure of the second one. @returns the webhook. */
  async function recordBeside(retries: number): Promise<number> {
    const { id } = await hooks.register(endpoints.add(), { max_retries: retries });
    await start({ config: { WEBHOOK_MAX_IN_FLIGHT: 0 } });
    await order();
    await statuses(id, 'pending', 1);
    await workers.close();
    const began = new Date(Date.now() - 60_000);
    const delivery = await begin(id, 2);
    await stack.sql(
      `INSERT INTO webhook_attempts (delivery_id, number, started_at, duration_ms, error) VALUES ($1, 1, $2, 9, 'interrupted')`,
      [delivery.id, began],
    );
    const waiting = (count: number): Promise<unknown> =>
      eventually(
        () => stack.sql(`SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`),
        ({ length }) => length === count,
      );
    const deliveries = new DispatchRepository(stack.database);
    const client = new pg.Client(stack.config.DATABASE_URL);
    await client.connect();
    try {
      // The late record has locked the delivery and waits, and the next attempt's record, which began later, waits for it.
      await client.query('BEGIN');
      await client.query('SELECT FROM webhook_attempts WHERE delivery_id = $1 FOR UPDATE', [delivery.id]);
      const late = deliveries.recordLate([ended(delivery, 1, 200, began)]);
      await Promise.race([waiting(1), late]);
      const next = deliveries.record([ended(delivery, 2, 500)], 'briefly');
      await Promise.race([waiting(2), late, next]);
      await client.query('COMMIT');
      await late;
      expect((await next).recorded).toMatchObject([{ status: 'succeeded', due_in_ms: null }]);
    } finally {
      await client.end();
    }
    return id;
  }

  it('and still reports a success makes the delivery succeed once the next attempt is interrupted, too', async () => {
    const { url, answer } = held();
    const { id } = await hooks.register(url, { max_retries: 1 });
    await start(PATIENT);
    await order();
    await endpoints.arrived(url);
    await standStill(id);
    await endpoints.arrived(url, 2);
    answer(0, 200, 'late');
    await hooks.newest(id, ({ attempts: [first] }) => first?.response_status === 200);
    await standStill(id);
    expect((await hooks.newestIs(id, 'succeeded')).attempts).toMatchObject([
      { number: 1, response_status: 200, error: null },
      { number: 2, error: 'interrupted' },
    ]);
  });

  it('and still reports a failure changes nothing', async () => {
    const { url, answer } = held();
    const { id } = await hooks.register(url, { max_retries: 1 });
    const other = await hooks.register(endpoints.add(), { events: ['wallet.low_balance'] });
    await start(PATIENT);
    await order();
    await endpoints.arrived(url);
    await standStill(id);
    await endpoints.arrived(url, 2);
    answer(0, 500, 'late');
    await hooks.test(other.id);
    await hooks.newestIs(other.id, 'succeeded');
    answer(1, 204);
    expect((await hooks.newestIs(id, 'succeeded')).attempts).toMatchObject([
      { number: 1, error: 'interrupted', response_body: null },
      { number: 2, response_status: 204, error: null },
    ]);
  });
});

describe('a webhook whose row another transaction keeps locked', () => {
  const lockOf = (id: number): string => `SELECT FROM webhooks WHERE id = ${id} FOR UPDATE`;

  it('is left out of a record of many, which waits for no lock', async () => {
    const registered = [await hooks.register(endpoints.add()), await hooks.register(endpoints.add())] as const;
    for (const { id } of registered) await hooks.test(id);
    const attempts = await Promise.all(registered.map(async ({ id }) => ended(await begin(id, 1), 1, 204)));
    const [locked, other] = registered;
    const deliveries = new DispatchRepository(stack.database);
    const { recorded, free } = await whileLocked(stack, lockOf(locked.id), () =>
      deliveries.record(attempts, 'briefly'),
    );
    expect(recorded).toMatchObject([{ webhook_id: other.id, status: 'succeeded' }]);
    expect([...free]).toEqual([other.id]);
    expect(await hooks.newest(locked.id, () => true)).toMatchObject({ status: 'pending', attempts: [] });
  });

  it('keeps its own attempt waiting for its record, and no other one', async () => {
    const answered = deferred<void>();
    const url = endpoints.add((response) => void answered.promise.then(() => response.writeHead(204).end()));
    const [locked, other] = [await hooks.register(url), await hooks.register(endpoints.add())];
    await hooks.test(locked.id);
    await start(PATIENT);
    await endpoints.arrived(url);
    await whileLocked(stack, lockOf(locked.id), async () => {
      answered.resolve();
      await hooks.test(other.id);
      await hooks.newestIs(other.id, 'succeeded');
      expect(await hooks.newest(locked.id, () => true)).toMatchObject({ status: 'pending', attempts: [] });
    });
    await hooks.newestIs(locked.id, 'succeeded');
  });
});

describe('PostgreSQL', () => {
  it('may be unreachable during an attempt, whose end is recorded once it is back', async () => {
    let answer = (): void => {};
    const url = endpoints.add((response) => void (answer = () => response.writeHead(200).end()));
    const { id } = await hooks.register(url, { max_retries: 3 });
    await start(PATIENT);
    await order();
    await endpoints.arrived(url);
    const admin = new pg.Client({ connectionString: process.env.TEST_POSTGRES_URL });
    await admin.connect();
    const name = new URL(stack.config.DATABASE_URL).pathname.slice(1);
    await admin.query(`ALTER DATABASE ${name} ALLOW_CONNECTIONS false`);
    await admin.query('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1', [name]);
    answer();
    // Long enough for the first try to record the end to fail.
    await delay(300);
    await admin.query(`ALTER DATABASE ${name} ALLOW_CONNECTIONS true`);
    await admin.end();
    await eventually(
      () =>
        stack
          .sql<{ status: string; attempt_count: number }>(
            'SELECT status, attempt_count FROM webhook_deliveries WHERE webhook_id = $1',
            [id],
          )
          .catch(() => []),
      ([delivery]) => delivery?.status === 'succeeded' && delivery.attempt_count === 1,
    );
    expect(endpoints.at(url)).toHaveLength(1);
  });
});

describe('Redis', () => {
  it('may lose all data, because workers find due deliveries in PostgreSQL', async () => {
    await start();
    const url = endpoints.answering(500, 204);
    const { id } = await hooks.register(url, { retry_delay: 3_600 });
    await order();
    await hooks.newest(id, ({ attempt_count: n, next_attempt_at }) => n === 1 && next_attempt_at !== null);
    const redis = new Redis(stack.config.REDIS_URL);
    const keys = await redis.keys(`${stack.config.QUEUE_PREFIX}*`);
    expect(keys.length).toBeGreaterThan(0);
    await redis.del(keys);
    await redis.quit();
    await stack.sql(`UPDATE webhook_deliveries SET due_at = now() WHERE webhook_id = $1`, [id]);
    await hooks.newestIs(id, 'succeeded');
  });
});

describe('an orderly stop', () => {
  it('waits for the attempts in flight, and begins no others', async () => {
    const worker = await start(PATIENT);
    const stopping = deferred<void>();
    const url = endpoints.add((response) => void stopping.promise.then(() => response.writeHead(204).end()));
    const { id } = await hooks.register(url);
    await Promise.all(Array.from({ length: SLOTS + 2 }, () => hooks.test(id)));
    await endpoints.arrived(url, SLOTS);
    const drained = worker.get(WebhookDispatcher).drain();
    stopping.resolve();
    await drained;
    await statuses(id, 'succeeded', SLOTS);
    expect(endpoints.at(url)).toHaveLength(SLOTS);
  });
});
