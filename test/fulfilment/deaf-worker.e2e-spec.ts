import { afterAll, beforeAll, describe, it } from '@jest/globals';
import { WorkNotifier } from '../../src/queues/work-notifier.js';
import { closeWithBalancedBooks } from '../support/books.js';
import { eventually } from '../support/eventually.js';
import { withoutSweeper } from '../support/locks.js';
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

/** Buys what nobody looks for: workers are woken for it, over and over where one wake-up got lost. */
async function buyWoken(): Promise<void> {
  const suppliers = (await stack.sql<{ id: number }>('SELECT id FROM suppliers')).map(({ id }) => id);
  await withoutSweeper(stack, async () => {
    const { reference_id } = await stack.order(merchant, [{ sku }]);
    const wakeAndLook = async (): Promise<string> => {
      stack.api.get(WorkNotifier).notifyFulfilment(suppliers);
      return (await merchant.client.get<{ status: string }>(`/v1/orders/${reference_id}`)).body.status;
    };
    await eventually(wakeAndLook, (status) => status === 'completed');
  });
}

describe('connections to Redis that died unnoticed', () => {
  it('are noticed and replaced: orders go on all the while, and workers are woken again before long', async () => {
    await buyWoken();
    wire.silence();
    // Nobody wakes the worker now; it finds the work by itself.
    await buy();
    for (let n = 0; n < 3; n++) await buyWoken();
  });
});
