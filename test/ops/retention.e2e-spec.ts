import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DELIVERY_ATTEMPTS } from '../../src/webhooks/delivery-attempts.sql.js';
import { SUPPLIER_CALLS } from '../../src/orders/supplier-calls.sql.js';
import { eventually } from '../support/eventually.js';
import { auditServiceOf } from '../support/planted.js';
import { whileLocked } from '../support/locks.js';
import { TestStack, unique, type OrderBody, type TestMerchant } from '../support/stack.js';
import { WebhookReceiver } from '../support/webhook-receiver.js';

let stack: TestStack;
let merchant: TestMerchant;
let receiver: WebhookReceiver;
let sku: string;

beforeAll(async () => {
  stack = await TestStack.start({ WEBHOOK_LOG_DAYS: '30' });
  receiver = await new WebhookReceiver().listen();
  merchant = await stack.merchant('10000.00');
  sku = await stack.product('35.00');
});

afterAll(async () => {
  await stack.close();
  await receiver.close();
});

const register = async (path: string, by = merchant): Promise<void> => {
  await by.client.post('/v1/merchant-webhooks', { url: receiver.url(path), retry_delay: 86_400 });
};

/** An order whose event has this many delivery attempts. */
async function attemptedOrder(attempts: number, by = merchant): Promise<OrderBody> {
  const order = await stack.order(by, [{ sku }]);
  await eventually(
    () =>
      stack.sql(
        `SELECT 1 FROM ${DELIVERY_ATTEMPTS} a JOIN webhook_deliveries d ON d.id = a.delivery_id
         JOIN events e ON e.id = d.event_id WHERE e.reference_id = $1`,
        [order.reference_id],
      ),
    (rows) => rows.length === attempts,
  );
  return order;
}

/** Moves the end of an order back by this many days. */
async function age({ order_number }: OrderBody, days: number): Promise<void> {
  await stack.sql('ALTER TABLE orders DISABLE TRIGGER USER');
  await stack.sql(
    `WITH o AS (UPDATE orders SET updated_at = updated_at - make_interval(days => $2) WHERE order_number = $1 RETURNING id)
     UPDATE events SET created_at = created_at - make_interval(days => $2) WHERE order_id = (SELECT id FROM o)`,
    [order_number, days],
  );
  await stack.sql('ALTER TABLE orders ENABLE TRIGGER USER');
}

const eventsOf = async (order: OrderBody): Promise<number> =>
  (await stack.sql('SELECT 1 FROM events WHERE reference_id = $1', [order.reference_id])).length;

const isGone = (order: OrderBody): Promise<number> =>
  eventually(
    () => eventsOf(order),
    (count) => count === 0,
  );

/** Delivered orders with old events. No worker runs that could remove the events. */
async function oldOrders(count: number): Promise<OrderBody[]> {
  const by = await stack.merchant('100.00');
  await register(`/${unique('ok')}`, by);
  const orders = await Promise.all(Array.from({ length: count }, () => attemptedOrder(1, by)));
  await stack.stopWorkers();
  for (const order of orders) await age(order, 31);
  return orders;
}

/** A worker removes rows as soon as it starts. */
async function restart(): Promise<void> {
  await stack.stopWorkers();
  await stack.startWorker();
}

describe('old events', () => {
  it('are removed with their deliveries and attempts; younger or waiting ones stay, and so do all movements of money', async () => {
    await register(`/${unique('ok')}`);
    const [old, young] = [await attemptedOrder(1), await attemptedOrder(1)];
    const refusing = `/${unique('refusing')}`;
    receiver.answer(refusing, 500);
    await register(refusing);
    const waiting = await attemptedOrder(2);
    await age(old, 31);
    await age(young, 29);
    await age(waiting, 31);
    const kept = `SELECT (SELECT count(*) FROM transfers) AS transfers, (SELECT count(*) FROM ${SUPPLIER_CALLS} c) AS calls`;
    const before = await stack.sql(kept);

    await restart();
    await isGone(old);
    expect([await eventsOf(young), await eventsOf(waiting)]).toEqual([1, 1]);
    expect(await stack.sql(kept)).toEqual(before);
    expect((await merchant.client.get(`/v1/orders/${old.reference_id}`)).status).toBe(200);
  });

  it('are removed even if many older ones still wait', async () => {
    const other = await stack.merchant('100.00');
    await register(`/${unique('ok')}`, other);
    await stack.sql(
      `WITH made AS (
         INSERT INTO events (public_id, merchant_id, kind, body, created_at)
         SELECT 'evt_waits_' || n, $1, 'webhook.test', '{}', now() - interval '40 days' FROM generate_series(1, 600) n
         RETURNING id)
       INSERT INTO webhook_deliveries (webhook_id, event_id, due_at, created_at, updated_at)
       SELECT (SELECT id FROM webhooks WHERE merchant_id = $1), id, now() + interval '1 day', now(), now() FROM made`,
      [other.id],
    );
    const old = await attemptedOrder(1, other);
    await age(old, 31);

    await restart();
    await isGone(old);
    expect(await stack.sql(`SELECT FROM events WHERE public_id LIKE 'evt_waits_%'`)).toHaveLength(600);
  });

  it('are removed even if many have times in the future', async () => {
    await stack.sql(
      `INSERT INTO events (public_id, merchant_id, kind, body, created_at)
       SELECT 'evt_ahead_' || n, $1, 'webhook.test', '{}', now() + interval '10 years' FROM generate_series(1, 250) n`,
      [merchant.id],
    );
    const [old] = (await oldOrders(1)) as [OrderBody];
    await restart();
    await isGone(old);
    expect(await stack.sql(`SELECT FROM events WHERE public_id LIKE 'evt_ahead_%'`)).toHaveLength(250);
  });

  it.each([
    ['an event', 'SELECT FROM events WHERE reference_id = '],
    ['a delivery', 'SELECT FROM webhook_deliveries d JOIN events e ON e.id = d.event_id WHERE e.reference_id = '],
  ])('are removed except one with a locked row, which is removed soon after: %s', async (_what, select) => {
    const [held, old] = (await oldOrders(2)) as [OrderBody, OrderBody];
    await whileLocked(stack, `${select}'${held.reference_id}' FOR UPDATE`, async () => {
      await restart();
      await isGone(old);
      expect(await eventsOf(held)).toBe(1);
    });
    await isGone(held);
  });

  it('are removed except one that can’t be removed yet, which is removed later', async () => {
    const [kept, old] = (await oldOrders(2)) as [OrderBody, OrderBody];
    await stack.sql('CREATE TABLE keepsakes (event_id bigint REFERENCES events)');
    await stack.sql('INSERT INTO keepsakes SELECT id FROM events WHERE reference_id = $1', [kept.reference_id]);
    await restart();
    await isGone(old);
    expect(await eventsOf(kept)).toBe(1);
    await stack.sql('DROP TABLE keepsakes');
    await isGone(kept);
  });

  it('are not required by the audit, unlike younger ones', async () => {
    const audit = async (): Promise<string[]> =>
      (await auditServiceOf(stack).run()).checks.filter(({ ok }) => !ok).map(({ name }) => name);
    expect(await audit()).toEqual([]);
    const { reference_id: reference } = await attemptedOrder(2);
    const event = `(SELECT id FROM events WHERE reference_id = $1)`;
    const deliveries = `(SELECT id FROM webhook_deliveries WHERE event_id = ${event})`;
    await stack.sql(`DELETE FROM webhook_attempts WHERE delivery_id IN ${deliveries}`, [reference]);
    await stack.sql(`DELETE FROM webhook_deliveries WHERE event_id = ${event}`, [reference]);
    await stack.sql(`DELETE FROM events WHERE reference_id = $1`, [reference]);
    expect(await audit()).toEqual(['order_events']);
  });
});
