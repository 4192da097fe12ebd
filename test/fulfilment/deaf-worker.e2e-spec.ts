import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { closeWithBalancedBooks } from '../support/books.js';
import { eventually } from '../support/eventually.js';
import { TestStack, type TestMerchant } from '../support/stack.js';
import { Wire } from '../support/wire.js';

/** Well below the time between two looks for overdue work. */
const PROMPT_MS = 700;

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

/** How long a purchase takes, in milliseconds. */
async function timeToBuy(): Promise<number> {
  const startedMs = performance.now();
  const order = await stack.order(merchant, [{ sku }]);
  await stack.orderWith(merchant, order.reference_id, 'completed');
  return performance.now() - startedMs;
}

describe('connections to Redis that died without a word', () => {
  it('are noticed and replaced: orders go on all the while, and promptly again before long', async () => {
    await eventually(timeToBuy, (ms) => ms < PROMPT_MS);
    wire.silence();
    // Nobody wakes the worker now; it finds the work by itself.
    expect(await timeToBuy()).toBeLessThan(5_000);
    const promptAgain = async (): Promise<boolean> => {
      for (let n = 0; n < 3; n++) if ((await timeToBuy()) >= PROMPT_MS) return false;
      return true;
    };
    expect(await eventually(promptAgain, (prompt) => prompt, 60_000)).toBe(true);
  });
});
