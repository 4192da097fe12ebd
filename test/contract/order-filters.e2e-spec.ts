import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { closeWithBalancedBooks } from '../support/books.js';
import { expectRefusedField } from '../support/expectations.js';
import { refused } from '../support/fake-supplier.js';
import { walk, type Page } from '../support/pages.js';
import { TestStack, type OrderBody, type TestMerchant } from '../support/stack.js';

let stack: TestStack;
let merchant: TestMerchant;
let other: TestMerchant;
let sku: string;
/** Newest first. */
let orders: OrderBody[];

beforeAll(async () => {
  stack = await TestStack.start();
  sku = await stack.product('1.00');
  stack.supplier.script('fails', ({ reference }) => refused(reference, 'OUT_OF_STOCK'));
  [merchant, other] = await Promise.all([stack.merchant(), stack.merchant()]);
  const placed: OrderBody[] = [];
  for (const user of ['Mali', 'fails', 'Mali', 'mali', 'Mali'])
    placed.push(await stack.order(merchant, [{ sku }, { sku }], user));
  for (const { reference_id } of placed) await stack.orderWith(merchant, reference_id, 'completed', 'failed');
  orders = placed.reverse();
  const [{ reference_id }] = orders as [OrderBody];
  await other.client.post('/v1/orders', { reference_id, user_id: 'Mali', items: [{ sku }] });
});

afterAll(() => closeWithBalancedBooks(stack));

const list = async (query: Record<string, string>, by = merchant): Promise<Page<OrderBody>> =>
  (await by.client.get<Page<OrderBody>>(`/v1/orders?${new URLSearchParams(query).toString()}`)).body;

const found = async (query: Record<string, string>, by = merchant): Promise<string[]> =>
  (await list(query, by)).data.map(({ order_number }) => order_number);

const numbers = (...places: number[]): string[] => places.map((place) => orders[place]?.order_number ?? '');
const at = (place: number): OrderBody => orders[place] as OrderBody;

describe('the list of orders', () => {
  it('is filtered by order number: it has the order as GET shows it, or is empty', async () => {
    const { order_number, reference_id } = at(2);
    const { data, next_cursor } = await list({ order_number });
    expect(data).toEqual([(await merchant.client.get(`/v1/orders/${reference_id}`)).body]);
    expect(next_cursor).toBeNull();
    expect(await found({ order_number: order_number.toLowerCase() })).toEqual([]);
    expect(await found({ order_number }, other)).toEqual([]);
  });

  it('is filtered by reference, and leaves out another merchant’s order with the same reference', async () => {
    const { reference_id } = at(0);
    expect(await found({ reference_id })).toEqual(numbers(0));
    expect((await list({ reference_id }, other)).data[0]?.order_number).not.toBe(at(0).order_number);
    expect(await found({ reference_id: reference_id.toUpperCase() })).toEqual([]);
  });

  it('is filtered by user, newest first, on every page', async () => {
    expect(await found({ user_id: 'Mali' })).toEqual(numbers(0, 2, 4));
    const walked = await walk<OrderBody>(merchant.client, '/v1/orders', { user_id: 'Mali', limit: '1' });
    expect(walked.map(({ order_number }) => order_number)).toEqual(numbers(0, 2, 4));
    expect(await found({ user_id: 'nobody' })).toEqual([]);
  });

  it('takes all filters together', async () => {
    const { order_number, reference_id, created_at } = at(2);
    const all = { order_number, reference_id, user_id: 'Mali', status: 'completed' };
    const moment = String(created_at);
    expect(await found({ ...all, created_from: moment, created_to: moment })).toEqual(numbers(2));
    const changes: Record<string, string>[] = [
      { order_number: at(0).order_number },
      { reference_id: at(0).reference_id },
      { user_id: 'mali' },
      { status: 'failed' },
      { created_to: '2020-01-01T00:00:00Z' },
    ];
    for (const change of changes) expect(await found({ ...all, ...change })).toEqual([]);
    expect(await found({ user_id: 'fails', status: 'failed' })).toEqual(numbers(3));
    expect(await found({ user_id: 'Mali', created_from: moment })).toEqual(numbers(0, 2));
  });

  it.each(['order_number', 'user_id', 'reference_id'])('refuses a bad or repeated %s', async (name) => {
    for (const query of [`${name}=`, `${name}=%00`, `${name}=${'x'.repeat(129)}`, `${name}=a&${name}=b`])
      expectRefusedField(await merchant.client.get(`/v1/orders?${query}`), name);
  });
});
