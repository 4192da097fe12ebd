import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { SUPPLIER_CALLS } from '../../src/orders/supplier-calls.sql.js';
import { closeWithBalancedBooks } from '../support/books.js';
import { eventually } from '../support/eventually.js';
import { bought } from '../support/fake-supplier.js';
import { TestStack, unique, type OrderBody, type TestMerchant } from '../support/stack.js';
import { WebhookReceiver } from '../support/webhook-receiver.js';

let stack: TestStack;
let receiver: WebhookReceiver;
let merchant: TestMerchant;
/** A product with an offer of a real supplier. */
let sku: string;
/** A product without offers. */
let unoffered: string;

beforeAll(async () => {
  stack = await TestStack.start();
  receiver = await new WebhookReceiver().listen();
  merchant = await stack.sandboxMerchant('100000.00');
  sku = await stack.product('35.00', { requiresServer: false });
  unoffered = await stack.product('20.00', { supplier: undefined });
  for (const userId of ['player-1', 'sim-lost', 'sim-drop-fail'])
    stack.supplier.script(userId, ({ reference }) => bought(reference));
});

afterAll(async () => {
  // No unit of a sandbox merchant reached a real supplier, although the product has an offer there.
  expect(stack.supplier.requests).toEqual([]);
  await closeWithBalancedBooks(stack, receiver);
});

const ended = (order: OrderBody): Promise<OrderBody> =>
  stack.orderWith(merchant, order.reference_id, 'completed', 'failed');

/** Places an order for a player. @returns the ended order. */
async function endOf(userId: string, items: object[] = [{ sku }]): Promise<(string | null)[]> {
  const order = await stack.order(merchant, items as { sku: string }[], userId);
  const { status, failure_code } = await ended(order);
  return [status, failure_code];
}

/** The calls about an order's units, the oldest first. */
const callsFor = async ({ order_number }: OrderBody): Promise<string[]> => {
  const rows = await stack.sql<{ call: string }>(
    `SELECT c.kind || ' ' || c.outcome AS call FROM ${SUPPLIER_CALLS} c JOIN orders o ON o.id = c.order_id
     WHERE o.order_number = $1 ORDER BY c.ended_at, c.id`,
    [order_number],
  );
  return rows.map(({ call }) => call);
};

describe('the result of a sandbox order', () => {
  it.each([
    ['player-1', 'completed', null],
    ['sim-slow-300', 'completed', null],
    ['sim-slow-1500', 'completed', null],
    ['sim-processing-500', 'completed', null],
    ['sim-drop-succeed', 'completed', null],
    ['sim-500-succeed', 'completed', null],
    ['sim-garbage-succeed', 'completed', null],
    ['sim-drop-fail', 'failed', 'OUT_OF_STOCK'],
    ['sim-500-fail', 'failed', 'OUT_OF_STOCK'],
    ['sim-fail-invalid_player', 'failed', 'INVALID_PLAYER'],
    ['sim-fail-INVALID_SERVER', 'failed', 'INVALID_SERVER'],
    ['sim-fail-limit_exceeded', 'failed', 'LIMIT_EXCEEDED'],
    ['sim-fail-no_such_code', 'failed', 'SUPPLIER_REJECTED'],
    ['SIM-FAIL-OUT_OF_STOCK', 'completed', null],
  ])('for the user_id %s is %s %s', async (userId, status, failureCode) => {
    expect(await endOf(userId)).toEqual([status, failureCode]);
  });

  it('may be the sale of its first units only, counted over all items', async () => {
    const items = [
      { sku, quantity: 2 },
      { sku: unoffered, quantity: 3 },
    ];
    const order = await ended(await stack.order(merchant, items, 'sim-partial-3'));
    expect(order).toMatchObject({ status: 'failed', failure_code: 'PARTIALLY_COMPLETED' });
    expect(order.items.map((each) => [each.completed_quantity, each.failed_quantity])).toEqual([
      [2, 0],
      [1, 2],
    ]);
  });

  it('is a refusal for a product that its supplier does not know', async () => {
    const unknown = await stack.product('5.00', { sku: unique('SIM-UNKNOWN'), supplier: undefined });
    expect(await endOf('player-1', [{ sku: unknown }])).toEqual(['failed', 'ITEM_NOT_FOUND']);
  });

  it('stays in doubt if a purchase never arrived: the unit is queried, and neither sold nor refunded', async () => {
    const order = await stack.order(merchant, [{ sku }], 'sim-lost');
    const calls = await eventually(
      () => callsFor(order),
      (those) => those.includes('inquiry never_seen'),
    );
    expect(calls.slice(0, 2)).toEqual(['send unknown', 'inquiry never_seen']);
    expect((await stack.orderWith(merchant, order.reference_id, 'processing')).status).toBe('processing');
  });

  it('is queried while it is in doubt, as at a real supplier', async () => {
    const order = await stack.order(merchant, [{ sku }], 'sim-drop-succeed');
    await ended(order);
    expect(await callsFor(order)).toEqual(['send unknown', 'inquiry succeeded']);
  });
});

describe('a sandbox order', () => {
  it('may be of a product without offers, with the server that the product requires', async () => {
    const needsServer = await stack.product('20.00', { supplier: undefined, requiresServer: true });
    const order = { reference_id: unique('order'), user_id: 'player-1', items: [{ sku: needsServer }] };
    const refused = await merchant.client.post<{ details: { code: string; field: string }[] }>('/v1/orders', order);
    expect([refused.status, refused.body.details[0]?.field]).toEqual([400, 'server_id']);
    const placed = await merchant.client.post<OrderBody>('/v1/orders', { ...order, server_id: '1' });
    expect([placed.status, placed.body.total_amount]).toEqual([200, '20.00']);
    expect((await ended(placed.body)).status).toBe('completed');
    const live = await stack.merchant();
    const answer = await live.client.post<{ details: { code: string }[] }>('/v1/orders', {
      ...order,
      server_id: '1',
    });
    expect([answer.status, answer.body.details[0]?.code]).toEqual([400, 'PRODUCT_UNAVAILABLE']);
  });

  it('may be of a product with offers, which is shown as available', async () => {
    const available = async (of: TestMerchant): Promise<unknown> =>
      (await of.client.get<{ available: boolean }>(`/v1/products/${unoffered}`)).body.available;
    expect(await available(merchant)).toBe(true);
    expect(await available(await stack.merchant())).toBe(false);
    const inactive = await stack.product('5.00', { supplier: undefined, active: false });
    const items = [{ sku: inactive }];
    const order = { reference_id: unique('order'), user_id: 'player-1', items };
    const { body } = await merchant.client.post<{ details: { code: string }[] }>('/v1/orders', order);
    expect(body.details[0]?.code).toBe('INVALID_SKU');
  });

  it('of codes delivers made-up codes, one for each unit, sealed in the database', async () => {
    const card = await stack.product('50.00', { supplier: undefined, kind: 'code' });
    const order = await stack.order(merchant, [{ sku: card, quantity: 2 }], 'sim-drop-succeed');
    const { items } = (await ended(order)) as unknown as { items: { deliveries: { code: string }[] }[] };
    const codes = (items[0]?.deliveries ?? []).map(({ code }) => code);
    expect(codes).toEqual([expect.stringMatching(/^SANDBOX-/), expect.stringMatching(/^SANDBOX-/)]);
    expect(new Set(codes).size).toBe(2);
    const kept = await stack.sql<{ text: string }>('SELECT d::text AS text FROM unit_deliveries d');
    for (const { text } of kept) for (const code of codes) expect(text).not.toContain(code);
  });

  it('sends the same events as a live order', async () => {
    const url = receiver.url(`/${unique('hook')}`);
    await merchant.client.post('/v1/merchant-webhooks', { url });
    const { reference_id } = await stack.order(merchant, [{ sku }], 'sim-fail-out_of_stock');
    const [received] = await eventually(
      () => receiver.at(new URL(url).pathname),
      ({ length }) => length > 0,
    );
    expect(JSON.parse(received?.body ?? '{}')).toMatchObject({
      event: 'order.failed',
      data: { reference_id, failure_code: 'OUT_OF_STOCK' },
    });
  });
});
