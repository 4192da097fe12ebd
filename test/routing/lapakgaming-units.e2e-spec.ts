import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { LapakgamingClient, type Json } from '../simulators/lapakgaming-client.js';
import { eventually } from '../support/eventually.js';
import { unique, type OrderBody } from '../support/stack.js';
import { endedAtLapakgaming, WITHOUT_ZONE } from './lapakgaming-scene.js';
import { RoutingScene } from './routing-scene.js';

const PRICE = 16_560;
let scene: RoutingScene;
let vendor: LapakgamingClient;
let sku: string;

beforeAll(async () => {
  scene = await RoutingScene.open();
  vendor = await scene.lapakgaming('lapak', {}, WITHOUT_ZONE);
  sku = await scene.product({ supplier: 'lapak', supplierSku: 'ML78_8-S2', cost: PRICE });
});

afterAll(() => scene.close());

/** An order for a player, with rules for the supplier's answers about this player. */
async function ruled(...rules: Json[]): Promise<OrderBody> {
  const user = unique('8');
  await vendor.sim('rules', { rules: rules.map((rule) => ({ match: { player: user }, ...rule })) });
  return scene.order(sku, { user });
}

const settled = (order: OrderBody): Promise<void> => endedAtLapakgaming(scene, vendor, order);

/** Ends the quiet period after the last send. */
const quiet = ({ order_number }: OrderBody): Promise<object[]> =>
  scene.stack.sql(
    `UPDATE order_units SET last_sent_at = last_sent_at - interval '1 minute'
     WHERE order_id = (SELECT id FROM orders WHERE order_number = $1)`,
    [order_number],
  );

const calls = async (order: OrderBody): Promise<unknown[]> =>
  (await vendor.journal(await scene.reference(order))).map(({ call }) => call);

/** Waits until the supplier has got so many calls about an order. */
const called = (order: OrderBody, count: number): Promise<unknown[]> =>
  eventually(
    () => calls(order),
    ({ length }) => length >= count,
  );

describe('A unit bought from Lapakgaming', () => {
  it('is accepted under a random reference, and succeeds once the supplier’s order does', async () => {
    const order = await scene.order(sku);
    expect(await scene.unitIn(order, 'unknown')).toBeGreaterThan(2);
    await settled(order);
    await scene.orderWith(order, 'completed');
    const [attempt] = await scene.attempts(order);
    const { tid, ...purchase } = await vendor.purchase(attempt?.reference ?? '');
    expect(attempt).toMatchObject({ state: 'succeeded', cost: `${PRICE}`, supplier_reference: tid });
    expect(attempt?.reference).toMatch(/^T[0-9A-HJKMNP-TV-Z]{15}$/);
    expect(purchase).toMatchObject({ times_bought: 1, standing: 1, price_debited: PRICE });
    const [sent] = await vendor.journal(attempt?.reference ?? '');
    expect(sent).toMatchObject({ price: PRICE, warnings: [] });
  });

  it.each([
    ['ASD', 'ITEM_NOT_FOUND'],
    ['ML156_16-S42', 'OUT_OF_STOCK'],
    ['ML234_23-S2', 'ITEM_NOT_FOUND'],
    ['ML625_81-S2', 'PRODUCT_UNAVAILABLE'],
    ['VCGS66-S22', 'OUT_OF_STOCK'],
  ])('with the SKU %s fails with %s, and the supplier sells nothing', async (supplierSku, code) => {
    const refused = await scene.order(await scene.product({ supplier: 'lapak', supplierSku }));
    expect(await scene.orderWith(refused, 'failed')).toMatchObject({ failure_code: code });
    const reference = await scene.reference(refused);
    expect(await vendor.sim(`purchases?ref_id=${reference}`)).toEqual([]);
  });

  it('is ordered with our IP address, without which the supplier does not sell games of Hoyoverse', async () => {
    const genshin = await scene.product({ supplier: 'lapak', supplierSku: 'GI60-S13' });
    const request = {
      reference_id: unique('order'),
      user_id: unique('7'),
      server_id: 'os_asia',
      end_user_ip: '203.0.113.7',
      items: [{ sku: genshin }],
    };
    const { body: order } = await scene.merchant.client.post<OrderBody>('/v1/orders', request);
    await settled(order);
    await scene.orderWith(order, 'completed');
    const [sent] = await vendor.journal(await scene.reference(order));
    expect(sent).toMatchObject({ end_user_ip_address: '203.0.113.7', warnings: [] });
  });

  it('stays in doubt if the supplier’s order stays pending', async () => {
    const pending = await scene.product({ supplier: 'lapak', supplierSku: 'ML4649_883-S42' });
    const order = await scene.order(pending);
    await settled(order);
    await called(order, 2);
    await scene.unitIn(order, 'unknown');
    await vendor.sim('settle', { ref_id: await scene.reference(order), status: 'SUCCESS' });
    await scene.aMinuteLater(order);
    await scene.orderWith(order, 'completed');
  });

  it('is found by our reference if the answer was lost, and not ordered again', async () => {
    const order = await ruled({ drop: true });
    await settled(order);
    await scene.orderWith(order, 'completed');
    expect(await calls(order)).toEqual(['order', 'order_status']);
    expect(await vendor.purchase(await scene.reference(order))).toMatchObject({ sends: 1, times_bought: 1 });
  });

  it('is sent again if the supplier never saw it, but only after the quiet period', async () => {
    const order = await ruled({ drop: true, decide: false });
    await scene.unitIn(order, 'unknown');
    await scene.aMinuteLater(order);
    await called(order, 2);
    await scene.unitIn(order, 'unknown');
    expect(await calls(order)).toEqual(['order', 'order_status']);
    await quiet(order);
    await scene.aMinuteLater(order);
    await called(order, 4);
    await settled(order);
    await scene.orderWith(order, 'completed');
    const reference = await scene.reference(order);
    expect(await vendor.purchase(reference)).toMatchObject({ sends: 1, times_bought: 1 });
    const sent = (await vendor.journal(reference)).filter(({ call }) => call === 'order');
    expect(sent).toMatchObject([{}, { same_body: true, warnings: [] }]);
  });

  it.each<[string, Json]>([
    ['the same tid', {}],
    ['an error', { repeated_reference: 'refused' }],
    ['a refusal', { repeated_reference: 'refused', repeated_reference_code: 'NOT_ALLOWED' }],
  ])(
    'is bought once if the supplier hides it from an inquiry, and answers the second send with %s',
    async (_what, readings) => {
      await vendor.sim('readings', readings);
      const order = await ruled({ drop: true }, { match: { call: 'order_status' }, code: 'TID_NOT_FOUND' });
      await scene.unitIn(order, 'unknown');
      await quiet(order);
      await scene.aMinuteLater(order);
      await called(order, 3);
      await settled(order);
      await scene.orderWith(order, 'completed');
      expect(await vendor.purchase(await scene.reference(order))).toMatchObject({
        times_bought: 1,
        standing: 1,
      });
      expect(await scene.attempts(order)).toHaveLength(1);
      await vendor.sim('readings', {
        repeated_reference: 'same_tid',
        repeated_reference_code: 'UNKNOWN_ERROR',
      });
    },
  );

  it('stays in doubt while one transaction of a successful order is pending', async () => {
    const then = [{ status: 'SUCCESS', transactions: ['PENDING'] }];
    const order = await ruled({ then });
    await settled(order);
    await called(order, 2);
    await scene.unitIn(order, 'unknown');
    await vendor.sim('settle', { ref_id: await scene.reference(order), status: 'SUCCESS' });
    await scene.aMinuteLater(order);
    await scene.orderWith(order, 'completed');
  });

  it('fails with the supplier’s note if the supplier refunds it', async () => {
    const order = await scene.order(sku);
    await scene.unitIn(order, 'unknown');
    const ref_id = await scene.reference(order);
    await vendor.sim('settle', { ref_id, status: 'REFUNDED', note: 'User ID salah' });
    await scene.aMinuteLater(order);
    const { items } = await scene.orderWith(order, 'failed');
    expect(items[0]).toMatchObject({ failure_code: 'SUPPLIER_REJECTED', failure_message: 'User ID salah' });
  });

  it('waits for ten seconds after a refusal for too many requests', async () => {
    const order = await ruled({ http: 429 });
    await called(order, 1);
    expect(await scene.unitIn(order, 'queued')).toBeGreaterThan(8);
    await scene.aMinuteLater(order);
    await settled(order);
    await scene.orderWith(order, 'completed');
  });
});
