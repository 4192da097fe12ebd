import { afterAll, beforeAll, describe, it } from '@jest/globals';
import { SuppliersService } from '../../src/suppliers/suppliers.service.js';
import { closeWithBalancedBooks } from '../support/books.js';
import { deferred } from '../support/deferred.js';
import { wakeWorkers } from '../support/due.js';
import { eventually } from '../support/eventually.js';
import { bought } from '../support/fake-supplier.js';
import { withoutSweeper } from '../support/locks.js';
import { TestStack, unique, type TestMerchant } from '../support/stack.js';

let stack: TestStack;
let merchant: TestMerchant;
let sku: string;
let calls = 0;

beforeAll(async () => {
  stack = await TestStack.start({}, { worker: false });
  const { url: baseUrl } = stack.supplier;
  const supplier = { code: 'fake', adapter: 'http', baseUrl, timeoutMs: 60_000, maxInFlight: 4 };
  await stack.api.get(SuppliersService).set(supplier);
  await Promise.all([stack.startWorker(), stack.startWorker()]);
  merchant = await stack.merchant('100000.00');
  sku = await stack.product('35.00');
});

afterAll(() => closeWithBalancedBooks(stack));

/** Orders units whose calls last until `end`. @returns the order's reference. */
async function order(quantity: number, end: Promise<void>): Promise<string> {
  const user = unique('player');
  stack.supplier.script(user, async ({ reference }) => {
    calls++;
    await end;
    return bought(reference);
  });
  return (await stack.order(merchant, [{ sku, quantity }], user)).reference_id;
}

const completed = (reference: string): Promise<unknown> => stack.orderWith(merchant, reference, 'completed');

/** Two calls of one worker leave two calls to the other, which asks for four. At the end of these, more units are due. */
async function shareTheLimit(): Promise<void> {
  const end = deferred<void>();
  calls = 0;
  const begun = async (): Promise<number> => {
    await wakeWorkers(stack);
    return calls;
  };
  const first = await order(2, end.promise);
  await eventually(begun, (count) => count === 2);
  const second = await order(8, end.promise);
  await eventually(begun, (count) => count === 4);
  end.resolve();
  await completed(first);
  await completed(second);
}

describe('Two workers at a supplier that may have four calls in flight', () => {
  it('buy what one of them had to leave because the other had the calls, without waiting for the sweep', async () => {
    for (let n = 0; n < 8; n++) await completed(await order(8, Promise.resolve()));
    // Which worker a wake-up reaches is chance. In one round of two it is not the worker that has the first calls.
    await withoutSweeper(stack, async () => {
      for (let round = 0; round < 10; round++) await shareTheLimit();
    });
  });
});
