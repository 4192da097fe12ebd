import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { closeWithBalancedBooks } from '../support/books.js';
import { expectError, expectRefusedField } from '../support/expectations.js';
import type { Answer } from '../support/http.js';
import { TestStack, unique, type OrderBody, type TestMerchant } from '../support/stack.js';

let stack: TestStack;
let merchant: TestMerchant;
let sku: string;

beforeAll(async () => {
  stack = await TestStack.start({}, { worker: false });
  merchant = await stack.merchant('1000000.00');
  sku = await stack.product('1.00');
});

afterAll(() => closeWithBalancedBooks(stack));

const post = (members: object): Promise<Answer<OrderBody>> =>
  merchant.client.post<OrderBody>('/v1/orders', {
    reference_id: unique('order'),
    user_id: 'player-1',
    ...members,
  });

/** The quantity as it is written in the JSON, such as `1e2`. */
const postQuantity = (json: string, ofSku = sku): Promise<Answer<OrderBody>> =>
  merchant.client.post<OrderBody>(
    '/v1/orders',
    `{"reference_id":"${unique('order')}","user_id":"player-1","items":[{"sku":"${ofSku}","quantity":${json}}]}`,
  );

const quantities = ({ body }: Answer<OrderBody>): unknown[] =>
  (body.items as unknown as { quantity: number }[]).map(({ quantity }) => quantity);

describe('2 Creating an order: items', () => {
  it.each([1, 2, 49, 50])('%i of them are taken', async (count) => {
    const { status, body } = await post({ items: Array.from({ length: count }, () => ({ sku })) });
    expect(status).toBe(200);
    expect(body.items).toHaveLength(count);
    expect(body.total_amount).toBe(`${count}.00`);
  });

  it.each([0, 51, 500])('%i of them are refused', async (count) => {
    expectRefusedField(await post({ items: Array.from({ length: count }, () => ({ sku })) }), 'items');
  });

  it.each([{}, { 0: { sku: 'x' }, length: 1 }, 'x', 1, true, ''])('%j is no array of them', async (items) => {
    expectRefusedField(await post({ items }), 'items');
  });

  it.each([null, 1, 'SKU', true, [], [{}]])('%j is no item', async (item) => {
    const answer = await post({ items: [{ sku }, item] });
    const { details = [] } = expectError(answer, 400, 'BAD_REQUEST');
    expect(details[0]?.field).toMatch(/^items(\[1\].*)?$/);
  });

  it('one SKU may appear in several of them, each with a line of its own', async () => {
    const items = [
      { sku, quantity: 1 },
      { sku, quantity: 1 },
      { sku, quantity: 100 },
    ];
    const { status, body } = await post({ items });
    expect(status).toBe(200);
    expect(body.items).toMatchObject(items);
    expect(body.total_amount).toBe('102.00');
  });

  it('the answer lists every problem of every item by its path', async () => {
    const items = [{ sku: '' }, { quantity: 0 }, { sku, quantity: 101 }, { sku, note: 1 }, 5, null];
    const { details = [] } = expectError(await post({ items }), 400, 'BAD_REQUEST');
    expect(details.map(({ field }) => field).sort()).toEqual([
      'items[0].sku',
      'items[1].quantity',
      'items[1].sku',
      'items[2].quantity',
      'items[3].note',
      'items[4]',
      'items[5]',
    ]);
  });
});

describe('2 Creating an order: quantity', () => {
  it.each([
    ['1', 1],
    ['2', 2],
    ['100', 100],
    ['1e2', 100],
    ['1.0', 1],
    ['null', 1],
  ])('%s is taken as %i', async (json, quantity) => {
    const answer = await postQuantity(json);
    expect(answer.status).toBe(200);
    expect(quantities(answer)).toEqual([quantity]);
  });

  it('none is 1', async () => {
    expect(quantities(await post({ items: [{ sku }] }))).toEqual([1]);
  });

  it.each([
    '"2"',
    '""',
    '"x"',
    '1.5',
    '0.999999999',
    '1e-1',
    'true',
    'false',
    '0',
    '-0',
    '-1',
    '-1e2',
    '101',
    '1e3',
    '1e400',
    '4294967297',
    '9007199254740993',
    '[1]',
    '[]',
    '{}',
    '{"value":1}',
  ])('%s is refused', async (json) => {
    expectRefusedField(await postQuantity(json), 'items[0].quantity');
  });

  it('a product’s own maximum counts for each item', async () => {
    const few = await stack.product('1.00', { maxQuantity: 5 });
    expect((await postQuantity('5', few)).status).toBe(200);
    expectRefusedField(await postQuantity('6', few), 'items[0].quantity', 'OUT_OF_RANGE');
    const items = [
      { sku: few, quantity: 5 },
      { sku: few, quantity: 5 },
    ];
    expect((await post({ items })).status).toBe(200);
  });
});

describe('2 Creating an order: sku', () => {
  it.each([
    ['1 character', 'S'],
    ['64 characters', 'S'.repeat(64)],
    ['64 astral characters', '💎'.repeat(64)],
    ['other characters than letters', 'a b/c%d"ไทย'],
  ])('%s can be ordered', async (_what, text) => {
    await stack.product('1.00', { sku: text });
    const { status, body } = await post({ items: [{ sku: text }] });
    expect(status).toBe(200);
    expect(body.items).toMatchObject([{ sku: text }]);
  });

  it.each([
    ['65 characters', 'S'.repeat(65)],
    ['65 astral characters', '💎'.repeat(65)],
    ['nothing', ''],
    ['blank', '  '],
    ['a control character', 'a\u0000'],
    ['a lone surrogate', 'a\ud800'],
    ['null', null],
    ['a number', 1],
    ['an array', ['S']],
  ])('%s is refused', async (_what, value) => {
    expectRefusedField(await post({ items: [{ sku: value }] }), 'items[0].sku');
  });

  it('an unknown one is refused as INVALID_SKU, in any item', async () => {
    const answer = await post({ items: [{ sku }, { sku: 'UNKNOWN' }, { sku }, { sku: 'UNKNOWN-2' }] });
    const { details = [] } = expectError(answer, 400, 'BAD_REQUEST');
    expect(details.map(({ field, code }) => `${field} ${code}`)).toEqual([
      'items[1].sku INVALID_SKU',
      'items[3].sku INVALID_SKU',
    ]);
  });

  it('is case-sensitive and not trimmed', async () => {
    const known = await stack.product('1.00', { sku: unique('Case') });
    for (const other of [known.toUpperCase(), known.toLowerCase(), ` ${known}`, `${known} `]) {
      expectRefusedField(await post({ items: [{ sku: other }] }), 'items[0].sku', 'INVALID_SKU');
    }
  });

  it('an inactive one is refused as INVALID_SKU until it is active again', async () => {
    const seasonal = await stack.product('1.00', { active: false });
    expectRefusedField(await post({ items: [{ sku: seasonal }] }), 'items[0].sku', 'INVALID_SKU');
    await stack.product('1.00', { sku: seasonal, active: true });
    expect((await post({ items: [{ sku: seasonal }] })).status).toBe(200);
  });
});

describe('2 Creating an order: what a product needs', () => {
  it.each([
    ['server_id', { requiresServer: true }],
    ['character_id', { requiresCharacter: true }],
  ])('%s is required for a product that needs it, and for no other', async (member, definition) => {
    const needy = await stack.product('1.00', definition);
    const items = [{ sku }, { sku: needy }];
    expectRefusedField(await post({ items }), member, 'REQUIRED');
    expectRefusedField(await post({ items, [member]: null }), member, 'REQUIRED');
    expect((await post({ items, [member]: '2001' })).status).toBe(200);
    expect((await post({ items: [{ sku }] })).status).toBe(200);
  });

  it('an order of several such products names each member that is missing', async () => {
    const needy = await stack.product('1.00', { requiresServer: true, requiresCharacter: true });
    const { details = [] } = expectError(await post({ items: [{ sku: needy }] }), 400, 'BAD_REQUEST');
    expect(details.map(({ field }) => field).sort()).toEqual(['character_id', 'server_id']);
  });

  it('a refused order takes no money', async () => {
    const before = await stack.wallet(merchant);
    const needy = await stack.product('1.00', { requiresServer: true });
    await post({ items: [{ sku }, { sku: needy }] });
    await post({ items: [{ sku }, { sku: 'UNKNOWN' }] });
    expect(await stack.wallet(merchant)).toEqual(before);
  });
});
