import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { closeWithBalancedBooks } from '../support/books.js';
import { eventually } from '../support/eventually.js';
import { bought } from '../support/fake-supplier.js';
import { whileLocked } from '../support/locks.js';
import { TestStack, type TestMerchant } from '../support/stack.js';

let stack: TestStack;
let merchant: TestMerchant;

beforeAll(async () => {
  stack = await TestStack.start();
  merchant = await stack.merchant('1000.00');
});

afterAll(() => closeWithBalancedBooks(stack));

it('A unit that was not accepted is not sent again if the call could outlast its lease', async () => {
  stack.supplier.script('player', ({ reference }, earlier) =>
    earlier.length === 0 ? { status: 429, headers: { 'retry-after': '600' } } : bought(reference),
  );
  const order = await stack.order(merchant, [{ sku: await stack.product('35.00') }], 'player');
  const isOf = `order_id = (SELECT id FROM orders WHERE order_number = '${order.order_number}')`;
  const waiting = (): Promise<object[]> =>
    stack.sql(`SELECT FROM order_units WHERE ${isOf} AND state = 'queued' AND sends = 1`);
  await eventually(waiting, ({ length }) => length === 1);
  const sends = (): number => stack.supplier.about(order.order_number).length;
  const isWithheld = async (): Promise<boolean> => {
    const calls = await stack.sql(
      `SELECT FROM supplier_calls WHERE ${isOf} AND detail LIKE 'not sent: it took too long%'`,
    );
    return calls.length > 0;
  };

  // The worker can’t read whether the offer is on, until PostgreSQL ends the query after three seconds.
  await whileLocked(stack, 'LOCK TABLE supplier_offers', async () => {
    await stack.sql(`UPDATE order_units SET next_action_at = now() WHERE ${isOf}`);
    await eventually(isWithheld, (is) => is || sends() > 1);
    expect(sends()).toBe(1);
  });
  await stack.orderWith(merchant, order.reference_id, 'completed');
  expect(sends()).toBe(2);
});
