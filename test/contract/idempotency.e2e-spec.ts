import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { closeWithBalancedBooks } from '../support/books.js';
import { expectError, expectPlaced } from '../support/expectations.js';
import { refused } from '../support/fake-supplier.js';
import type { Answer } from '../support/http.js';
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

interface Request {
  reference_id: string;
  user_id: string;
  server_id?: string | null;
  character_id?: string | null;
  items: { sku: string; quantity?: number | null }[];
}

const request = (members: Partial<Request> = {}): Request => ({
  reference_id: unique('order'),
  user_id: 'player-1',
  server_id: '2001',
  character_id: 'Knight',
  items: [{ sku, quantity: 2 }],
  ...members,
});

const post = (body: unknown, by = merchant): Promise<Answer<OrderBody>> =>
  by.client.post<OrderBody>('/v1/orders', body);

const REPLAYED = 'idempotent-replayed';

function expectReplay(answer: Answer<OrderBody>, first: Answer<OrderBody>): void {
  expect(answer.status).toBe(200);
  expect(answer.headers.get(REPLAYED)).toBe('true');
  expect(answer.body.order_number).toBe(first.body.order_number);
}

describe('2 Idempotency: the same request again', () => {
  it('gives the same order with Idempotent-Replayed: true, and the first time without it', async () => {
    const order = request();
    const first = await post(order);
    expectPlaced(first);
    expectReplay(await post(order), first);
    expectReplay(await post(order), first);
  });

  it('charges nothing again', async () => {
    const payer = await stack.merchant('100.00');
    const order = request();
    await post(order, payer);
    await stack.orderWith(payer, order.reference_id, 'completed');
    for (let i = 0; i < 5; i++) expect((await post(order, payer)).status).toBe(200);
    expect(await stack.wallet(payer)).toEqual({ available: '30.00', held: '0.00' });
  });

  it('gives the current order: completed', async () => {
    const order = request();
    const first = await post(order);
    const completed = await stack.orderWith(merchant, order.reference_id, 'completed');
    const again = await post(order);
    expectReplay(again, first);
    expect(again.body).toEqual(completed);
  });

  it('gives the current order: failed, with its failure, and it is not bought again', async () => {
    stack.supplier.script('never', ({ reference }) => refused(reference, 'OUT_OF_STOCK'));
    const order = request({ user_id: 'never' });
    const first = await post(order);
    const failed = await stack.orderWith(merchant, order.reference_id, 'failed');
    const again = await post(order);
    expectReplay(again, first);
    expect(again.body).toEqual(failed);
    const sent = stack.supplier.about(first.body.order_number).filter(({ kind }) => kind === 'send');
    expect(sent).toHaveLength(2);
  });

  it('is recognized after defaults are applied: a missing quantity is 1, and null is the same as absent', async () => {
    const order = request({ items: [{ sku }], server_id: undefined, character_id: undefined });
    const first = await post(order);
    const spellings = [
      { ...order, items: [{ sku, quantity: 1 }] },
      { ...order, items: [{ sku, quantity: null }] },
      { ...order, server_id: null, character_id: null },
    ];
    for (const spelling of spellings) expectReplay(await post(spelling), first);
  });

  it('is recognized with another order of members, and other white space', async () => {
    const order = request();
    const first = await post(order);
    const reversed = Object.fromEntries(Object.entries(order).reverse());
    expectReplay(await post(JSON.stringify(reversed, null, 4)), first);
  });

  it('is recognized even if the wallet is empty now', async () => {
    const payer = await stack.merchant('70.00');
    const order = request();
    const first = await post(order, payer);
    expect((await stack.wallet(payer)).available).toBe('0.00');
    expectReplay(await post(order, payer), first);
  });

  it('is recognized even if the product now is inactive, costs more or has a smaller maximum quantity', async () => {
    const seasonal = await stack.product('35.00');
    const order = request({ items: [{ sku: seasonal, quantity: 3 }] });
    const first = await post(order);
    await stack.product('99.00', { sku: seasonal, active: false, maxQuantity: 1, requiresServer: true });
    const again = await post(order);
    expectReplay(again, first);
    expect(again.body.total_amount).toBe('105.00');
  });
});

describe('2 Idempotency: the same reference with different content', () => {
  it.each<[what: string, change: (order: Request) => Partial<Request>]>([
    ['user_id', () => ({ user_id: 'player-2' })],
    ['user_id in another case', () => ({ user_id: 'Player-1' })],
    ['user_id with a space', () => ({ user_id: 'player-1 ' })],
    ['server_id', () => ({ server_id: '2002' })],
    ['no server_id', () => ({ server_id: null })],
    ['character_id', () => ({ character_id: 'Mage' })],
    ['no character_id', () => ({ character_id: undefined })],
    ['server and character changed about', () => ({ server_id: 'Knight', character_id: '2001' })],
    ['a quantity', () => ({ items: [{ sku, quantity: 3 }] })],
    ['no quantity', () => ({ items: [{ sku }] })],
    ['one item more', ({ items }) => ({ items: [...items, { sku, quantity: 1 }] })],
    [
      'the same pieces in two items',
      () => ({
        items: [
          { sku, quantity: 1 },
          { sku, quantity: 1 },
        ],
      }),
    ],
  ])('409 DUPLICATE_REFERENCE for another %s', async (_what, change) => {
    const order = request();
    const first = await post(order);
    const before = await stack.orderWith(merchant, order.reference_id, 'completed');
    const answer = await post({ ...order, ...change(order) });
    const { message } = expectError(answer, 409, 'DUPLICATE_REFERENCE');
    expect(message).toContain(order.reference_id);
    expect(message).toContain(`order ${first.body.order_number}, `);
    expect(await stack.orderWith(merchant, order.reference_id, 'completed')).toEqual(before);
    expectReplay(await post(order), first);
  });

  it('409 for another SKU, and for the same items in another order', async () => {
    const other = await stack.product('35.00');
    const order = request({ items: [{ sku }, { sku: other }] });
    await post(order);
    expectError(await post({ ...order, items: [{ sku: other }, { sku: other }] }), 409, 'DUPLICATE_REFERENCE');
    expectError(await post({ ...order, items: [{ sku: other }, { sku }] }), 409, 'DUPLICATE_REFERENCE');
  });

  it('409 even if the different content could not be ordered: an unknown SKU, or too expensive', async () => {
    const order = request();
    await post(order);
    expectError(await post({ ...order, items: [{ sku: 'UNKNOWN' }] }), 409, 'DUPLICATE_REFERENCE');
    expectError(await post({ ...order, items: [{ sku, quantity: 100 }] }), 409, 'DUPLICATE_REFERENCE');
  });

  it('400 when it is not a valid request at all', async () => {
    const order = request();
    await post(order);
    expectError(await post({ ...order, items: [] }), 400, 'BAD_REQUEST');
  });
});

describe('2 Idempotency: a refused request does not use up its reference', () => {
  const place = async (order: Request, by = merchant): Promise<void> => expectPlaced(await post(order, by));

  it('400: a wrong member', async () => {
    const order = request();
    expect((await post({ ...order, items: [{ sku, quantity: 0 }] })).status).toBe(400);
    expect((await post({ ...order, server_ID: '1' })).status).toBe(400);
    await place(order);
  });

  it('400: an unknown SKU', async () => {
    const order = request();
    expect((await post({ ...order, items: [{ sku: 'UNKNOWN' }] })).status).toBe(400);
    await place(order);
  });

  it('401: no key', async () => {
    const order = request();
    expect((await merchant.client.post('/v1/orders', order, { 'x-api-key': '' })).status).toBe(401);
    await place(order);
  });

  it('413 and 415: a body too large, of another type', async () => {
    const order = request();
    const text = JSON.stringify(order);
    expect((await post(text.padEnd(300 * 1024, ' '))).status).toBe(413);
    expect((await merchant.client.post('/v1/orders', text, { 'content-type': 'text/plain' })).status).toBe(415);
    await place(order);
  });

  it('409: different content, which is then accepted under its own reference', async () => {
    const order = request();
    await place(order);
    const different = { ...order, user_id: 'player-2' };
    expect((await post(different)).status).toBe(409);
    await place({ ...different, reference_id: unique('order') });
  });

  it('503: too low a balance; the same request succeeds after a credit', async () => {
    const payer = await stack.merchant('69.99');
    const order = request();
    expectError(await post(order, payer), 503, 'SERVICE_UNAVAILABLE');
    expectError(await post(order, payer), 503, 'SERVICE_UNAVAILABLE');
    await stack.credit(payer.id, '0.01');
    await place(order, payer);
    expect((await stack.wallet(payer)).available).toBe('0.00');
  });

  it('503: too low a balance; another order may use the reference', async () => {
    const payer = await stack.merchant('35.00');
    const order = request();
    expectError(await post(order, payer), 503, 'SERVICE_UNAVAILABLE');
    await place({ ...order, items: [{ sku, quantity: 1 }] }, payer);
  });
});

describe('2 Idempotency: a reference is the merchant’s own', () => {
  it('two merchants use the same one, each for an order of its own', async () => {
    const other = await stack.merchant('100.00');
    const order = request();
    const [mine, theirs] = [await post(order), await post(order, other)];
    expect([mine.status, theirs.status]).toEqual([200, 200]);
    expect(theirs.headers.get(REPLAYED)).toBeNull();
    expect(mine.body.order_number).not.toBe(theirs.body.order_number);
    expect((await stack.wallet(other)).available).toBe('30.00');
  });

  it('two merchants use the same one with different content, and neither is refused', async () => {
    const other = await stack.merchant('100.00');
    const order = request();
    await post(order);
    const theirs = await post({ ...order, user_id: 'player-9' }, other);
    expect(theirs.status).toBe(200);
    const path = `/v1/orders/${order.reference_id}`;
    expect((await merchant.client.get<OrderBody>(path)).body.user_id).toBe('player-1');
    expect((await other.client.get<OrderBody>(path)).body.user_id).toBe('player-9');
  });
});
