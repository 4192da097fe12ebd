import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { closeWithBalancedBooks } from '../support/books.js';
import { eventually } from '../support/eventually.js';
import { TestStack, type TestMerchant } from '../support/stack.js';
import { WebhookReceiver } from '../support/webhook-receiver.js';
import { Wire } from '../support/wire.js';

let stack: TestStack;
let wire: Wire;
let receiver: WebhookReceiver;
let merchant: TestMerchant;

beforeAll(async () => {
  stack = await TestStack.start({}, { worker: false });
  receiver = await new WebhookReceiver().listen();
  wire = await new Wire(stack.config.DATABASE_URL).listen();
  merchant = await stack.merchant('1000.00');
  await stack.startWorker({ DATABASE_URL: wire.url });
});

afterAll(() => closeWithBalancedBooks(stack, receiver, wire));

/** The statement of this name reaches PostgreSQL, and what it answers does not come back. @param isDone finds its rows. */
async function loseTheAnswerTo(statement: string, isDone: string): Promise<void> {
  await wire.cutAfterSending((bytes) => bytes.includes(statement));
  await eventually(
    () => stack.sql(isDone),
    ({ length }) => length > 0,
  );
  wire.restore();
}

describe('a claim whose answer is lost with the connection', () => {
  it('of units: they are bought as soon as PostgreSQL is back, for nothing had been sent', async () => {
    // The first order has the connection prepare the statement, which then is sent by its name.
    const sku = await stack.product('35.00');
    const first = await stack.order(merchant, [{ sku }]);
    await stack.orderWith(merchant, first.reference_id, 'completed');
    const lost = loseTheAnswerTo('units.claim', `SELECT FROM order_units WHERE state = 'sending'`);
    const order = await stack.order(merchant, [{ sku, quantity: 3 }]);
    await lost;
    await stack.orderWith(merchant, order.reference_id, 'completed');
    const requests = stack.supplier.about(order.order_number);
    expect(requests.map(({ kind }) => kind)).toEqual(['send', 'send', 'send']);
    const units = await stack.sql<{ sends: number }>(
      `SELECT sends FROM order_units WHERE order_id = (SELECT id FROM orders WHERE order_number = $1)`,
      [order.order_number],
    );
    expect(units).toEqual([{ sends: 1 }, { sends: 1 }, { sends: 1 }]);
  });

  it('of deliveries: they are delivered as soon as PostgreSQL is back, and no attempt is counted for it', async () => {
    const { body: webhook } = await merchant.client.post<{ id: number }>('/v1/merchant-webhooks', {
      url: receiver.url('/hook'),
      max_retries: 0,
    });
    const lost = loseTheAnswerTo(
      'webhook_deliveries.claim',
      'SELECT FROM webhook_deliveries WHERE leased_until IS NOT NULL',
    );
    const { body: delivery } = await merchant.client.post<{ id: number }>(
      `/v1/merchant-webhooks/${webhook.id}/test`,
    );
    await lost;
    const path = `/v1/merchant-webhooks/${webhook.id}/deliveries/${delivery.id}`;
    const { body } = await eventually(
      () => merchant.client.get<{ status: string; attempts: object[] }>(path),
      ({ body }) => body.status !== 'pending',
    );
    expect(body.status).toBe('succeeded');
    expect(body.attempts).toHaveLength(1);
    expect(receiver.at('/hook')).toHaveLength(1);
  });
});
