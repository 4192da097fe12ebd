import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { closeWithBalancedBooks } from '../support/books.js';
import { expectError, expectRefusedField } from '../support/expectations.js';
import { bought, refused } from '../support/fake-supplier.js';
import { untilNotRepeated, type Answer } from '../support/http.js';
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

const post = (members: object): Promise<Answer<OrderBody>> =>
  merchant.client.post<OrderBody>('/v1/orders', {
    reference_id: unique('order'),
    user_id: 'player-1',
    items: [{ sku }],
    ...members,
  });

const get = (reference: string): Promise<Answer<OrderBody>> =>
  merchant.client.get<OrderBody>(`/v1/orders/${encodeURIComponent(reference)}`);

describe('4.1 POST /v1/orders', () => {
  it('200 with the Order: pending, nothing completed, nothing failed, failure fields null', async () => {
    const { status, body, headers } = await untilNotRepeated(() => post({}));
    expect(status).toBe(200);
    expect(headers.get('content-type')).toMatch(/^application\/json\b/);
    expect(body).toMatchObject({ status: 'pending', failure_code: null, failure_message: null });
    expect(body.items).toMatchObject([
      {
        status: 'pending',
        completed_quantity: 0,
        failed_quantity: 0,
        failure_code: null,
        failure_message: null,
      },
    ]);
  });

  it.each([
    ['reference_id', 'reference_id is required'],
    ['user_id', 'user_id is required'],
    ['items', 'items is required'],
  ])('400 BAD_REQUEST without %s, and the message names it', async (member, message) => {
    const answer = await post({ [member]: undefined });
    expectError(answer, 400, 'BAD_REQUEST', message);
  });

  it('400 BAD_REQUEST when items has no element', async () => {
    expectRefusedField(await post({ items: [] }), 'items');
  });

  it('400 BAD_REQUEST when an item has no sku', async () => {
    expectError(await post({ items: [{ quantity: 1 }] }), 400, 'BAD_REQUEST', 'items[0].sku is required');
  });

  it.each([0, -1, 1.5, '1'])('400 BAD_REQUEST for the quantity %p', async (quantity) => {
    expectRefusedField(await post({ items: [{ sku, quantity }] }), 'items[0].quantity');
  });

  it.each([
    ['reference_id', 1],
    ['user_id', 1],
    ['server_id', 1],
    ['character_id', 1],
    ['items', 'x'],
  ])('400 BAD_REQUEST when %s has another type than the table says', async (member, value) => {
    expectRefusedField(await post({ [member]: value }), member);
  });

  it('accepts an order without the optional members', async () => {
    const { status, body } = await post({ server_id: undefined, character_id: undefined });
    expect(status).toBe(200);
    expect(body.items).toMatchObject([{ quantity: 1 }]);
  });

  it('401 UNAUTHORIZED without a key', async () => {
    const request = { reference_id: unique('order'), user_id: 'player-1', items: [{ sku }] };
    const answer = await merchant.client.post('/v1/orders', request, { 'x-api-key': '' });
    expectError(answer, 401, 'UNAUTHORIZED');
    expectError(await get(request.reference_id), 404, 'NOT_FOUND');
  });

  it('503 SERVICE_UNAVAILABLE when the balance is insufficient, and no order is created', async () => {
    const poor = await stack.merchant('34.99');
    const request = { reference_id: unique('order'), user_id: 'player-1', items: [{ sku }] };
    expectError(await poor.client.post('/v1/orders', request), 503, 'SERVICE_UNAVAILABLE', /balance/i);
    expectError(await poor.client.get(`/v1/orders/${request.reference_id}`), 404, 'NOT_FOUND');
    expect(await stack.wallet(poor)).toEqual({ available: '34.99', held: '0.00' });
  });

  it('200 when the balance is exactly sufficient', async () => {
    const exact = await stack.merchant('35.00');
    expect((await stack.order(exact, [{ sku }])).total_amount).toBe('35.00');
    expect((await stack.wallet(exact)).available).toBe('0.00');
  });

  it('refuses an order of an unknown SKU as a whole', async () => {
    const answer = await post({ items: [{ sku }, { sku: 'NO-SUCH-PRODUCT' }] });
    expectRefusedField(answer, 'items[1].sku', 'INVALID_SKU');
  });
});

describe('4.2 GET /v1/orders/{reference_id}', () => {
  it('200 with the Order as it was created', async () => {
    const { body: created } = await post({});
    const { status, body } = await get(created.reference_id);
    expect(status).toBe(200);
    expect(body).toMatchObject({ order_number: created.order_number, reference_id: created.reference_id });
    expect(Object.keys(body).sort()).toEqual(Object.keys(created).sort());
  });

  it('200 with its current status, item quantities and failure fields', async () => {
    stack.supplier.script('half', ({ reference }) =>
      reference.endsWith('.1.2') ? refused(reference, 'OUT_OF_STOCK', 'Sold out') : bought(reference),
    );
    const { body: created } = await post({ user_id: 'half', items: [{ sku, quantity: 2 }] });
    const failed = await stack.orderWith(merchant, created.reference_id, 'failed');
    expect(failed).toMatchObject({
      failure_code: 'PARTIALLY_COMPLETED',
      failure_message: expect.stringMatching(/\S/),
    });
    const item = {
      status: 'failed',
      completed_quantity: 1,
      failed_quantity: 1,
      failure_code: 'OUT_OF_STOCK',
      failure_message: 'Sold out',
    };
    expect(failed.items).toMatchObject([item]);
  });

  it.each(['shop/10001', 'a b', 'ä%2F', '50%', 'ผู้เล่น', '😀', '?x=1#y', '...', '+', '..;/'])(
    'finds the order with the reference %p when it is percent-encoded',
    async (text) => {
      const reference_id = `${text}${unique('')}`;
      const { body: created } = await post({ reference_id });
      expect((await get(reference_id)).body.order_number).toBe(created.order_number);
    },
  );

  it('404 NOT_FOUND with a message for an unknown order', async () => {
    expectError(await get(unique('unknown')), 404, 'NOT_FOUND', /order/i);
  });

  it('404 NOT_FOUND for the service’s own order_number', async () => {
    const { body } = await post({});
    expectError(await get(body.order_number), 404, 'NOT_FOUND');
  });

  it('404 NOT_FOUND for the reference in another case', async () => {
    const { body } = await post({ reference_id: unique('Case') });
    expectError(await get(body.reference_id.toUpperCase()), 404, 'NOT_FOUND');
  });

  it('401 UNAUTHORIZED without a key', async () => {
    const { body } = await post({});
    const answer = await merchant.client.get(`/v1/orders/${body.reference_id}`, { 'x-api-key': '' });
    expectError(answer, 401, 'UNAUTHORIZED');
  });
});

describe('8 Limits of orders', () => {
  it('an order has at least 1 item', async () => {
    expect((await post({ items: [] })).status).toBe(400);
    expect((await post({ items: [{ sku }] })).status).toBe(200);
  });

  it('a quantity is an integer, at least 1, and 1 by default', async () => {
    expect((await post({ items: [{ sku, quantity: 0 }] })).status).toBe(400);
    expect((await post({ items: [{ sku, quantity: 1 }] })).body.items).toMatchObject([{ quantity: 1 }]);
    expect((await post({ items: [{ sku }] })).body.items).toMatchObject([{ quantity: 1 }]);
  });

  it('a reference_id is unique: no two orders have the same', async () => {
    const reference_id = unique('order');
    const first = await post({ reference_id });
    const again = await post({ reference_id });
    const different = await post({ reference_id, user_id: 'player-2' });
    expect(again.body.order_number).toBe(first.body.order_number);
    expectError(different, 409, 'DUPLICATE_REFERENCE');
    const rows = await stack.sql('SELECT id FROM orders WHERE merchant_id = $1 AND reference_id = $2', [
      merchant.id,
      reference_id,
    ]);
    expect(rows).toHaveLength(1);
  });
});

describe('9 Versioning', () => {
  it.each(['/orders', '/merchant-webhooks', '/v2/orders', '/V1/orders'])(
    'has nothing at %s: all endpoints begin with /v1',
    async (path) => {
      expectError(await merchant.client.get(path), 404, 'NOT_FOUND');
    },
  );
});
