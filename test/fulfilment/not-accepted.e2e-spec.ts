import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { closeWithBalancedBooks } from '../support/books.js';
import { eventually } from '../support/eventually.js';
import { bought, refused, type Answer, type SupplierRequest } from '../support/fake-supplier.js';
import { keptPort } from '../support/kept-port.js';
import { TestStack, type OrderBody, type TestMerchant } from '../support/stack.js';
import { keepWaits, waitsOf } from '../support/waits.js';

let stack: TestStack;
let merchant: TestMerchant;

/** How often a unit is not accepted before the supplier answers otherwise. */
interface Scene {
  answer: (reference: string) => Answer;
  times: number;
  then: (reference: string) => Answer;
}

const http =
  (status: number, headers: Record<string, string> = {}) =>
  (): Answer => ({ status, body: {}, headers });

const scenes: Record<string, Scene> = {
  ...Object.fromEntries(
    [401, 403, 408, 425, 429].map((status) => [`HTTP ${status}`, { answer: http(status), times: 1, then: bought }]),
  ),
  'not accepted, then refused': {
    answer: http(429),
    times: 1,
    then: (reference) => refused(reference, 'OUT_OF_STOCK'),
  },
  'not accepted twice': { answer: http(408), times: 2, then: bought },
  'Retry-After 3': { answer: http(429, { 'retry-after': '3' }), times: 1, then: bought },
  'Retry-After as a date': {
    answer: () => ({
      status: 429,
      headers: { 'retry-after': new Date(Date.now() + 4_000).toUTCString() },
    }),
    times: 1,
    then: bought,
  },
  'Retry-After that says nothing': { answer: http(425, { 'retry-after': 'soon' }), times: 1, then: bought },
  'Retry-After 0': { answer: http(429, { 'retry-after': '0' }), times: 3, then: bought },
  'Retry-After as a date that has passed': {
    answer: () => ({
      status: 429,
      headers: { 'retry-after': new Date(Date.now() - 60_000).toUTCString() },
    }),
    times: 3,
    then: bought,
  },
  'Retry-After of a day': { answer: http(429, { 'retry-after': '86400' }), times: 99, then: bought },
};

const orders = new Map<string, OrderBody>();

beforeAll(async () => {
  stack = await TestStack.start();
  await keepWaits(stack);
  merchant = await stack.merchant('1000.00');
  const sku = await stack.product('35.00');
  for (const [name, { answer, times, then }] of Object.entries(scenes)) {
    stack.supplier.script(name, ({ reference }, earlier) => (earlier.length < times ? answer : then)(reference));
    orders.set(name, await stack.order(merchant, [{ sku }], name));
  }
});

afterAll(() => closeWithBalancedBooks(stack));

const placed = (name: string): OrderBody => orders.get(name) as OrderBody;

async function ending(name: string): Promise<{ order: OrderBody; requests: SupplierRequest[] }> {
  const order = await stack.orderWith(merchant, placed(name).reference_id, 'completed', 'failed');
  const requests = stack.supplier.about(order.order_number);
  for (const { kind, reference } of requests) {
    expect([kind, reference]).toEqual(['send', `${order.order_number}.1.1`]);
  }
  return { order, requests };
}

/**
 * For how many seconds the unit had to wait after its first calls. On a busy machine a worker may give a claim back unused, or
 * too late for a call: such waits come after these, or are none.
 */
const waits = async ({ order_number }: OrderBody, count: number): Promise<number[]> =>
  (await waitsOf(stack, order_number)).filter((seconds) => seconds > 0).slice(0, count);

const gapsMs = (requests: SupplierRequest[]): number[] =>
  requests.slice(1).map(({ atMs }, index) => atMs - (requests[index]?.atMs ?? NaN));

const unitOf = async (orderNumber: string): Promise<{ state: string; sends: number } | undefined> =>
  (
    await stack.sql<{ state: string; sends: number }>(
      `SELECT state, sends FROM order_units
       WHERE order_id = (SELECT id FROM orders WHERE order_number = $1)`,
      [orderNumber],
    )
  )[0];

describe('8.3 A unit that was not accepted stays queued and is sent again, under the same reference', () => {
  it.each([401, 403, 408, 425, 429])('HTTP %i: after 1 s', async (status) => {
    const { order, requests } = await ending(`HTTP ${status}`);
    expect(order.status).toBe('completed');
    expect(requests).toHaveLength(2);
    expect(gapsMs(requests)[0]).toBeGreaterThanOrEqual(950);
    expect(await waits(order, 1)).toEqual([1]);
    expect(requests[1]?.body).toEqual(requests[0]?.body);
  });

  it('waits twice as long the second time', async () => {
    const { order, requests } = await ending('not accepted twice');
    expect(order.status).toBe('completed');
    expect(requests).toHaveLength(3);
    expect(gapsMs(requests)[1]).toBeGreaterThanOrEqual(1_950);
    expect(await waits(order, 2)).toEqual([1, 2]);
  });

  it('fails if the second send is refused', async () => {
    const { order, requests } = await ending('not accepted, then refused');
    expect(order).toMatchObject({ status: 'failed', failure_code: 'OUT_OF_STOCK' });
    expect(requests).toHaveLength(2);
  });

  it('waits as long as Retry-After says, in seconds', async () => {
    const { requests } = await ending('Retry-After 3');
    expect(gapsMs(requests)[0]).toBeGreaterThanOrEqual(2_950);
  });

  it('waits as long as Retry-After says, as a date', async () => {
    const { requests } = await ending('Retry-After as a date');
    // The date has no fractions of a second.
    expect(gapsMs(requests)[0]).toBeGreaterThanOrEqual(2_950);
  });

  it('waits 1 s if Retry-After cannot be read', async () => {
    const { order, requests } = await ending('Retry-After that says nothing');
    expect(gapsMs(requests)[0]).toBeGreaterThanOrEqual(950);
    expect(await waits(order, 1)).toEqual([1]);
  });

  it.each(['Retry-After 0', 'Retry-After as a date that has passed'])(
    'waits as long as without it, ever longer, when it asks for no time: %s',
    async (name) => {
      const { requests } = await ending(name);
      expect(requests).toHaveLength(4);
      for (const [index, gap] of gapsMs(requests).entries())
        expect(gap).toBeGreaterThanOrEqual(1_000 * 2 ** index - 50);
    },
  );

  it('waits 10 minutes at most, and is queued and not refunded meanwhile', async () => {
    const { order_number, reference_id } = placed('Retry-After of a day');
    await eventually(
      () => unitOf(order_number),
      (found) => found?.state === 'queued' && found.sends === 1,
    );
    expect(await waits(placed('Retry-After of a day'), 1)).toEqual([600]);
    const order = await stack.orderWith(merchant, reference_id, 'processing');
    expect(order).toMatchObject({ failure_code: null, items: [{ failed_quantity: 0 }] });
  });
});

describe('8.3 A supplier that cannot be reached accepts nothing', () => {
  /** Orders two units at an unreachable supplier, makes it reachable, and expects the service to buy each unit once. */
  async function whenItIsBack(code: string, awayUrl: string): Promise<void> {
    await stack.addSupplier(code, awayUrl, 25_000);
    const sku = await stack.product('35.00', { supplier: code });
    const { reference_id, order_number } = await stack.order(merchant, [{ sku, quantity: 2 }]);
    await eventually(
      () => unitOf(order_number),
      (found) => found?.state === 'queued' && found.sends >= 1,
    );
    for (const seconds of await waitsOf(stack, order_number)) expect(seconds).toBeLessThanOrEqual(60);
    expect((await stack.orderWith(merchant, reference_id, 'processing')).failure_code).toBeNull();
    await stack.addSupplier(code, stack.supplier.url);
    await stack.orderWith(merchant, reference_id, 'completed');
    const requests = stack.supplier.about(order_number).map(({ kind, reference }) => `${kind} ${reference}`);
    expect(requests.sort()).toEqual([`send ${order_number}.1.1`, `send ${order_number}.1.2`]);
  }

  it('after refused connections, the service buys the units once the supplier listens', async () => {
    await whenItIsBack('closed', `http://127.0.0.1:${await keptPort()}`);
  });

  it('after an unknown host name, the service buys the units once the name is right', async () => {
    await whenItIsBack('nameless', 'http://supplier.invalid');
  });
});
