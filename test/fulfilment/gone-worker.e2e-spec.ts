import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DELIVERY_ATTEMPTS } from '../../src/webhooks/delivery-attempts.sql.js';
import { closeWithBalancedBooks } from '../support/books.js';
import { eventually } from '../support/eventually.js';
import { TestStack, unique, type OrderBody, type TestMerchant } from '../support/stack.js';
import { WebhookReceiver } from '../support/webhook-receiver.js';

let stack: TestStack;
let merchant: TestMerchant;
let receiver: WebhookReceiver;
let sku: string;

beforeAll(async () => {
  stack = await TestStack.start({}, { worker: false });
  receiver = await new WebhookReceiver('made-up events').listen();
  merchant = await stack.merchant('1000.00');
  sku = await stack.product('35.00');
});

afterAll(async () => {
  await receiver.close();
  await closeWithBalancedBooks(stack);
});

/** A worker that is long dead, while the lease of its claim of a purchase is far from over. */
async function unitClaimedBy(worker: string): Promise<OrderBody> {
  const order = await stack.order(merchant, [{ sku }]);
  await stack.sql(
    `UPDATE order_units SET state = 'sending', next_action = 'inquire', claim = 1, claimed_by = $2, sends = 1,
       first_sent_at = now(), last_sent_at = now(), next_action_at = now() + interval '1 hour'
     WHERE order_id = (SELECT id FROM orders WHERE order_number = $1)`,
    [order.order_number, worker],
  );
  return order;
}

/** The same with a claim of a delivery. @returns its event. */
async function deliveryClaimedBy(worker: string): Promise<string> {
  const { body: webhook } = await merchant.client.post<{ id: number }>('/v1/merchant-webhooks', {
    url: receiver.url('/hook'),
    retry_delay: 1,
  });
  const [event] = await stack.sql<{ id: bigint; public_id: string }>(
    `INSERT INTO events (public_id, merchant_id, kind, body, created_at)
     VALUES ($1, $2, 'webhook.test', '{}', now()) RETURNING id, public_id`,
    [unique('evt'), merchant.id],
  );
  await stack.sql(
    `INSERT INTO webhook_deliveries
       (webhook_id, event_id, attempt_count, leased_until, attempt_started_at, claimed_by, created_at, updated_at)
     VALUES ($1, $2, 1, now() + interval '1 hour', now(), $3, now(), now())`,
    [webhook.id, event?.id, worker],
  );
  return event?.public_id ?? '';
}

/** Writes a worker's heartbeat. */
const beat = (worker: string): Promise<object[]> =>
  stack.sql(`INSERT INTO worker_processes VALUES ($1, now()) ON CONFLICT (name) DO UPDATE SET seen_at = now()`, [
    worker,
  ]);

describe('the claims of a dead worker', () => {
  it('are taken over long before their leases end: the purchase by an inquiry, the delivery by another attempt', async () => {
    const order = await unitClaimedBy('worker@gone:1');
    const eventId = await deliveryClaimedBy('worker@gone:1');
    await stack.sql(`INSERT INTO worker_processes VALUES ('worker@gone:1', now() - interval '9 seconds')`);
    const other = await unitClaimedBy('worker@here:2');
    const otherEventId = await deliveryClaimedBy('worker@here:2');
    // A beat that fails on a busy machine is followed by the next one.
    const beating = setInterval(() => void beat('worker@here:2').catch(() => undefined), 500);
    await beat('worker@here:2');
    await stack.startWorker();

    await eventually(
      () => stack.supplier.about(order.order_number).map(({ kind }) => kind),
      (kinds) => kinds.length > 0,
    );
    expect((await stack.orderWith(merchant, order.reference_id, 'completed', 'failed')).status).toBe('completed');
    expect(stack.supplier.about(order.order_number)[0]?.kind).toBe('inquiry');
    const [delivery] = await eventually(
      () =>
        stack.sql<{ status: string; errors: (string | null)[] }>(
          `SELECT d.status, (SELECT array_agg(a.error ORDER BY a.number) FROM ${DELIVERY_ATTEMPTS} a WHERE a.delivery_id = d.id) AS errors
         FROM webhook_deliveries d JOIN events e ON e.id = d.event_id WHERE e.public_id = $1`,
          [eventId],
        ),
      ([row]) => row?.status === 'succeeded',
    );
    expect(delivery?.errors).toEqual(['interrupted', null]);
    const gone = await stack.sql(`SELECT 1 FROM worker_processes WHERE name = 'worker@gone:1'`);
    expect(gone).toEqual([]);
    // The other worker has a heartbeat, so its claims last as long as their leases.
    const held = await stack.sql(
      `SELECT FROM webhook_deliveries d JOIN events e ON e.id = d.event_id
       WHERE e.public_id = $1 AND d.leased_until > now() + interval '50 minutes'`,
      [otherEventId],
    );
    expect(held).toHaveLength(1);
    expect(stack.supplier.about(other.order_number)).toEqual([]);
    clearInterval(beating);
    await stack.sql(`UPDATE order_units SET next_action_at = now() WHERE claimed_by = 'worker@here:2'`);
    await stack.orderWith(merchant, other.reference_id, 'completed');
  });

  it('do not exist if the worker ended in order, and neither does its row', async () => {
    const seen = `SELECT name FROM worker_processes WHERE name <> 'worker@here:2'`;
    await eventually(
      () => stack.sql(seen),
      (rows) => rows.length === 1,
    );
    await stack.stopWorkers();
    expect(await stack.sql(seen)).toEqual([]);
  });
});
