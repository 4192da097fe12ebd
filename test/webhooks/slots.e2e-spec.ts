import type { INestApplicationContext } from '@nestjs/common';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type pg from 'pg';
import { CLAIM_DELIVERIES, LOCK_CLAIMS } from '../../src/webhooks/dispatch.sql.js';
import { WebhookDispatcher } from '../../src/webhooks/webhook-dispatcher.js';
import { eventually } from '../support/eventually.js';
import { holding, withoutSweeper } from '../support/locks.js';
import { TestStack } from '../support/stack.js';
import { deliveriesAre, Endpoints, Hooks, Workers, type WorkerChanges } from './support.js';

const SLOTS = 4;
/** Attempts without an answer last for as long as a test. */
const TIMEOUT_MS = 600_000;

let stack: TestStack;
let endpoints: Endpoints;
let hooks: Hooks;
const workers = new Workers();

beforeAll(async () => {
  stack = await TestStack.start({ WEBHOOK_MAX_IN_FLIGHT: String(SLOTS) }, { worker: false });
});

afterAll(() => stack.close());

beforeEach(async () => {
  endpoints = await new Endpoints('made-up events').listen();
  hooks = new Hooks(await stack.merchant());
});

afterEach(async () => {
  // Hanging attempts would delay the end of their worker.
  await endpoints.close();
  await workers.close();
});

const start = ({ timing, ...changes }: WorkerChanges = {}): Promise<INestApplicationContext> =>
  workers.start(stack, { timing: { timeoutMs: TIMEOUT_MS, ...timing }, ...changes });

const statuses = (id: number, expected: string, count: number): Promise<void> =>
  deliveriesAre(stack, id, expected, count);

const inFlight = async (id: number): Promise<number> =>
  (await stack.sql('SELECT FROM webhook_deliveries WHERE webhook_id = $1 AND leased_until IS NOT NULL', [id])).length;

/** Adds due deliveries without a wake-up. */
const fill = (id: number, count: number, client: pg.Client | pg.Pool = stack.database.pool): Promise<unknown> =>
  client.query(
    `WITH made AS (
       INSERT INTO events (public_id, merchant_id, kind, body, created_at)
       SELECT 'evt_' || $1::int || '_' || n, $2, 'webhook.test', '{}', now() FROM generate_series(1, $3::int) n
       RETURNING id)
     INSERT INTO webhook_deliveries (webhook_id, event_id, automatic, due_at, created_at, updated_at)
     SELECT $1::int, id, false, now(), now(), now() FROM made`,
    [id, hooks.merchant.id, count],
  );

/** The number of claims that have waited for a lock for so long. */
async function claimsThatWait(ms = 0): Promise<number> {
  const rows = await stack.sql(
    `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'
       AND left(query, 100) IN (left($1, 100), left($2, 100))
       AND query_start <= clock_timestamp() - $3 * interval '1 ms'`,
    [LOCK_CLAIMS.text, CLAIM_DELIVERIES.text, ms],
  );
  return rows.length;
}

describe('attempts in flight', () => {
  it('are at most WEBHOOK_MAX_IN_FLIGHT per webhook over all workers, and all slots are used', async () => {
    const [first, second] = [endpoints.slow(200, SLOTS), endpoints.slow(200, SLOTS)];
    const webhooks = [await hooks.register(first.url), await hooks.register(second.url)];
    // All deliveries wait already, so no slot is free for lack of one.
    await Promise.all(webhooks.flatMap(({ id }) => Array.from({ length: 40 }, () => hooks.test(id))));
    await Promise.all([start(), start(), start()]);
    for (const { id } of webhooks) await statuses(id, 'succeeded', 40);
    expect([first.most(), second.most()]).toEqual([SLOTS, SLOTS]);
    expect(endpoints.at(first.url)).toHaveLength(40);
    expect(new Set(endpoints.at(first.url).map(({ headers }) => headers['webhook-id'])).size).toBe(40);
  });

  it('are followed by others without the sweeper, in every worker', async () => {
    const slow = endpoints.slow(50);
    const { id } = await hooks.register(slow.url);
    await Promise.all(Array.from({ length: 60 }, () => hooks.test(id)));
    await Promise.all([start(), start()]);
    await eventually(
      () => endpoints.at(slow.url).length,
      (arrived) => arrived > 0,
    );
    await withoutSweeper(stack, () => statuses(id, 'succeeded', 60));
  });

  it('are counted by one claim at a time, even if several workers claim at once', async () => {
    const dispatchers = (await Promise.all([start(), start(), start()])).map((worker) => worker.get(WebhookDispatcher));
    const slow = endpoints.slow(50, SLOTS);
    const { id } = await hooks.register(slow.url);
    await holding(stack, 'webhook_deliveries', async (client) => {
      await fill(id, 40, client);
      // PostgreSQL ends a claim that waits for three seconds.
      const wakeAndLook = (): Promise<number> => {
        for (const dispatcher of dispatchers) dispatcher.work.wake([id]);
        return claimsThatWait();
      };
      await eventually(wakeAndLook, (count) => count === dispatchers.length);
    });
    await statuses(id, 'succeeded', 40);
    expect(slow.most()).toBe(SLOTS);
  });

  it('of another worker leave slots, which are used again and again without the sweeper', async () => {
    const slow = endpoints.slow(50, SLOTS - 2);
    const { id } = await hooks.register(slow.url);
    await fill(id, 40);
    // So a worker never uses more slots than the others leave, and never claims more than it requested.
    await stack.sql(
      `UPDATE webhook_deliveries SET due_at = NULL, attempt_count = 1, claimed_by = 'another',
         attempt_started_at = now(), leased_until = now() + interval '1 hour'
       WHERE id IN (SELECT id FROM webhook_deliveries WHERE webhook_id = $1 ORDER BY id LIMIT 2)`,
      [id],
    );
    await start();
    await endpoints.arrived(slow.url);
    await withoutSweeper(stack, () => statuses(id, 'succeeded', 38));
    expect(slow.most()).toBe(SLOTS - 2);
  });

  it('begin without the sweeper, too, if their claim expired before use', async () => {
    const margin = 1_500;
    const worker = await start({ timing: { leaseMarginMs: margin } });
    const url = endpoints.add();
    const { id } = await hooks.register(url);
    await withoutSweeper(stack, async () => {
      await holding(stack, 'webhook_deliveries', async (client) => {
        // Fewer than the slots, because the end of an attempt in a full webhook would make the worker look for more.
        await fill(id, 2, client);
        worker.get(WebhookDispatcher).work.wake([id]);
        let hasBegun = false;
        const look = async (): Promise<number> => {
          const isWaiting = (await claimsThatWait()) > 0;
          // PostgreSQL ends a claim that waits for three seconds. On a busy machine another one may be needed.
          if (hasBegun && !isWaiting) worker.get(WebhookDispatcher).work.wake([id]);
          hasBegun = isWaiting;
          return claimsThatWait(margin);
        };
        await eventually(look, (count) => count > 0);
      });
      await statuses(id, 'succeeded', 2);
    });
    expect(endpoints.at(url)).toHaveLength(2);
  });

  it('of a dead endpoint do not delay those of others', async () => {
    await start();
    const dead = await hooks.register(endpoints.silent());
    const url = endpoints.add();
    const alive = await hooks.register(url);
    await Promise.all(Array.from({ length: 20 }, () => hooks.test(dead.id)));
    await eventually(
      () => inFlight(dead.id),
      (count) => count === SLOTS,
    );
    await Promise.all(Array.from({ length: 20 }, () => hooks.test(alive.id)));
    await statuses(alive.id, 'succeeded', 20);
    // None of the hanging attempts ended meanwhile.
    expect(await inFlight(dead.id)).toBe(SLOTS);
    await statuses(dead.id, 'pending', 20);
  });
});

describe('thousands of waiting deliveries', () => {
  it('of one webhook delay no other’s', async () => {
    const [busy, other] = [endpoints.slow(50), endpoints.add()];
    const webhooks = { busy: await hooks.register(busy.url), other: await hooks.register(other) };
    await fill(webhooks.busy.id, 3_000);
    await start();
    await endpoints.arrived(busy.url);
    await Promise.all(Array.from({ length: 20 }, () => hooks.test(webhooks.other.id)));
    await statuses(webhooks.other.id, 'succeeded', 20);
    const [waiting] = await stack.sql<{ count: number }>(
      'SELECT count(*)::int FROM webhook_deliveries WHERE webhook_id = $1 AND due_at IS NOT NULL',
      [webhooks.busy.id],
    );
    expect(waiting?.count).toBeGreaterThan(0);
    // The others need not be delivered before the worker ends.
    await stack.sql(`UPDATE webhook_deliveries SET status = 'cancelled', due_at = NULL WHERE due_at IS NOT NULL`);
  });
});

describe('a thousand attempts in flight', () => {
  it('of slow endpoints leave slots for all others', async () => {
    const worker = await start({ config: { WEBHOOK_MAX_IN_FLIGHT: 1_000 } });
    const [slow, another] = [await hooks.register(endpoints.silent()), await hooks.register(endpoints.silent())];
    const quick = await hooks.register(endpoints.add());
    await fill(slow.id, 1_000);
    worker.get(WebhookDispatcher).work.wake([slow.id]);
    await eventually(
      () => inFlight(slow.id),
      (count) => count === 1_000,
    );
    await fill(another.id, 10);
    await fill(quick.id, 50);
    worker.get(WebhookDispatcher).work.wake([another.id, quick.id]);
    await statuses(quick.id, 'succeeded', 50);
    await eventually(
      () => inFlight(another.id),
      (count) => count >= 2,
    );
    expect(await inFlight(another.id)).toBe(2);
  });
});
