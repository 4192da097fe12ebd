import { afterAll, beforeAll, describe, it } from '@jest/globals';
import { closeWithBalancedBooks } from '../support/books.js';
import { buyWoken } from '../support/locks.js';
import { TestStack, type TestMerchant } from '../support/stack.js';
import { Wire } from '../support/wire.js';

let wire: Wire;
let stack: TestStack;
let merchant: TestMerchant;
let sku: string;

beforeAll(async () => {
  wire = await new Wire(process.env.TEST_REDIS_URL ?? '').listen();
  stack = await TestStack.start({ REDIS_URL: wire.url });
  merchant = await stack.merchant('10000.00');
  sku = await stack.product('35.00');
});

afterAll(async () => {
  await closeWithBalancedBooks(stack);
  await wire.close();
});

async function buy(): Promise<void> {
  const order = await stack.order(merchant, [{ sku }]);
  await stack.orderWith(merchant, order.reference_id, 'completed');
}

describe('after a connection to Redis died without a sign', () => {
  it('workers go on with orders, replace the connection, and receive wake-ups again', async () => {
    await buyWoken(stack, merchant, sku);
    wire.silence();
    // No wake-up arrives now; the worker finds the work by itself.
    await buy();
    for (let n = 0; n < 3; n++) await buyWoken(stack, merchant, sku);
  });
});
