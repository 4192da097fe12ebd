import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { SUPPLIER_CALLS } from '../../src/orders/supplier-calls.sql.js';
import { closeWithBalancedBooks } from '../support/books.js';
import { eventually } from '../support/eventually.js';
import { bought, refused } from '../support/fake-supplier.js';
import { TestStack, unique, type TestMerchant } from '../support/stack.js';
import { deliveriesOf, handedOver, keptFor, newPlayer, read, sellsCodes, unitIs } from './handed-over.js';

let stack: TestStack;
let merchant: TestMerchant;
let card: string;

beforeAll(async () => {
  stack = await TestStack.start();
  merchant = await stack.merchant('10000.00');
  card = await stack.product('35.00', { kind: 'code' });
});

afterAll(() => closeWithBalancedBooks(stack));

describe('a code that was sold', () => {
  it('is shown to the merchant that bought it, unit by unit', async () => {
    const player = newPlayer();
    const codeOf = sellsCodes(stack, player);
    const topUp = await stack.product();
    const order = await stack.order(merchant, [{ sku: topUp }, { sku: card, quantity: 2 }], player);
    const delivered = (unit: number): object => ({
      unit,
      serial: 'SER-1',
      code: codeOf(`${order.order_number}.2.${unit}`),
      expires_on: '2027-12-31',
    });
    const [ofTopUp, ofCard] = await deliveriesOf(stack, merchant, order);
    expect(ofCard).toEqual([delivered(1), delivered(2)]);
    expect(ofTopUp).toEqual([{ unit: 1, serial: 'SER-1', code: null, expires_on: null }]);
  });

  it('is not in lists, in answers to a repeated POST, or in another merchant’s answers', async () => {
    const player = newPlayer();
    const codeOf = sellsCodes(stack, player);
    const request = { reference_id: unique('order'), user_id: player, items: [{ sku: card }] };
    const { body: order } = await merchant.client.post<{ order_number: string }>('/v1/orders', request);
    const code = codeOf(`${order.order_number}.1.1`);
    const shown = await stack.orderWith(merchant, request.reference_id, 'completed');
    expect(JSON.stringify(shown)).toContain(code);
    const list = await merchant.client.get<{ data: object[] }>('/v1/orders?limit=100');
    expect(list.body.data).toContainEqual(expect.objectContaining({ reference_id: request.reference_id }));
    expect(JSON.stringify(list.body)).not.toMatch(/CODE-|deliveries/);
    const again = await merchant.client.post<object>('/v1/orders', request);
    expect(again.headers.get('Idempotent-Replayed')).toBe('true');
    expect(JSON.stringify(again.body)).not.toMatch(/CODE-|deliveries/);
    const other = await stack.merchant();
    expect((await other.client.get<object>(`/v1/orders/${request.reference_id}`)).status).toBe(404);
  });

  it('is stored with the kind that its product had at the time of the order', async () => {
    const sku = await stack.product('35.00', { kind: 'code' });
    const player = newPlayer();
    stack.supplier.script(player, ({ kind, reference }) =>
      kind === 'send' ? 'drop' : handedOver(reference, [{ code: 'LATE' }]),
    );
    const order = await stack.order(merchant, [{ sku }], player);
    await stack.product('35.00', { sku, kind: 'topup' });
    const [delivered] = await deliveriesOf(stack, merchant, order);
    expect(delivered).toEqual([{ unit: 1, serial: null, code: 'LATE', expires_on: null }]);
  });

  it('is shown also if other units of its item failed', async () => {
    const player = newPlayer();
    stack.supplier.script(player, ({ reference }) =>
      reference.endsWith('.1') ? handedOver(reference, [{ code: 'PAID' }]) : refused(reference, 'OUT_OF_STOCK'),
    );
    const order = await stack.order(merchant, [{ sku: card, quantity: 2 }], player);
    const [delivered] = await deliveriesOf(stack, merchant, order);
    expect(delivered).toMatchObject([{ unit: 1, code: 'PAID' }]);
    expect(await read(merchant, order)).toMatchObject({ failure_code: 'PARTIALLY_COMPLETED' });
  });
});

describe('a code that was bought and has not arrived', () => {
  it('keeps the order open until it arrives, and causes inquiries', async () => {
    const player = newPlayer();
    let inquiriesWithout = 0;
    let hasCode = false;
    stack.supplier.script(player, ({ kind, reference }) => {
      if (kind === 'inquiry' && !hasCode) inquiriesWithout++;
      return handedOver(reference, hasCode ? [{ serial: null, code: 'AT-LAST' }] : [{ serial: 'SER-1', code: ' ' }]);
    });
    const order = await stack.order(merchant, [{ sku: card }], player);
    await unitIs(stack, order, 'unknown');
    expect(await read(merchant, order)).toMatchObject({ status: 'processing' });
    expect(await keptFor(stack, order)).toBe(0);
    await eventually(
      () => inquiriesWithout,
      (count) => count > 0,
    );
    hasCode = true;
    const [delivered] = await deliveriesOf(stack, merchant, order);
    expect(delivered).toEqual([{ unit: 1, serial: null, code: 'AT-LAST', expires_on: null }]);
    expect(stack.supplier.about(order.order_number).filter(({ kind }) => kind === 'send')).toHaveLength(1);
    const calls = await stack.sql<{ outcome: string; detail: string | null }>(
      `SELECT c.outcome, c.detail FROM ${SUPPLIER_CALLS} c JOIN orders o ON o.id = c.order_id
       WHERE o.order_number = $1 ORDER BY c.id`,
      [order.order_number],
    );
    const waiting = { outcome: 'processing', detail: 'it was bought, and its code has not come yet' };
    const waits = Array.from({ length: 1 + inquiriesWithout }, () => waiting);
    expect(calls).toEqual([...waits, { outcome: 'succeeded', detail: null }]);
  });

  it('sends the unit to review after the usual limit', async () => {
    const other = await TestStack.start({ SUPPLIER_REVIEW_AFTER_MS: '1000', SUPPLIER_QUIET_PERIOD_MS: '0' });
    try {
      const player = newPlayer();
      other.supplier.script(player, ({ reference }) => bought(reference));
      const [sku, buyer] = [await other.product('35.00', { kind: 'code' }), await other.merchant()];
      const order = await other.order(buyer, [{ sku }], player);
      await unitIs(other, order, 'review');
      expect(await read(buyer, order)).toMatchObject({ status: 'processing' });
    } finally {
      await closeWithBalancedBooks(other);
    }
  });
});

describe('a top-up', () => {
  it('is complete without a serial number, and shows none', async () => {
    const order = await stack.order(merchant, [{ sku: await stack.product() }]);
    expect(await deliveriesOf(stack, merchant, order)).toEqual([undefined]);
    expect(await keptFor(stack, order)).toBe(0);
  });

  it('shows the supplier’s "code" as its serial number', async () => {
    const player = newPlayer();
    stack.supplier.script(player, ({ reference }) => handedOver(reference, [{ code: '1234567890' }]));
    const order = await stack.order(merchant, [{ sku: await stack.product() }], player);
    const [delivered] = await deliveriesOf(stack, merchant, order);
    expect(delivered).toEqual([{ unit: 1, serial: '1234567890', code: null, expires_on: null }]);
  });
});
