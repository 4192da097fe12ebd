import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { SuppliersService } from '../../src/suppliers/suppliers.service.js';
import { closeWithBalancedBooks } from '../support/books.js';
import { bought } from '../support/fake-supplier.js';
import { TestStack, unique, type TestMerchant } from '../support/stack.js';

let stack: TestStack;
let merchant: TestMerchant;
let sku: string;

beforeAll(async () => {
  stack = await TestStack.start();
  await stack.startWorker();
  merchant = await stack.merchant('10000.00');
  sku = await stack.product('35.00');
});

afterAll(() => closeWithBalancedBooks(stack));

describe('A supplier that may have three calls in flight', () => {
  it('never has more, however many workers have units for it', async () => {
    const { url: baseUrl } = stack.supplier;
    await stack.api.get(SuppliersService).set({ code: 'fake', adapter: 'http', baseUrl, maxInFlight: 3 });
    let now = 0;
    let most = 0;
    const user = unique('player');
    stack.supplier.script(user, async ({ reference }) => {
      most = Math.max(most, ++now);
      await stack.sql('SELECT pg_sleep(0.02)');
      now--;
      return bought(reference);
    });
    const orders = await Promise.all(
      Array.from({ length: 8 }, () => stack.order(merchant, [{ sku, quantity: 5 }], user)),
    );
    for (const order of orders) await stack.orderWith(merchant, order.reference_id, 'completed');
    expect(most).toBe(3);
  });
});
