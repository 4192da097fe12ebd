import { getQueueToken } from '@nestjs/bull';
import { afterAll, beforeAll, describe, it } from '@jest/globals';
import type { Queue } from 'bull';
import { FULFILMENT_QUEUE, WEBHOOKS_QUEUE } from '../../src/queues/queues.js';
import { closeWithBalancedBooks } from '../support/books.js';
import { eventually } from '../support/eventually.js';
import { bought } from '../support/fake-supplier.js';
import { TestStack, type TestMerchant } from '../support/stack.js';
import { WebhookReceiver } from '../support/webhook-receiver.js';

let stack: TestStack;
let receiver: WebhookReceiver;
let merchant: TestMerchant;
let sku: string;

beforeAll(async () => {
  stack = await TestStack.start();
  receiver = await new WebhookReceiver().listen();
  merchant = await stack.merchant();
  sku = await stack.product('35.00');
});

afterAll(async () => {
  await closeWithBalancedBooks(stack);
  await receiver.close();
});

const delayedJobs = (queue: string): Promise<number> => stack.api.get<Queue>(getQueueToken(queue)).getDelayedCount();

/** A job for a row that is due later would stay until then. Another one may wait for a moment. */
const expectNoDelayedJobs = (queue: string): Promise<number> =>
  eventually(
    () => delayedJobs(queue),
    (count) => count === 0,
  );

/** The time until the waiting row is due, by the clock of the database. */
async function dueIn(text: string, id: unknown): Promise<number> {
  const [row] = await stack.sql<{ seconds: number }>(
    `SELECT coalesce(max(extract(epoch FROM next_at - statement_timestamp())), 0)::float8 AS seconds FROM (${text}) AS w`,
    [id],
  );
  return row?.seconds ?? 0;
}

/** Completes an order of another merchant. */
async function buyAnother(): Promise<void> {
  const other = await stack.merchant();
  const { reference_id } = await stack.order(other, [{ sku }]);
  await stack.orderWith(other, reference_id, 'completed');
}

describe('a row that is due in more than a minute', () => {
  it('leaves no job in Redis if it is a delivery, and is delivered in time', async () => {
    receiver.answer('/later', 500, 204);
    const webhook = await merchant.client.post<{ id: number }>('/v1/merchant-webhooks', {
      url: receiver.url('/later'),
      retry_delay: 3600,
    });
    await stack.order(merchant, [{ sku }]);
    const waiting = 'SELECT due_at AS next_at FROM webhook_deliveries WHERE webhook_id = $1';
    await eventually(
      () => dueIn(waiting, webhook.body.id),
      (seconds) => seconds > 3000,
    );
    // Once a later job for another row has been processed, a job for this row would be there, too.
    await buyAnother();
    await expectNoDelayedJobs(WEBHOOKS_QUEUE);
    await stack.sql('UPDATE webhook_deliveries SET due_at = statement_timestamp() WHERE webhook_id = $1', [
      webhook.body.id,
    ]);
    await eventually(
      () => receiver.at('/later').length,
      (count) => count >= 2,
    );
  });

  it('leaves no job in Redis if it is a unit, and is bought in time', async () => {
    stack.supplier.script('later', ({ reference }, earlier) =>
      earlier.length === 0 ? { status: 429, headers: { 'retry-after': '600' } } : bought(reference),
    );
    const order = await stack.order(merchant, [{ sku }], 'later');
    const waiting = `SELECT u.next_action_at AS next_at FROM order_units u JOIN orders o ON o.id = u.order_id
                     WHERE o.order_number = $1`;
    await eventually(
      () => dueIn(waiting, order.order_number),
      (seconds) => seconds > 500,
    );
    await buyAnother();
    await expectNoDelayedJobs(FULFILMENT_QUEUE);
    await stack.sql(
      `UPDATE order_units u SET next_action_at = statement_timestamp() FROM orders o
       WHERE o.id = u.order_id AND o.order_number = $1`,
      [order.order_number],
    );
    await stack.orderWith(merchant, order.reference_id, 'completed');
  });
});
