import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { closeWithBalancedBooks } from '../support/books.js';
import { eventually } from '../support/eventually.js';
import type { Answer } from '../support/http.js';
import { whileLocked } from '../support/locks.js';
import { TestStack, unique, type TestMerchant } from '../support/stack.js';
import { Hooks } from '../webhooks/support.js';

const READERS = 40;

let stack: TestStack;
let reader: TestMerchant;
let buyer: TestMerchant;
let sku: string;
/** Each list with a table that it reads. */
let lists: Record<string, { path: string; table: string }>;

beforeAll(async () => {
  stack = await TestStack.start();
  [reader, buyer] = [await stack.merchant(), await stack.merchant()];
  sku = await stack.product('1.00');
  const { id } = await new Hooks(reader).register('http://127.0.0.1:9/');
  lists = {
    orders: { path: '/v1/orders', table: 'orders' },
    'orders of a status': { path: '/v1/orders?status=completed', table: 'orders' },
    'wallet entries': { path: '/v1/wallet/entries', table: 'transfers' },
    products: { path: '/v1/products', table: 'products' },
    webhooks: { path: '/v1/merchant-webhooks', table: 'webhooks' },
    deliveries: { path: `/v1/merchant-webhooks/${id}/deliveries`, table: 'webhook_deliveries' },
  };
});

afterAll(() => closeWithBalancedBooks(stack));

const read = (list: string): Promise<Answer<unknown>[]> =>
  Promise.all(Array.from({ length: READERS }, () => reader.client.once.get(lists[list]?.path ?? '')));

const place = async (): Promise<number> => {
  const request = { reference_id: unique('order'), user_id: 'player-1', items: [{ sku }] };
  return (await buyer.client.post('/v1/orders', request)).status;
};

/** Connections on which something waits for a lock. */
const blocked = async (): Promise<number> =>
  (
    await stack.sql(
      `SELECT FROM pg_stat_activity
       WHERE datname = current_database() AND wait_event_type = 'Lock' AND application_name LIKE 'topup%'`,
    )
  ).length;

/** Starts readers of a list until one of them waits for a lock: PostgreSQL ends such a wait after three seconds. */
async function readUntilBlocked(list: string): Promise<Promise<Answer<unknown>[]>[]> {
  const reading: Promise<Answer<unknown>[]>[] = [];
  let underWay = 0;
  await eventually(
    () => {
      if (underWay === 0) reading.push(read(list).finally(() => underWay--));
      underWay ||= 1;
      return blocked();
    },
    (count) => count > 0,
  );
  return reading;
}

const allAnswered = (answers: Answer<unknown>[]): void => {
  for (const { status } of answers) expect([200, 503]).toContain(status);
};

describe('forty readers of a list whose table is locked', () => {
  it('do not delay orders, or other lists', async () => {
    await place();
    const answers = await whileLocked(stack, 'LOCK TABLE webhook_deliveries IN ACCESS EXCLUSIVE MODE', async () => {
      const reading = await readUntilBlocked('deliveries');
      for (const list of Object.keys(lists)) reading.push(read(list));
      const placed = await Promise.all(Array.from({ length: 20 }, place));
      expect(placed).toEqual(placed.map(() => 200));
      return reading;
    });
    for (const each of await Promise.all(answers)) allAnswered(each);
  });

  it.each(['orders', 'orders of a status', 'wallet entries', 'products', 'webhooks', 'deliveries'])(
    'leave connections to everything else: %s',
    async (list) => {
      const lock = `LOCK TABLE ${lists[list]?.table ?? ''} IN ACCESS EXCLUSIVE MODE`;
      const reading = await whileLocked(stack, lock, async () => {
        const answers = await readUntilBlocked(list);
        const others = await Promise.all(Array.from({ length: 20 }, () => buyer.client.get('/v1/wallet')));
        expect(others.map(({ status }) => status)).toEqual(others.map(() => 200));
        return answers;
      });
      for (const each of await Promise.all(reading)) allAnswered(each);
      expect((await reader.client.get(lists[list]?.path ?? '')).status).toBe(200);
    },
  );
});
