import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { PricesService } from '../../src/catalog/prices.service.js';
import { checkedBaht } from '../../src/core/money.js';
import { closeWithBalancedBooks } from '../support/books.js';
import { eventually } from '../support/eventually.js';
import { bought, refused, type Script } from '../support/fake-supplier.js';
import { TestStack, unique, type OrderBody, type TestMerchant } from '../support/stack.js';

let stack: TestStack;
let sku: string;

beforeAll(async () => {
  stack = await TestStack.start();
  sku = await stack.product('35.00');
});

afterAll(() => closeWithBalancedBooks(stack));

interface Entry {
  kind: string;
  amount: string;
  available_amount_after: string;
  reference_id: string | null;
  order_number: string | null;
}

/** The statement, newest first, without ids and times. */
async function statement(merchant: TestMerchant): Promise<string[]> {
  const { body } = await merchant.client.get<{ data: Entry[] }>('/v1/wallet/entries');
  return body.data.map(({ kind, amount, available_amount_after }) => `${kind} ${amount} ${available_amount_after}`);
}

/** A user for whom the given units, such as `1.2`, fail and the others succeed. */
function userWhere(failures: Record<string, [code: string, message?: string]>): string {
  const user = unique('player');
  stack.supplier.script(user, ({ reference }) => {
    const failure = failures[reference.split('.').slice(1).join('.')];
    return failure ? refused(reference, ...failure) : bought(reference);
  });
  return user;
}

/** Orders and waits for the end. */
async function ended(
  merchant: TestMerchant,
  items: { sku: string; quantity?: number }[],
  user = 'player-1',
): Promise<OrderBody> {
  const { reference_id } = await stack.order(merchant, items, user);
  return stack.orderWith(merchant, reference_id, 'completed', 'failed');
}

describe('3 States: an order that is completed', () => {
  it('spends its whole total, which moves from available to held, and then out of the wallet', async () => {
    const merchant = await stack.merchant('100.00');
    let answer = (): void => {};
    const answered = new Promise<void>((resolve) => (answer = resolve));
    const wait: Script = ({ reference }) => answered.then(() => bought(reference));
    const user = unique('player');
    stack.supplier.script(user, wait);
    const { reference_id } = await stack.order(merchant, [{ sku, quantity: 2 }], user);
    expect(await stack.wallet(merchant)).toEqual({ available: '30.00', held: '70.00' });
    await stack.orderWith(merchant, reference_id, 'processing');
    expect(await stack.wallet(merchant)).toEqual({ available: '30.00', held: '70.00' });
    answer();
    await stack.orderWith(merchant, reference_id, 'completed');
    expect(await stack.wallet(merchant)).toEqual({ available: '30.00', held: '0.00' });
    expect(await statement(merchant)).toEqual(['order_hold -70.00 30.00', 'credit 100.00 100.00']);
  });

  it('has every unit of every item completed', async () => {
    const merchant = await stack.merchant();
    const order = await ended(merchant, [{ sku, quantity: 3 }, { sku }]);
    expect(order).toMatchObject({ status: 'completed', failure_code: null, failure_message: null });
    expect(order.items).toMatchObject([
      { status: 'completed', completed_quantity: 3, failed_quantity: 0, failure_code: null },
      { status: 'completed', completed_quantity: 1, failed_quantity: 0, failure_code: null },
    ]);
  });
});

describe('3 States: an order that failed as a whole', () => {
  it('returns its whole total, with a line of the statement', async () => {
    const merchant = await stack.merchant('100.00');
    const user = userWhere({ '1.1': ['OUT_OF_STOCK'], '1.2': ['OUT_OF_STOCK'] });
    const order = await ended(merchant, [{ sku, quantity: 2 }], user);
    expect(order.total_amount).toBe('70.00');
    expect(await stack.wallet(merchant)).toEqual({ available: '100.00', held: '0.00' });
    const lines = ['order_refund 70.00 100.00', 'order_hold -70.00 30.00', 'credit 100.00 100.00'];
    expect(await statement(merchant)).toEqual(lines);
  });

  it('has the failure of its first failed item; an item has the failure of its first failed unit', async () => {
    const merchant = await stack.merchant();
    const user = userWhere({
      '1.1': ['INVALID_SERVER', 'first unit of the first item'],
      '1.2': ['OUT_OF_STOCK', 'second unit of the first item'],
      '2.1': ['LIMIT_EXCEEDED', 'the second item'],
    });
    const order = await ended(merchant, [{ sku, quantity: 2 }, { sku }], user);
    const first = { failure_code: 'INVALID_SERVER', failure_message: 'first unit of the first item' };
    const second = { failure_code: 'LIMIT_EXCEEDED', failure_message: 'the second item' };
    expect(order).toMatchObject({ status: 'failed', ...first });
    expect(order.items).toMatchObject([
      { status: 'failed', completed_quantity: 0, failed_quantity: 2, ...first },
      { status: 'failed', completed_quantity: 0, failed_quantity: 1, ...second },
    ]);
  });

  it('has the failure of the first by position, not of the first by time', async () => {
    const merchant = await stack.merchant();
    const user = unique('player');
    let answer = (): void => {};
    const answered = new Promise<void>((resolve) => (answer = resolve));
    stack.supplier.script(user, async ({ reference }) => {
      if (reference.endsWith('.1.2')) return refused(reference, 'OUT_OF_STOCK');
      await answered;
      return refused(reference, 'INVALID_PLAYER');
    });
    const { reference_id } = await stack.order(merchant, [{ sku, quantity: 2 }], user);
    await eventually(
      async () => (await merchant.client.get<OrderBody>(`/v1/orders/${reference_id}`)).body.items[0],
      (item) => item?.failed_quantity === 1,
    );
    answer();
    const order = await stack.orderWith(merchant, reference_id, 'failed');
    expect(order).toMatchObject({
      failure_code: 'INVALID_PLAYER',
      items: [{ failure_code: 'INVALID_PLAYER' }],
    });
  });
});

describe('3 States: an order of which a part failed', () => {
  it('is PARTIALLY_COMPLETED, with the counts and the amount returned in its message', async () => {
    const merchant = await stack.merchant('200.00');
    const user = userWhere({ '1.2': ['OUT_OF_STOCK', 'Sold out'] });
    const order = await ended(merchant, [{ sku, quantity: 3 }], user);
    expect(order).toMatchObject({
      status: 'failed',
      failure_code: 'PARTIALLY_COMPLETED',
      total_amount: '105.00',
    });
    expect(order.failure_message).toMatch(/\b2\b.*\b3\b/);
    expect(order.failure_message).toMatch(/\b1\b/);
    expect(order.failure_message).toMatch(/\b35\.00\b/);
    const item = {
      completed_quantity: 2,
      failed_quantity: 1,
      failure_code: 'OUT_OF_STOCK',
      failure_message: 'Sold out',
    };
    expect(order.items).toMatchObject([{ status: 'failed', ...item }]);
  });

  it('spends what was bought and returns the rest, in one line of the statement', async () => {
    const merchant = await stack.merchant('200.00');
    const cheap = await stack.product('1.01');
    const user = userWhere({ '1.2': ['OUT_OF_STOCK'], '2.1': ['OUT_OF_STOCK'] });
    const order = await ended(merchant, [{ sku, quantity: 2 }, { sku: cheap }, { sku: cheap, quantity: 2 }], user);
    expect(order.total_amount).toBe('73.03');
    expect(await stack.wallet(merchant)).toEqual({ available: '162.98', held: '0.00' });
    const lines = ['order_refund 36.01 162.98', 'order_hold -73.03 126.97', 'credit 200.00 200.00'];
    expect(await statement(merchant)).toEqual(lines);
    expect(order.items.map(({ status }) => status)).toEqual(['failed', 'failed', 'completed']);
  });

  it('keeps the amounts of the order', async () => {
    const merchant = await stack.merchant();
    const user = userWhere({ '1.1': ['OUT_OF_STOCK'] });
    const order = await ended(merchant, [{ sku, quantity: 2 }], user);
    const amounts = { subtotal_amount: '70.00', discount_amount: '0.00', total_amount: '70.00' };
    expect(order).toMatchObject(amounts);
    expect(order.items).toMatchObject([amounts]);
  });

  it('moves no money before its end, although its quantities rise', async () => {
    const merchant = await stack.merchant('200.00');
    const user = unique('player');
    let answer = (): void => {};
    const answered = new Promise<void>((resolve) => (answer = resolve));
    stack.supplier.script(user, async ({ reference }) => {
      if (reference.endsWith('.1.3')) await answered;
      return reference.endsWith('.1.1') ? refused(reference, 'OUT_OF_STOCK') : bought(reference);
    });
    const { reference_id } = await stack.order(merchant, [{ sku, quantity: 3 }], user);
    const rising = async (): Promise<OrderBody> => {
      const order = await stack.orderWith(merchant, reference_id, 'processing');
      const [item] = order.items;
      return item && item.completed_quantity + item.failed_quantity === 2 ? order : rising();
    };
    const order = await rising();
    const failure = { failure_code: null, failure_message: null };
    expect(order).toMatchObject(failure);
    expect(order.items).toMatchObject([
      { status: 'processing', completed_quantity: 1, failed_quantity: 1, ...failure },
    ]);
    expect(await stack.wallet(merchant)).toEqual({ available: '95.00', held: '105.00' });
    answer();
    await stack.orderWith(merchant, reference_id, 'failed');
    expect(await stack.wallet(merchant)).toEqual({ available: '130.00', held: '0.00' });
  });
});

describe('2 Creating an order: prices', () => {
  const ownPrice = (merchant: TestMerchant, of: string, price: string): Promise<unknown> =>
    stack.api.get(PricesService).set(merchant.id, of, checkedBaht(price));

  it('a merchant’s own price below list is the discount, of the line and of the order', async () => {
    const merchant = await stack.merchant('100.00');
    await ownPrice(merchant, sku, '31.50');
    const order = await stack.order(merchant, [{ sku, quantity: 2 }]);
    const amounts = { subtotal_amount: '70.00', discount_amount: '7.00', total_amount: '63.00' };
    expect(order).toMatchObject(amounts);
    expect(order.items).toMatchObject([amounts]);
    expect((await stack.wallet(merchant)).available).toBe('37.00');
  });

  it('does not apply to other merchants', async () => {
    const [favoured, other] = [await stack.merchant(), await stack.merchant()];
    await ownPrice(favoured, sku, '30.00');
    expect((await stack.order(other, [{ sku }])).total_amount).toBe('35.00');
  });

  it('returns what was paid, not the list price, when a unit fails', async () => {
    const merchant = await stack.merchant('100.00');
    await ownPrice(merchant, sku, '10.01');
    const user = userWhere({ '1.2': ['OUT_OF_STOCK'] });
    const order = await ended(merchant, [{ sku, quantity: 3 }], user);
    expect(order.failure_message).toMatch(/\b10\.01\b/);
    expect(await stack.wallet(merchant)).toEqual({ available: '79.98', held: '0.00' });
  });

  it('an order of price 0.00 is taken with an empty wallet, and completed', async () => {
    const merchant = await stack.merchant('0.00');
    await ownPrice(merchant, sku, '0.00');
    const order = await ended(merchant, [{ sku, quantity: 2 }]);
    const amounts = { subtotal_amount: '70.00', discount_amount: '70.00', total_amount: '0.00' };
    expect(order).toMatchObject({ status: 'completed', ...amounts });
    expect(await stack.wallet(merchant)).toEqual({ available: '0.00', held: '0.00' });
    expect(await statement(merchant)).toEqual([]);
  });

  it('an order of price 0.00 may fail, also in part', async () => {
    const merchant = await stack.merchant('0.00');
    const free = await stack.product('0.00');
    const order = await ended(merchant, [{ sku: free, quantity: 2 }], userWhere({ '1.1': ['OUT_OF_STOCK'] }));
    expect(order).toMatchObject({ status: 'failed', failure_code: 'PARTIALLY_COMPLETED' });
    expect(order.failure_message).toMatch(/\b0\.00\b/);
  });

  it('a later change of a price changes no placed order', async () => {
    const merchant = await stack.merchant('100.00');
    const changing = await stack.product('20.00');
    const user = userWhere({ '1.1': ['OUT_OF_STOCK'] });
    const { reference_id } = await stack.order(merchant, [{ sku: changing }], user);
    await stack.product('80.00', { sku: changing });
    expect((await stack.orderWith(merchant, reference_id, 'failed')).total_amount).toBe('20.00');
    expect((await stack.wallet(merchant)).available).toBe('100.00');
    expect((await stack.order(merchant, [{ sku: changing }])).total_amount).toBe('80.00');
  });

  it('large amounts are exact', async () => {
    const merchant = await stack.merchant('999999999999.99');
    const dear = await stack.product('99999999.99');
    const order = await ended(
      merchant,
      Array.from({ length: 50 }, () => ({ sku: dear, quantity: 10 })),
    );
    expect(order.total_amount).toBe('49999999995.00');
    expect(await stack.wallet(merchant)).toEqual({ available: '950000000004.99', held: '0.00' });
  });
});
