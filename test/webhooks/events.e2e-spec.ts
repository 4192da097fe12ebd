import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { WalletService } from '../../src/wallet/wallet.service.js';
import { closeWithBalancedBooks } from '../support/books.js';
import { eventually } from '../support/eventually.js';
import { expectError, expectRefusedField } from '../support/expectations.js';
import { refused } from '../support/fake-supplier.js';
import { untilWaiting } from '../support/locks.js';
import { TestStack, unique, type TestMerchant } from '../support/stack.js';
import type { Page } from '../support/pages.js';
import { fetchServed, untilDone } from '../support/until-served.js';
import { Endpoints, Hooks } from './support.js';

interface EventBody {
  id: string;
  event: string;
  timestamp: number;
  data: { reference_id?: string; metadata?: object };
}

let stack: TestStack;
let endpoints: Endpoints;
let sku: string;

beforeAll(async () => {
  stack = await TestStack.start();
  endpoints = await new Endpoints().listen();
  sku = await stack.product('10.00');
  stack.supplier.script('fails', ({ reference }) => refused(reference, 'OUT_OF_STOCK'));
});

afterAll(() => closeWithBalancedBooks(stack, endpoints));

const list = async (merchant: TestMerchant, query = ''): Promise<Page<EventBody>> =>
  (await merchant.client.get<Page<EventBody>>(`/v1/events${query}`)).body;

/** The text of an answer. */
const textOf = async ({ key }: TestMerchant, path: string): Promise<string> =>
  (await fetchServed(`${stack.url}${path}`, { headers: { 'x-api-key': key } })).text();

const until = (merchant: TestMerchant, count: number): Promise<Page<EventBody>> =>
  eventually(
    () => list(merchant, '?limit=100'),
    ({ data }) => data.length >= count,
  );

const setAlert = (merchant: TestMerchant, satang: bigint): Promise<unknown> =>
  untilDone(() => stack.api.get(WalletService).setAlert(merchant.id, satang, { operator: 'test' }));

function debit({ id }: TestMerchant): Promise<unknown> {
  const funding = { merchantId: id, amount: 1_000n, reference: unique('debit'), operator: 'test' };
  // A repetition under the same reference has no effect.
  return untilDone(() => stack.api.get(WalletService).debit(funding));
}

/** A merchant with an event of each of `KINDS`, in their order. */
async function merchantWithEvents(): Promise<{ merchant: TestMerchant; url: string }> {
  const merchant = await stack.merchant('1000.00');
  const url = endpoints.add();
  const events = ['order.completed', 'order.failed', 'wallet.low_balance'];
  const { id } = await new Hooks(merchant).register(url, { events });
  const order = { user_id: 'ผู้เล่น 😀', items: [{ sku }], metadata: { 10: 'ten', 'a"\u2028': '\\', 2: 'two' } };
  const completed = { ...order, reference_id: unique('order') };
  await merchant.client.post('/v1/orders', completed);
  await stack.orderWith(merchant, completed.reference_id, 'completed');
  await stack.orderWith(merchant, (await stack.order(merchant, [{ sku }], 'fails')).reference_id, 'failed');
  await setAlert(merchant, 99_000n);
  await debit(merchant);
  await merchant.client.post(`/v1/merchant-webhooks/${id}/test`);
  return { merchant, url };
}

/** Four of the kinds of events. */
const KINDS = ['order.completed', 'order.failed', 'wallet.low_balance', 'webhook.test'];

describe('the events of a merchant', () => {
  let merchant: TestMerchant;
  let url: string;
  let data: EventBody[];

  beforeAll(async () => {
    ({ merchant, url } = await merchantWithEvents());
    ({ data } = await list(merchant));
  });

  it('are listed, oldest first', () => {
    expect(data.map(({ event }) => event)).toEqual(KINDS);
    for (const event of data) expect(Object.keys(event)).toEqual(['id', 'event', 'timestamp', 'data']);
  });

  it('have the same bytes as their deliveries, in the list and alone', async () => {
    const arrived = await endpoints.arrived(url, 4);
    const bodies = data.map(({ id }) => arrived.find(({ headers }) => headers['webhook-id'] === id)?.body);
    expect(await textOf(merchant, '/v1/events')).toBe(`{"data":[${bodies.join(',')}],"next_cursor":null}`);
    for (const [at, { id }] of data.entries()) expect(await textOf(merchant, `/v1/events/${id}`)).toBe(bodies[at]);
  });

  it('are filtered by type', async () => {
    for (const [at, type] of KINDS.entries()) expect((await list(merchant, `?type=${type}`)).data).toEqual([data[at]]);
  });

  it('are listed after a cursor or an event of any type', async () => {
    const first = await list(merchant, '?limit=2');
    expect(first.data).toEqual(data.slice(0, 2));
    const second = await list(merchant, `?limit=2&after=${first.next_cursor}`);
    expect(second).toEqual({ data: data.slice(2), next_cursor: null });
    for (const [at, { id }] of data.entries())
      expect(await list(merchant, `?after=${id}`)).toEqual({ data: data.slice(at + 1), next_cursor: null });
    expect((await list(merchant, `?after=${data[0]?.id}&type=webhook.test`)).data).toEqual([data[3]]);
  });

  it('are listed without a webhook, too', async () => {
    const buyer = await stack.merchant();
    const { reference_id } = await stack.order(buyer, [{ sku }]);
    const order = await stack.orderWith(buyer, reference_id, 'completed');
    const [event] = (await until(buyer, 1)).data;
    expect(event).toMatchObject({ event: 'order.completed', data: order });
  });

  it('are not shown to other merchants', async () => {
    const other = await stack.merchant();
    expect(await list(other)).toEqual({ data: [], next_cursor: null });
    const foreign = await other.client.get(`/v1/events/${data[0]?.id}`);
    expectError(foreign, 404, 'NOT_FOUND', 'The event was not found');
    expectRefusedField(await other.client.get(`/v1/events?after=${data[0]?.id}`), 'after', 'INVALID_VALUE');
    const { next_cursor } = await list(merchant, '?limit=1');
    expect((await list(other, `?after=${next_cursor}`)).data).toEqual([]);
  });

  it.each(['evt_none', 'evt_', 'x', '%00', 'evt_%ED%A0%80', `evt_${'x'.repeat(300)}`, '1'])(
    'are not found by %s',
    async (id) => {
      const answer = await merchant.client.get(`/v1/events/${id}`);
      expect([400, 404]).toContain(answer.status);
    },
  );

  it.each<[query: string, field: string]>([
    ['after=', 'after'],
    ['after=abc', 'after'],
    ['after=%00', 'after'],
    ['after=evt_none', 'after'],
    ['after=evt_%00', 'after'],
    [`after=${Buffer.from('1.1').toString('base64url')}`, 'after'],
    ['after=MQ&after=MQ', 'after'],
    ['type=order.pending', 'type'],
    ['type=order.failed&type=order.failed', 'type'],
    ['limit=0', 'limit'],
    ['limit=101', 'limit'],
    ['cursor=MQ', 'cursor'],
  ])('can’t be listed with %s', async (query, field) =>
    expectRefusedField(await merchant.client.get(`/v1/events?${query}`), field),
  );
});

/** A transaction that begins like each writer of events, with a lock on the merchant's wallet. */
async function openWriter(merchantId: number): Promise<pg.Client> {
  const client = new pg.Client(stack.config.DATABASE_URL);
  await client.connect();
  await client.query('BEGIN');
  await client.query('SELECT FROM wallets WHERE merchant_id = $1 FOR NO KEY UPDATE', [merchantId]);
  return client;
}

const LOW = { currency: 'THB', available_amount: '495.00', threshold_amount: '500.00' };

const write = (client: pg.Client, merchantId: number, id: string): Promise<unknown> =>
  client.query(
    `INSERT INTO events (public_id, merchant_id, kind, body, created_at)
     VALUES ($1, $2, 'wallet.low_balance', $3, now())`,
    [id, merchantId, JSON.stringify({ id, event: 'wallet.low_balance', timestamp: 1768465800, data: LOW })],
  );

describe('no new event is listed before one that a reader has seen', () => {
  it('even with open transactions, because a merchant’s events are written by one transaction after the other', async () => {
    const merchant = await stack.merchant();
    const other = await stack.merchant();
    const [first, beside] = [await openWriter(merchant.id), await openWriter(other.id)];
    try {
      await write(first, merchant.id, 'evt_first');
      const second = openWriter(merchant.id);
      await untilWaiting(stack);
      await write(beside, other.id, 'evt_beside');
      await beside.query('COMMIT');
      expect((await list(other)).data.map(({ id }) => id)).toEqual(['evt_beside']);
      expect((await list(merchant)).data).toEqual([]);
      await first.query('COMMIT');
      const writer = await second;
      await write(writer, merchant.id, 'evt_second');
      expect((await list(merchant)).data.map(({ id }) => id)).toEqual(['evt_first']);
      await writer.query('COMMIT');
      await writer.end();
      expect((await list(merchant, '?after=evt_first')).data.map(({ id }) => id)).toEqual(['evt_second']);
    } finally {
      await Promise.all([first.end(), beside.end()]);
    }
  });

  const writers: [what: string, write: (merchant: TestMerchant) => Promise<unknown>][] = [
    ['the end of an order', (merchant) => stack.order(merchant, [{ sku }], 'held')],
    [
      'a test',
      async (merchant) => {
        const { id } = await new Hooks(merchant).register(endpoints.add());
        return merchant.client.post(`/v1/merchant-webhooks/${id}/test`);
      },
    ],
    ['a debit', debit],
    ['an order that leaves little', (merchant) => stack.order(merchant, [{ sku }], 'player-1')],
  ];

  it.each(writers)('because a writer waits for the wallet: %s', async (_what, work) => {
    const merchant = await stack.merchant('1000.00');
    await setAlert(merchant, 99_500n);
    let sell: (value: unknown) => void = () => undefined;
    const maySell = new Promise((resolve) => (sell = resolve));
    stack.supplier.script('held', async ({ reference }) => {
      await maySell;
      return { status: 200, body: { reference, status: 'succeeded' } };
    });
    // The first writer's order is placed before the wallet is locked, so only its end must wait.
    const isEnd = work === writers[0]?.[1];
    if (isEnd) await work(merchant);
    if (isEnd)
      await eventually(
        () => list(merchant),
        ({ data }) => data.length === 1,
      );
    const before = (await list(merchant)).data.length;
    const holder = await openWriter(merchant.id);
    try {
      const writing = isEnd ? Promise.resolve(sell(null)) : work(merchant);
      await untilWaiting(stack);
      await write(holder, merchant.id, unique('evt_held').replaceAll('-', '_'));
      await holder.query('COMMIT');
      await writing;
      const { data } = await until(merchant, before + 2);
      expect(data[before]?.id).toMatch(/^evt_held/);
    } finally {
      await holder.end();
    }
  });

  it('while many orders end at once: a reader that continues after the last event misses none', async () => {
    const merchant = await stack.merchant('10000.00');
    const orders = Array.from({ length: 60 }, () => stack.order(merchant, [{ sku }]));
    const read: string[] = [];
    await eventually(
      async () => {
        const { data } = await list(merchant, `?limit=7${read.length > 0 ? `&after=${read.at(-1)}` : ''}`);
        read.push(...data.map(({ id }) => id));
        return read.length;
      },
      (count) => count >= 60,
    );
    await Promise.all(orders);
    expect((await until(merchant, 60)).data.map(({ id }) => id)).toEqual(read);
  });
});
