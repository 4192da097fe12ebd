import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { closeWithBalancedBooks } from '../support/books.js';
import { expectError } from '../support/expectations.js';
import { refused } from '../support/fake-supplier.js';
import { walk, type Page } from '../support/pages.js';
import { TestStack, type OrderBody, type TestMerchant } from '../support/stack.js';

let stack: TestStack;
let sku: string;
let merchant: TestMerchant;
/** The references of the merchant's orders, newest first. */
let newestFirst: string[];

beforeAll(async () => {
  stack = await TestStack.start();
  sku = await stack.product('1.00');
  stack.supplier.script('fails', ({ reference }) => refused(reference, 'OUT_OF_STOCK'));
  stack.supplier.script('waits', () => 'hang');
  merchant = await stack.merchant('1000.00');
  const users = ['player-1', 'fails', 'player-1', 'waits', 'player-1', 'fails', 'player-1'];
  const orders: OrderBody[] = [];
  for (const user of users) orders.push(await stack.order(merchant, [{ sku }], user));
  for (const [index, { reference_id }] of orders.entries()) {
    if (users[index] !== 'waits') await stack.orderWith(merchant, reference_id, 'completed', 'failed');
  }
  await stack.orderWith(merchant, orders[3]?.reference_id ?? '', 'processing');
  newestFirst = orders.map(({ reference_id }) => reference_id).reverse();
});

afterAll(() => closeWithBalancedBooks(stack));

const list = async (query = '', by = merchant): Promise<Page<OrderBody>> =>
  (await by.client.get<Page<OrderBody>>(`/v1/orders${query}`)).body;

const references = (orders: OrderBody[]): string[] => orders.map(({ reference_id }) => reference_id);

describe('5 GET /v1/orders', () => {
  it('lists the merchant’s orders, newest first, each as GET shows it', async () => {
    const { data, next_cursor } = await list();
    expect(references(data)).toEqual(newestFirst);
    expect(next_cursor).toBeNull();
    const [newest] = data;
    const { body } = await merchant.client.get<OrderBody>(`/v1/orders/${newest?.reference_id ?? ''}`);
    expect(newest).toEqual(body);
  });

  it('shows the items of each order with that order', async () => {
    const buyer = await stack.merchant();
    await stack.order(buyer, [
      { sku, quantity: 1 },
      { sku, quantity: 2 },
    ]);
    await stack.order(buyer, [{ sku, quantity: 3 }]);
    const { data } = await list('', buyer);
    const quantities = data.map(({ items }) =>
      (items as unknown as { quantity: number }[]).map((each) => each.quantity),
    );
    expect(quantities).toEqual([[3], [1, 2]]);
  });

  it('is empty for a merchant without orders', async () => {
    expect(await list('', await stack.merchant('0.00'))).toEqual({ data: [], next_cursor: null });
  });

  it.each([
    ['completed', [0, 2, 4, 6]],
    ['failed', [1, 5]],
    ['processing', [3]],
    ['pending', []],
  ])('status=%s', async (status, places) => {
    const { data } = await list(`?status=${status}`);
    expect(references(data)).toEqual(places.map((place) => newestFirst[place]));
    for (const order of data) expect(order.status).toBe(status);
  });

  it('created_from and created_to, both inclusive', async () => {
    const { data } = await list();
    const createdAt = (place: number): string => String(data[place]?.created_at);
    const expected = (from: number, to: number): string[] =>
      references(
        data.filter(({ created_at }) => String(created_at) >= createdAt(from) && String(created_at) <= createdAt(to)),
      );
    expect(references((await list(`?created_from=${createdAt(4)}`)).data)).toEqual(expected(4, 0));
    expect(references((await list(`?created_to=${createdAt(2)}`)).data)).toEqual(expected(6, 2));
    expect(references((await list(`?created_from=${createdAt(5)}&created_to=${createdAt(1)}`)).data)).toEqual(
      expected(5, 1),
    );
    expect((await list(`?created_from=${createdAt(0)}&created_to=${createdAt(6)}&status=failed`)).data).toEqual([]);
  });

  it('times may have a time zone', async () => {
    const hence = new Date(Date.now() + 3_600_000).toISOString().replace('Z', '%2B00:00');
    expect((await list(`?created_from=${hence}`)).data).toEqual([]);
    expect((await list(`?created_to=${hence}`)).data).toHaveLength(newestFirst.length);
  });

  it('filters apply to every page', async () => {
    const walked = await walk<OrderBody>(merchant.client, '/v1/orders', { status: 'completed', limit: '2' });
    expect(references(walked)).toEqual([0, 2, 4, 6].map((place) => newestFirst[place]));
  });
});

describe('5 Lists: pages', () => {
  it.each([1, 2, 3, 7, 100])('a walk with limit %i finds everything once, in order', async (limit) => {
    const walked = await walk<OrderBody>(merchant.client, '/v1/orders', { limit: String(limit) });
    expect(references(walked)).toEqual(newestFirst);
  });

  it('have 20 orders by default', async () => {
    const buyer = await stack.merchant();
    await Promise.all(Array.from({ length: 21 }, () => stack.order(buyer, [{ sku }])));
    const { data, next_cursor } = await list('', buyer);
    expect(data).toHaveLength(20);
    expect(next_cursor).not.toBeNull();
    expect((await list(`?cursor=${next_cursor}`, buyer)).data).toHaveLength(1);
  });

  it('the last one has no cursor even when it is full', async () => {
    expect((await list(`?limit=${newestFirst.length}`)).next_cursor).toBeNull();
    expect((await list(`?limit=${newestFirst.length - 1}`)).next_cursor).not.toBeNull();
  });

  it('a walk finds each order once while new orders arrive, also orders of the same moment', async () => {
    const buyer = await stack.merchant();
    const before = await Promise.all(Array.from({ length: 30 }, () => stack.order(buyer, [{ sku }])));
    const arrive = (): Promise<unknown> => Promise.all([stack.order(buyer, [{ sku }]), stack.order(buyer, [{ sku }])]);
    const walked = await walk<OrderBody>(buyer.client, '/v1/orders', { limit: '4' }, arrive);
    expect(references(walked).sort()).toEqual(references(before).sort());
    const times = walked.map(({ created_at }) => String(created_at));
    expect(times).toEqual([...times].sort().reverse());
  });

  it('the statement too finds everything once while new entries arrive', async () => {
    const buyer = await stack.merchant();
    for (let i = 0; i < 12; i++) await stack.credit(buyer.id, '1.00');
    const earlier = (await walk<{ id: number }>(buyer.client, '/v1/wallet/entries')).map(({ id }) => id);
    const arrive = (): Promise<unknown> => stack.credit(buyer.id, '1.00');
    const walked = await walk<{ id: number }>(buyer.client, '/v1/wallet/entries', { limit: '3' }, arrive);
    expect(walked.map(({ id }) => id)).toEqual(earlier);
    expect(earlier).toHaveLength(13);
  });
});

describe('5 Lists: a bad or repeated parameter is a 400', () => {
  const bad: [path: string, query: string, field: string][] = [
    ...['/v1/orders', '/v1/wallet/entries', '/v1/products'].flatMap((path): [string, string, string][] => [
      [path, 'limit=0', 'limit'],
      [path, 'limit=101', 'limit'],
      [path, 'limit=-1', 'limit'],
      [path, 'limit=1.5', 'limit'],
      [path, 'limit=ten', 'limit'],
      [path, 'limit=', 'limit'],
      [path, 'limit=1e1', 'limit'],
      [path, 'limit=2&limit=3', 'limit'],
      [path, 'limit=2&limit=2', 'limit'],
      [path, 'limit[]=2', 'limit[]'],
      [path, 'cursor=', 'cursor'],
      [path, 'cursor=abc', 'cursor'],
      [path, 'cursor=%00', 'cursor'],
      [path, 'cursor=a&cursor=b', 'cursor'],
      [path, 'page=2', 'page'],
      [path, 'offset=0', 'offset'],
      [path, '__proto__=1', '__proto__'],
      [path, 'toString=1', 'toString'],
    ]),
    ['/v1/orders', 'status=done', 'status'],
    ['/v1/orders', 'status=', 'status'],
    ['/v1/orders', 'status=COMPLETED', 'status'],
    ['/v1/orders', 'status=failed&status=completed', 'status'],
    ['/v1/orders', 'created_from=yesterday', 'created_from'],
    ['/v1/orders', 'created_from=2026-01-15', 'created_from'],
    ['/v1/orders', 'created_from=2026-01-15T08:30:00', 'created_from'],
    ['/v1/orders', 'created_from=2026-02-30T08:30:00Z', 'created_from'],
    ['/v1/orders', 'created_from=2026-13-01T00:00:00Z', 'created_from'],
    ['/v1/orders', 'created_from=2026-01-01T24:30:00Z', 'created_from'],
    ['/v1/orders', 'created_from=0000-01-01T00:00:00Z', 'created_from'],
    ['/v1/orders', 'created_to=1768465800', 'created_to'],
    ['/v1/orders', 'created_to=2026-01-15T08:30:00Z&created_to=2026-01-16T08:30:00Z', 'created_to'],
    ['/v1/wallet/entries', 'status=failed', 'status'],
    ['/v1/products', 'created_from=2026-01-15T08:30:00Z', 'created_from'],
  ];

  it.each(bad)('%s?%s', async (path, query, field) => {
    const { details = [] } = expectError(await merchant.client.get(`${path}?${query}`), 400, 'BAD_REQUEST');
    expect(details.map((detail) => detail.field)).toContain(field);
  });

  it('a cursor of another list, or a forged one, is a 400 or only a position in the merchant’s list', async () => {
    const cursorOf = async (path: string): Promise<string> =>
      (await merchant.client.get<Page<unknown>>(`${path}?limit=1`)).body.next_cursor ?? '';
    const ofOrders = await cursorOf('/v1/orders');
    await stack.product('1.00');
    const ofProducts = await cursorOf('/v1/products');
    expect([ofOrders, ofProducts]).not.toContain('');
    expectError(await merchant.client.get(`/v1/products?cursor=${ofOrders}`), 400, 'BAD_REQUEST');
    expectError(await merchant.client.get(`/v1/wallet/entries?cursor=${ofOrders}`), 400, 'BAD_REQUEST');
    expectError(await merchant.client.get(`/v1/orders?cursor=${ofProducts}`), 400, 'BAD_REQUEST');
    for (const forged of [
      '-1.1',
      '1',
      'x.y',
      '9999999999999999999.1',
      '999999999999999999.1',
      '1.1.1',
      "1;'.1",
      '1.1 ',
    ]) {
      const cursor = Buffer.from(forged).toString('base64url');
      const answer = await merchant.client.get<Page<OrderBody>>(`/v1/orders?cursor=${cursor}`);
      if (answer.status !== 200) expectError(answer, 400, 'BAD_REQUEST');
      else for (const { reference_id } of answer.body.data) expect(newestFirst).toContain(reference_id);
    }
  });

  it('another merchant’s cursor shows no rows of that merchant', async () => {
    const { body } = await merchant.client.get<Page<OrderBody>>('/v1/orders?limit=1');
    const other = await stack.merchant();
    const own = await stack.order(other, [{ sku }]);
    const { data } = await list(`?cursor=${body.next_cursor ?? ''}`, other);
    for (const { reference_id } of data) expect(reference_id).toBe(own.reference_id);
  });
});
