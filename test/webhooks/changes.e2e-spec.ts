import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { eventually } from '../support/eventually.js';
import { expectError } from '../support/expectations.js';
import { inTurn, whileLocked } from '../support/locks.js';
import { TestStack } from '../support/stack.js';
import { Hooks } from './support.js';

/** More deliveries than one batch. */
const MANY = 6_000;
const STEP = 5_000;

let stack: TestStack;
let hooks: Hooks;
let id: number;

beforeAll(async () => {
  stack = await TestStack.start({}, { worker: false });
});

afterAll(() => stack.close());

/** Makes a webhook of a new merchant, with very many waiting deliveries. */
async function prepare(): Promise<void> {
  hooks = new Hooks(await stack.merchant('0.00'));
  ({ id } = await hooks.register('http://127.0.0.1:9/', { retry_delay: 3600 }));
  await stack.fill(
    `WITH made AS (
       INSERT INTO events (public_id, merchant_id, kind, body, created_at)
       SELECT 'evt_' || gen_random_uuid(), $2, 'wallet.low_balance', '{}', now() FROM generate_series(1, ${MANY}) RETURNING id)
     INSERT INTO webhook_deliveries (webhook_id, event_id, attempt_count, attempt_ended_at, due_at, created_at, updated_at)
     SELECT $1, id, 1, now(), now() + interval '1 hour', now(), now() FROM made`,
    [id, hooks.merchant.id],
  );
}

beforeEach(prepare);

afterEach(() => stack.stopWorkers());

/** The number of deliveries for which a condition holds. $1 the webhook. */
const count = async (condition: string, ...values: unknown[]): Promise<number> => {
  const [found] = await stack.sql<{ count: bigint }>(
    `SELECT count(*) FROM webhook_deliveries WHERE webhook_id = $1 AND ${condition}`,
    [id, ...values],
  );
  return Number(found?.count);
};

/** The number of deliveries whose retry is so many seconds after their attempt. */
const waitingFor = (seconds: number): Promise<number> =>
  count('due_at = attempt_ended_at + make_interval(secs => $2)', seconds);

const cancelled = (): Promise<number> => count(`status = 'cancelled'`);

const all = (found: number): boolean => found === MANY;

/** Another session locks the last delivery, so that the API process cannot change all of them. */
const whileOneIsHeld = <Result>(work: () => Promise<Result>): Promise<Result> =>
  whileLocked(
    stack,
    `SELECT FROM webhook_deliveries WHERE webhook_id = ${id} ORDER BY id DESC LIMIT 1 FOR UPDATE`,
    work,
  );

describe('a change of a webhook with very many waiting deliveries', () => {
  it('moves their retries in batches, and a worker moves the rest', async () => {
    await whileOneIsHeld(async () => {
      expect(await hooks.patch(id, { retry_delay: 7200 })).toMatchObject({ retry_delay: 7200 });
      expect(await waitingFor(7200)).toBeGreaterThanOrEqual(STEP);
      expect(await waitingFor(3600)).toBeGreaterThan(0);
    });
    await stack.startWorker();
    await eventually(() => waitingFor(7200), all);
  });

  it('cancels them in batches, and a worker cancels the rest', async () => {
    await whileOneIsHeld(async () => {
      await hooks.remove(id);
      expect(await cancelled()).toBeGreaterThanOrEqual(STEP);
      expect(await cancelled()).toBeLessThan(MANY);
    });
    await stack.startWorker();
    await eventually(cancelled, all);
  });

  it.each<[string, string, () => Promise<number>]>([
    ['another delay', 'retry_delay = 7200', () => waitingFor(7200)],
    ['inactive', `status = 'inactive'`, cancelled],
    ['deleted', 'deleted_at = now()', cancelled],
  ])('is completed even if the process dies after its commit: %s', async (_what, change, followed) => {
    await stack.sql(`UPDATE webhooks SET ${change}, waiting_is_stale = true WHERE id = $1`, [id]);
    await stack.startWorker();
    await eventually(followed, all);
    await eventually(
      () => stack.sql('SELECT FROM webhooks WHERE id = $1 AND waiting_is_stale', [id]),
      (stale) => stale.length === 0,
    );
  });

  it('and another one at once: in the end, all deliveries follow the last change', async () => {
    await stack.startWorker();
    await Promise.all([10_000, 20_000, 30_000].map((delay) => hooks.patch(id, { retry_delay: delay })));
    const { retry_delay: delay } = (await hooks.get(id)).body;
    await eventually(() => waitingFor(delay), all);
  });

  it('does not let the webhook become active again before all are cancelled', async () => {
    await whileOneIsHeld(async () => {
      await hooks.patch(id, { status: 'inactive' });
      const answer = await hooks.merchant.client.once.patch(`/v1/merchant-webhooks/${id}`, { status: 'active' });
      expectError(answer, 503, 'SERVICE_UNAVAILABLE');
    });
    expect(await hooks.patch(id, { status: 'active' })).toMatchObject({ status: 'active' });
    expect(await cancelled()).toBe(MANY);
  });

  it('to inactive, and one to active at once: the deliveries are cancelled, as if one came after the other', async () => {
    await inTurn(stack, async () => {
      await prepare();
      return {
        subject: id,
        lock: `SELECT FROM webhooks WHERE id = ${id} FOR UPDATE`,
        first: () => hooks.patch(id, { status: 'inactive' }),
        second: () => hooks.patch(id, { status: 'active' }),
      };
    });
    expect((await hooks.get(id)).body.status).toBe('active');
    expect(await cancelled()).toBe(MANY);
  });
});
