import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { historyOf } from '../../src/support/order-history.sql.js';
import { FIND_DELIVERY, LIST_ATTEMPTS } from '../../src/webhooks/webhook-listing.sql.js';
import { refused } from '../support/fake-supplier.js';
import { writeRowsAsBefore } from '../support/rows-as-before.js';
import type { OrderBody } from '../support/stack.js';
import { Scene } from './scene.js';
import type { DeliveryDetail } from './support.js';

// A send that buys its unit stands in the unit's row, and a first attempt that delivers in the delivery's. Readers of calls
// and attempts find them as if they had rows of their own, which they had before.

let scene: Scene;

beforeAll(async () => {
  scene = await Scene.start();
});
afterAll(() => scene.close());
beforeEach(() => scene.newMerchant());

/** How many rows of its own each kind has for this order. */
async function ownRows({ order_number }: OrderBody): Promise<{ calls: number; attempts: number } | undefined> {
  const [found] = await scene.stack.sql<{ calls: number; attempts: number }>(
    `SELECT (SELECT count(*)::int FROM supplier_calls c WHERE c.order_id = o.id) AS calls,
            (SELECT count(*)::int FROM webhook_attempts a JOIN webhook_deliveries d ON d.id = a.delivery_id
             JOIN events e ON e.id = d.event_id WHERE e.order_id = o.id) AS attempts
     FROM orders o WHERE order_number = $1`,
    [order_number],
  );
  return found;
}

/** What merchants and operators see of the order's call and its delivery. */
async function seen({ order_number }: OrderBody, delivery: DeliveryDetail): Promise<object> {
  const { stack, hooks } = scene;
  const [order] = await stack.sql<{ id: bigint }>('SELECT id FROM orders WHERE order_number = $1', [order_number]);
  const [find, id] = FIND_DELIVERY.with({ id: BigInt(delivery.id) });
  return {
    history: await stack.sql(historyOf('$1::bigint'), [order?.id]),
    listed: await stack.sql(find.text, id),
    attempts: await stack.sql(LIST_ATTEMPTS.text, [delivery.id]),
    detail: await hooks.detail(delivery),
  };
}

describe('an order that is bought and delivered at once', () => {
  it('has no row of its own for the call, nor for the attempt, and shows both as if it had', async () => {
    const { hooks, endpoints, stack } = scene;
    const { id } = await hooks.register(endpoints.answering(200));
    const order = await scene.order();
    const delivery = await hooks.newestIs(id, 'succeeded');
    expect(await ownRows(order)).toEqual({ calls: 0, attempts: 0 });
    expect(delivery).toMatchObject({
      attempt_count: 1,
      attempts: [{ number: 1, response_status: 200, error: null, response_body: 'as scripted' }],
    });
    const held = await seen(order, delivery);
    expect(held).toMatchObject({
      history: expect.arrayContaining([
        expect.objectContaining({ kind: 'supplier.send', unit: '1.1', outcome: 'succeeded', detail: null }),
        expect.objectContaining({ kind: 'webhook.attempt', outcome: '200' }),
      ]) as unknown,
      listed: [{ response_status: 200, error: null }],
      attempts: [{ number: 1, response_status: 200 }],
    });
    await writeRowsAsBefore(stack);
    expect(await ownRows(order)).toEqual({ calls: 1, attempts: 1 });
    expect(await seen(order, delivery)).toEqual(held);
  });

  it('shows the calls of units that one settlement bought in the order of the units', async () => {
    const { stack, hooks, sku } = scene;
    const placed = await stack.order(hooks.merchant, [{ sku, quantity: 20 }]);
    const { order_number } = await stack.orderWith(hooks.merchant, placed.reference_id, 'completed');
    const [order] = await stack.sql<{ id: bigint }>('SELECT id FROM orders WHERE order_number = $1', [order_number]);
    await stack.fill(`
      BEGIN;
      SET LOCAL session_replication_role = 'replica';
      UPDATE order_units SET updated_at = (SELECT max(updated_at) FROM order_units WHERE order_id = ${order?.id})
      WHERE order_id = ${order?.id};
      COMMIT`);
    const history = await stack.sql<{ kind: string; unit: string }>(historyOf('$1::bigint'), [order?.id]);
    const units = history.filter(({ kind }) => kind === 'supplier.send').map(({ unit }) => unit);
    expect(units).toEqual(Array.from({ length: 20 }, (_, place) => `1.${place + 1}`));
  });

  it('keeps its first attempt when its delivery is repeated, which has rows of its own', async () => {
    const { hooks, endpoints } = scene;
    const { id } = await hooks.register(endpoints.answering(200, 500));
    const order = await scene.order();
    const first = await hooks.newestIs(id, 'succeeded');
    await hooks.retry(first);
    const { attempts } = await hooks.newest(id, ({ status, attempt_count: n }) => status === 'failed' && n === 2);
    expect(attempts).toMatchObject([first.attempts[0], { number: 2, response_status: 500 }]);
    expect(await ownRows(order)).toEqual({ calls: 0, attempts: 1 });
  });
});

describe('an order that is not', () => {
  it('has a row for each call and each attempt', async () => {
    const { hooks, endpoints, stack } = scene;
    const { id } = await hooks.register(endpoints.answering(500, 200));
    stack.supplier.script('held-rows-refused', ({ reference }) => refused(reference, 'OUT_OF_STOCK'));
    const order = await stack.order(hooks.merchant, [{ sku: scene.sku }], 'held-rows-refused');
    await hooks.newestIs(id, 'succeeded');
    expect(await ownRows(order)).toEqual({ calls: 1, attempts: 2 });
  });
});
