import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { PricesService } from '../../src/catalog/prices.service.js';
import { HttpSupplier } from '../../src/suppliers/http/http-supplier.js';
import { closeWithBalancedBooks } from '../support/books.js';
import { eventually } from '../support/eventually.js';
import { expectError, expectRefusedField } from '../support/expectations.js';
import type { Answer } from '../support/http.js';
import { TestStack, unique, type OrderBody, type TestMerchant } from '../support/stack.js';
import { WebhookReceiver } from '../support/webhook-receiver.js';

let stack: TestStack;
let receiver: WebhookReceiver;
let merchant: TestMerchant;
let sku: string;

beforeAll(async () => {
  stack = await TestStack.start();
  receiver = await new WebhookReceiver().listen();
  merchant = await stack.merchant('10000.00');
  sku = await stack.product('35.00');
});

afterAll(() => closeWithBalancedBooks(stack, receiver));

interface Request {
  reference_id: string;
  [member: string]: unknown;
}

const request = (members: object = {}): Request => ({
  reference_id: unique('order'),
  user_id: 'player-1',
  items: [{ sku, quantity: 2 }],
  ...members,
});

const post = (body: object, by = merchant): Promise<Answer<OrderBody>> => by.client.post<OrderBody>('/v1/orders', body);

const show = async (referenceId: string): Promise<OrderBody> =>
  (await merchant.client.get<OrderBody>(`/v1/orders/${referenceId}`)).body;

describe('max_total_amount', () => {
  it('allows an order that costs as much, or less', async () => {
    for (const max_total_amount of ['70.00', '70', '70.0', '999999.99', null])
      expect((await post(request({ max_total_amount }))).status).toBe(200);
  });

  it('refuses an order that costs more, charges nothing, and leaves its reference unused', async () => {
    const payer = await stack.merchant('100.00');
    const order = request({ max_total_amount: '69.99' });
    const { details } = expectError(await post(order, payer), 400, 'BAD_REQUEST', /70\.00.*69\.99/);
    expect(details).toEqual([
      { field: 'max_total_amount', code: 'PRICE_CHANGED', message: expect.stringContaining('70.00') },
    ]);
    expect(await stack.wallet(payer)).toEqual({ available: '100.00', held: '0.00' });
    expect((await post({ ...order, max_total_amount: '70.00' }, payer)).status).toBe(200);
  });

  it('is compared with the amount that the merchant pays, with the merchant’s prices and all items', async () => {
    const payer = await stack.merchant('1000.00');
    await stack.api.get(PricesService).set(payer.id, sku, 3_000n);
    const items = [{ sku, quantity: 2 }, { sku }];
    expectRefusedField(await post(request({ items, max_total_amount: '89.99' }), payer), 'max_total_amount');
    const placed = await post(request({ items, max_total_amount: '90.00' }), payer);
    expect(placed.body.total_amount).toBe('90.00');
  });

  it('is checked after the products and before the balance', async () => {
    const poor = await stack.merchant('1.00');
    expectRefusedField(await post(request({ max_total_amount: '1.00' }), poor), 'max_total_amount');
    const unknown = request({ max_total_amount: '0.01', items: [{ sku: unique('none') }] });
    expectRefusedField(await post(unknown), 'items[0].sku', 'INVALID_SKU');
  });

  it('never refuses a replay, even if the price or the limit has changed', async () => {
    const dearer = await stack.product('10.00');
    const order = request({ items: [{ sku: dearer }], max_total_amount: '10.00' });
    const { body } = await post(order);
    await stack.product('20.00', { sku: dearer });
    expectRefusedField(await post({ ...order, reference_id: unique('order') }), 'max_total_amount');
    for (const max_total_amount of ['10.00', '0.00', undefined]) {
      const again = await post({ ...order, max_total_amount });
      expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([200, 'true']);
      expect(again.body.order_number).toBe(body.order_number);
    }
  });

  it.each([35, '35.001', '-1.00', '1e3', '', ' 35.00', '35,00', true, {}, '99999999999999.00'])(
    'is a 400 for %j',
    async (max_total_amount) => expectRefusedField(await post(request({ max_total_amount })), 'max_total_amount'),
  );
});

describe('metadata', () => {
  const metadata = {
    cart: 'c-8812',
    note: '',
    'ชื่อ 😀': ' "quoted" \\ ',
    __proto__x: '1',
    10: 'ten',
    2: 'two',
  };

  it('is shown unchanged by POST, a replay, GET, the list and the webhook', async () => {
    const path = `/${unique('hook')}`;
    await merchant.client.post('/v1/merchant-webhooks', { url: receiver.url(path) });
    const order = request({ metadata });
    const first = await post(order);
    expect(first.body.metadata).toEqual(metadata);
    expect((await post(order)).body.metadata).toEqual(metadata);
    const ended = await stack.orderWith(merchant, order.reference_id, 'completed');
    expect(ended.metadata).toEqual(metadata);
    expect(Object.keys(ended.metadata as object)).toEqual(Object.keys(metadata));
    const list = await merchant.client.get<{ data: OrderBody[] }>('/v1/orders?limit=1');
    expect(list.body.data[0]?.metadata).toEqual(metadata);
    // Orders of earlier tests may end now.
    const arrived = await eventually(
      () =>
        receiver
          .at(path)
          .map(({ body }) => (JSON.parse(body) as { data: OrderBody }).data)
          .find(({ reference_id }) => reference_id === order.reference_id),
      (data) => data !== undefined,
    );
    expect(arrived).toEqual(ended);
  });

  it('is empty if it was absent, null or empty, which are the same content', async () => {
    const order = request();
    for (const given of [undefined, null, {}]) {
      const { status, body } = await post({ ...order, metadata: given });
      expect([status, body.metadata]).toEqual([200, {}]);
    }
    expect((await show(order.reference_id)).metadata).toEqual({});
  });

  it('is content: a repeated request with other metadata has a duplicate reference', async () => {
    const order = request({ metadata: { shop: 'bkk', cart: '1' } });
    const { body } = await post(order);
    const again = await post({ ...order, metadata: { cart: '1', shop: 'bkk' } });
    expect([again.status, again.body.order_number]).toEqual([200, body.order_number]);
    for (const other of [{ shop: 'bkk', cart: '2' }, { shop: 'bkk' }, { shop: 'bkk', cart: '1', more: '' }, null])
      expectError(await post({ ...order, metadata: other }), 409, 'DUPLICATE_REFERENCE');
    const bare = request();
    await post(bare);
    expectError(await post({ ...bare, metadata: { shop: 'bkk' } }), 409, 'DUPLICATE_REFERENCE');
  });

  it('may have 20 texts of 500 characters, with names of 40, counted in code points', async () => {
    const entries = Array.from({ length: 20 }, (_, index) => ['😀'.repeat(38) + String(index + 10), '😀'.repeat(500)]);
    const given = Object.fromEntries(entries) as object;
    expect((await post(request({ metadata: given }))).body.metadata).toEqual(given);
  });

  it.each<[what: string, metadata: unknown, field: string, code: string]>([
    ['no object', 'text', 'metadata', 'INVALID_TYPE'],
    ['a list', [], 'metadata', 'INVALID_TYPE'],
    ['21 texts', Object.fromEntries(Array.from({ length: 21 }, (_, at) => [at, ''])), 'metadata', 'OUT_OF_RANGE'],
    ['a name of 41 characters', { ['x'.repeat(41)]: '' }, 'metadata', 'INVALID_VALUE'],
    ['an empty name', { '': 'x' }, 'metadata', 'INVALID_VALUE'],
    ['a control character in a name', { 'a\nb': 'x' }, 'metadata', 'INVALID_VALUE'],
    ['a number', { cart: 1 }, 'metadata.cart', 'INVALID_TYPE'],
    ['null', { cart: null }, 'metadata.cart', 'INVALID_TYPE'],
    ['an object', { cart: {} }, 'metadata.cart', 'INVALID_TYPE'],
    ['501 characters', { cart: 'x'.repeat(501) }, 'metadata.cart', 'INVALID_VALUE'],
    ['a NUL', { cart: '\0' }, 'metadata.cart', 'INVALID_VALUE'],
    ['a lone surrogate', { cart: '\ud800' }, 'metadata.cart', 'INVALID_VALUE'],
  ])('is a 400 for %s', async (_what, given, field, code) =>
    expectRefusedField(await post(request({ metadata: given })), field, code),
  );

  it('names every text that is wrong', async () => {
    const { details = [] } = expectError(
      await post(request({ metadata: { a: 1, b: 'x', c: [] } })),
      400,
      'BAD_REQUEST',
    );
    expect(details.map(({ field }) => field)).toEqual(['metadata.a', 'metadata.c']);
  });

  it('may have a text called __proto__', async () => {
    const { reference_id } = request();
    const order = `{"reference_id":"${reference_id}","user_id":"p","items":[{"sku":"${sku}"}],"metadata":{"__proto__":"x"}}`;
    const { body } = await merchant.client.post<OrderBody>('/v1/orders', order);
    expect(JSON.stringify(body.metadata)).toBe('{"__proto__":"x"}');
    expect(JSON.stringify((await show(reference_id)).metadata)).toBe('{"__proto__":"x"}');
  });
});

describe('end_user_ip', () => {
  it.each(['203.0.113.7', '2001:db8::7', '::ffff:203.0.113.7', null])('takes %j, and does not show it', async (ip) => {
    const { status, body } = await post(request({ end_user_ip: ip }));
    expect(status).toBe(200);
    expect(JSON.stringify(body)).not.toContain(ip ?? 'end_user_ip');
  });

  it.each(['', 'localhost', '203.0.113', '203.0.113.256', '203.0.113.7/32', 'fe80::1%eth0', '203.0.113.07', 7])(
    'is a 400 for %j',
    async (end_user_ip) => expectRefusedField(await post(request({ end_user_ip })), 'end_user_ip'),
  );

  it('is passed to the supplier’s adapter, as null if it is absent', async () => {
    const sent = jest.spyOn(HttpSupplier.prototype, 'send');
    for (const end_user_ip of ['2001:db8::7', undefined]) {
      const { body } = await post(request({ end_user_ip, items: [{ sku }] }));
      await stack.orderWith(merchant, body.reference_id, 'completed');
      const attempt = sent.mock.calls
        .map(([, each]) => each)
        .find(({ reference }) => reference.startsWith(body.order_number));
      expect(attempt?.endUserIp).toBe(end_user_ip ?? null);
    }
    sent.mockRestore();
  });

  it('is not content: a replay may have another value, and the first one stays', async () => {
    const order = request({ end_user_ip: '203.0.113.7' });
    const { body } = await post(order);
    const again = await post({ ...order, end_user_ip: '203.0.113.8' });
    expect([again.status, again.body.order_number]).toEqual([200, body.order_number]);
    const rows = await stack.sql('SELECT end_user_ip FROM orders WHERE order_number = $1', [body.order_number]);
    expect(rows).toEqual([{ end_user_ip: '203.0.113.7' }]);
  });
});
