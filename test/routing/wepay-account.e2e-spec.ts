import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Json } from '../simulators/wepay-client.js';
import { SUPPLIER_CALLS } from '../../src/orders/supplier-calls.sql.js';
import { eventually } from '../support/eventually.js';
import type { OrderBody } from '../support/stack.js';
import { WepayScene } from './wepay-scene.js';

interface DeliveredCode {
  serial: string | null;
  code: string | null;
}

describe.each<[where: string, readings: Json]>([
  ['the answer that confirms it', { pin_in_output: 'fields', pin_in_callback: 'absent' }],
  ['the text of that answer', { pin_in_output: 'sms', pin_in_callback: 'absent' }],
  ['fields of a callback', { pin_in_output: 'absent', pin_in_callback: 'fields' }],
  ['the text of a callback', { pin_in_output: 'absent', pin_in_callback: 'sms' }],
])('The code of a cash card of wePAY, in %s', (_where, readings) => {
  let wepay: WepayScene;
  let sku: string;

  beforeAll(async () => {
    wepay = await WepayScene.open(readings);
    sku = await wepay.codeProduct('cashcard:RAZER:50');
  });

  afterAll(() => wepay.close());

  it('reaches the merchant, and is stored sealed', async () => {
    const { routing: scene, vendor } = wepay;
    const order = await scene.order(sku, { user: 'a buyer' });
    const id = await wepay.named(order);
    const reference = await scene.reference(order);
    if (readings.pin_in_output === 'absent') {
      // A forged callback can't hand over a code of a purchase that the supplier has not confirmed.
      await wepay.callBack({ dest_ref: reference, transaction_id: '4711', cashcard_ref2: 'forged' });
    }
    await wepay.later();
    const { items } = await scene.orderWith(order, 'completed');

    const callbacks = await vendor.sim<{ body: string }[]>(`callbacks?ref_id=${reference}`);
    const journal = await vendor.sim<Json[]>('journal');
    const reported = JSON.stringify([callbacks, journal]);
    const [delivered] = (items[0] as unknown as { deliveries: DeliveredCode[] }).deliveries;
    expect(delivered).toMatchObject({ serial: expect.any(String), code: expect.any(String) });
    expect(reported).toContain(delivered?.code);
    expect(reported).toContain(delivered?.serial);
    expect(reported).toContain(id);
    const rows = await scene.stack.sql(`SELECT row_to_json(o)::text || row_to_json(c)::text AS text
      FROM orders o JOIN ${SUPPLIER_CALLS} c ON c.order_id = o.id`);
    expect(JSON.stringify(rows)).not.toContain(delivered?.code);
    expect(await vendor.purchase(reference)).toMatchObject({ standing: 1, player: '0000000000' });
  });

  it('is stored with the discrepancy, and no longer queried, if it was sold after all', async () => {
    const { routing: scene, vendor } = wepay;
    await vendor.sim('rules', { match: { type: 'cashcard' }, then: [{ status: '4' }] });
    const order = await scene.order(sku, { user: 'a buyer' });
    await wepay.named(order);
    await wepay.later();
    await scene.aMinuteLater(order);
    await scene.orderWith(order, 'failed');
    await vendor.sim('settle', { ref_id: await scene.reference(order), status: '2' });

    const found = await eventually(
      () =>
        scene.stack.sql<{ kind: string; has_code: boolean }>(
          `SELECT kind, delivered_sealed IS NOT NULL AS has_code
           FROM supplier_reversals r JOIN orders o ON o.id = r.order_id WHERE o.order_number = $1`,
          [order.order_number],
        ),
      ([each]) => each?.has_code === true,
    );
    expect(found).toEqual([{ kind: 'bought_late', has_code: true }]);
    await eventually(
      () => scene.stack.sql('SELECT FROM attempt_checks'),
      ({ length }) => length === 0,
    );
  });

  it('reaches the merchant, and opens no discrepancy, if an operator settled the unit by the transaction’s id before', async () => {
    const { routing: scene, vendor } = wepay;
    await vendor.sim('rules', { match: { type: 'cashcard' }, then: [] });
    const order = await scene.order(sku, { user: 'a buyer' });
    const id = await wepay.named(order);
    await scene.unitIn(order, 'unknown');
    await scene.resolve(order, 'done on the supplier’s page', '--succeeded', '--supplier-reference', id);
    await scene.orderWith(order, 'completed');
    await vendor.sim('settle', { ref_id: await scene.reference(order), status: '2' });

    const { items } = await eventually(
      () => scene.orderWith(order, 'completed'),
      (shown) => (shown.items[0] as unknown as { deliveries: DeliveredCode[] }).deliveries.length > 0,
    );
    expect(items[0]).toMatchObject({ deliveries: [{ code: expect.any(String) }] });
    await eventually(
      () => scene.stack.sql('SELECT FROM attempt_checks'),
      ({ length }) => length === 0,
    );
    const ofOrder = 'order_id = (SELECT id FROM orders WHERE order_number = $1)';
    expect(await scene.stack.sql(`SELECT kind FROM supplier_reversals WHERE ${ofOrder}`, [order.order_number])).toEqual(
      [],
    );
  });
});

describe('wePAY', () => {
  let wepay: WepayScene;

  beforeAll(async () => {
    wepay = await WepayScene.open();
  });

  afterAll(() => wepay.close());

  it.each([
    ['20005', 'credentials'],
    ['30019', 'deposit'],
    ['30005', 'credentials'],
  ])('is paused by the first answer %s, and no order fails for it', async (code, reason) => {
    const { routing: scene, vendor } = wepay;
    await vendor.sim('rules', { match: {}, code, times: null });
    const before = (await purchases()).length;
    const order = await wepay.order();
    await eventually(status, ({ pause_reason }) => pause_reason === reason);
    expect(await purchases()).toHaveLength(before + 1);
    expect((await scene.orderWith(order, 'processing', 'pending')).failure_code).toBeNull();

    await vendor.sim('rules', undefined, 'DELETE');
    await scene.commandLine.json('supplier', 'resume', 'wepay', '--reason', 'put right');
    await scene.aMinuteLater(order);
    await wepay.named(order);
    await wepay.later();
    await scene.orderWith(order, 'completed');
  });

  it('has one pause for a unit that it refuses again, and is probed less and less often', async () => {
    const { routing: scene, vendor } = wepay;
    await vendor.sim('rules', { match: {}, code: '30006', times: null });
    const before = (await purchases()).length;
    const order = await wepay.order();
    await eventually(pause, (row) => row?.pause_reason === 'credentials');
    await longAgo(order, '25 minutes');
    await probeNow();
    const sentAgain = async (): Promise<Json[]> => {
      await scene.aMinuteLater(order);
      return purchases();
    };
    await eventually(sentAgain, ({ length }) => length === before + 2);
    const again = await eventually(pause, (row) => row?.pause_reason === 'credentials');
    expect(again).toMatchObject({ is_old: true, is_probed_late: true });

    await longAgo(order, '5 minutes');
    expect((await scene.orderWith(order, 'failed')).failure_code).toBe('SUPPLIER_UNAVAILABLE');
    await vendor.sim('rules', undefined, 'DELETE');
    await scene.commandLine.json('supplier', 'resume', 'wepay', '--reason', 'put right');
  });

  const pause = async (): Promise<{ pause_reason: string | null } | undefined> => {
    const [row] = await wepay.routing.stack.sql<{ pause_reason: string | null }>(
      `SELECT pause_reason, paused_at < now() - interval '20 minutes' AS is_old,
              probe_at > now() + interval '10 minutes' AS is_probed_late FROM suppliers WHERE code = 'wepay'`,
    );
    return row;
  };

  /** Moves the pause and the order back in time. */
  async function longAgo({ order_number }: OrderBody, time: string): Promise<void> {
    const { stack } = wepay.routing;
    await stack.sql(`UPDATE suppliers SET paused_at = paused_at - interval '${time}' WHERE code = 'wepay'`);
    await stack.sql(`UPDATE orders SET created_at = created_at - interval '${time}' WHERE order_number = $1`, [
      order_number,
    ]);
  }

  const probeNow = (): Promise<unknown> =>
    wepay.routing.stack.sql(`UPDATE suppliers SET probe_at = now() WHERE code = 'wepay'`);

  const purchases = async (): Promise<Json[]> =>
    (await wepay.vendor.sim<Json[]>('journal')).filter(({ call }) => call === 'purchase');

  const status = (): Promise<{ pause_reason: string | null }> =>
    wepay.routing.commandLine.json('supplier', 'show', 'wepay');

  it('reports our balance', async () => {
    const [balance] = await wepay.routing.commandLine.json<Json[]>('supplier', 'balance', 'wepay');
    expect(balance).toMatchObject({ code: 'wepay', currency: 'THB' });
    expect(await wepay.routing.commandLine.json('supplier', 'test', 'wepay')).toMatchObject({ ok: true });
  });
});
