import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { closeWithBalancedBooks } from '../support/books.js';
import { refused, type Answer } from '../support/fake-supplier.js';
import { TestStack, unique, type OrderBody, type TestMerchant } from '../support/stack.js';

let stack: TestStack;
let merchant: TestMerchant;
let sku: string;

beforeAll(async () => {
  stack = await TestStack.start();
  merchant = await stack.merchant('10000.00');
  sku = await stack.product('35.00');
});

afterAll(() => closeWithBalancedBooks(stack));

/** Orders one unit, to which the supplier gives this answer. */
async function failedWith(answer: (reference: string) => Answer): Promise<OrderBody> {
  const user = unique('player');
  stack.supplier.script(user, ({ reference }) => answer(reference));
  const { reference_id, order_number } = await stack.order(merchant, [{ sku }], user);
  const order = await stack.orderWith(merchant, reference_id, 'completed', 'failed');
  expect(order.status).toBe('failed');
  expect(stack.supplier.about(order_number)).toHaveLength(1);
  return order;
}

const MEANT_FOR_MERCHANTS = [
  'INVALID_PLAYER',
  'INVALID_SERVER',
  'PLAYER_NOT_ELIGIBLE',
  'LIMIT_EXCEEDED',
  'OUT_OF_STOCK',
  'ITEM_NOT_FOUND',
  'PRODUCT_UNAVAILABLE',
  'SUPPLIER_REJECTED',
];

describe('8.4 A definite refusal makes a unit fail, with the supplier’s code if it is a failure code of the API', () => {
  it.each(MEANT_FOR_MERCHANTS)('%s', async (code) => {
    const order = await failedWith((reference) => refused(reference, code, 'in the supplier’s words'));
    const failure = { failure_code: code, failure_message: 'in the supplier’s words' };
    expect(order).toMatchObject(failure);
    expect(order.items).toMatchObject([{ status: 'failed', failed_quantity: 1, ...failure }]);
  });

  it.each(['NO_SUCH_CODE', 'out_of_stock', '', 'PARTIALLY_COMPLETED', 'toString', '__proto__'])(
    'SUPPLIER_REJECTED for the code %p',
    async (code) => {
      expect((await failedWith((reference) => refused(reference, code))).failure_code).toBe('SUPPLIER_REJECTED');
    },
  );

  it.each([null, 7, true, ['OUT_OF_STOCK'], { code: 'OUT_OF_STOCK' }])(
    'SUPPLIER_REJECTED for the code %j, which is no text',
    async (failure_code) => {
      const order = await failedWith((reference) => ({
        status: 200,
        body: { reference, status: 'failed', failure_code },
      }));
      expect(order.failure_code).toBe('SUPPLIER_REJECTED');
    },
  );

  it.each<[what: string, answer: (reference: string) => Answer, code: string]>([
    ['201 failed', (reference) => ({ ...(refused(reference, 'OUT_OF_STOCK') as object), status: 201 }), 'OUT_OF_STOCK'],
    ['400 without a body', () => ({ status: 400, body: '' }), 'SUPPLIER_REJECTED'],
    ['400 with a body that is not JSON', () => ({ status: 400, body: '<html>' }), 'SUPPLIER_REJECTED'],
    ['400 with a code of ours', () => ({ status: 400, body: { failure_code: 'INVALID_PLAYER' } }), 'INVALID_PLAYER'],
    ['422 with a code of theirs', () => ({ status: 422, body: { failure_code: 'E17' } }), 'SUPPLIER_REJECTED'],
    ['422 with a code of ours', () => ({ status: 422, body: { failure_code: 'LIMIT_EXCEEDED' } }), 'LIMIT_EXCEEDED'],
    ['404 ITEM_NOT_FOUND', () => ({ status: 404, body: { code: 'ITEM_NOT_FOUND' } }), 'ITEM_NOT_FOUND'],
  ])('%s', async (_what, answer, code) => {
    const order = await failedWith(answer);
    expect(order.failure_code).toBe(code);
    expect(order.failure_message).toMatch(/\S/);
  });

  it('each item has the failure code of its own units', async () => {
    const user = unique('player');
    const codes = ['OUT_OF_STOCK', 'LIMIT_EXCEEDED'];
    stack.supplier.script(user, ({ reference }) =>
      refused(reference, codes[Number(reference.split('.')[1]) - 1] ?? ''),
    );
    const { reference_id } = await stack.order(merchant, [{ sku, quantity: 2 }, { sku }], user);
    const { items } = await stack.orderWith(merchant, reference_id, 'failed');
    expect(items.map(({ failure_code }) => failure_code)).toEqual(codes);
  });
});

describe('8.4 The message of a failure can be shown', () => {
  it('and is the service’s own if the supplier gives none', async () => {
    const { failure_message } = await failedWith((reference) => refused(reference, 'OUT_OF_STOCK'));
    expect(failure_message).toMatch(/stock/i);
  });

  it.each([
    ['without control characters', 'a\u0000b\nc\u001b[31md\u0085e'],
    ['without lone surrogates', 'a\ud800b'],
  ])('%s', async (_what, message) => {
    const { failure_message } = await failedWith((reference) => refused(reference, 'OUT_OF_STOCK', message));
    expect(failure_message).toMatch(/^a/);
    // oxlint-disable-next-line no-control-regex
    expect(failure_message).not.toMatch(/[\u0000-\u001f\u007f-\u009f]/);
    expect(failure_message?.isWellFormed()).toBe(true);
  });

  it('and is cut if it is very long', async () => {
    const { failure_message } = await failedWith((reference) => refused(reference, 'OUT_OF_STOCK', 'x'.repeat(20_000)));
    expect(failure_message?.length).toBeLessThanOrEqual(1_000);
  });

  it.each([7, true, ['a'], { text: 'a' }])('and not %j', async (failure_message) => {
    const order = await failedWith((reference) => ({
      status: 200,
      body: { reference, status: 'failed', failure_code: 'OUT_OF_STOCK', failure_message },
    }));
    expect(order.failure_message).toMatch(/stock/i);
  });
});
