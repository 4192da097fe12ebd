import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { OrderWithDeliveries } from '../deliveries/handed-over.js';
import type { Json, LapakgamingClient } from '../simulators/lapakgaming-client.js';
import { SUPPLIER_CALLS } from '../../src/orders/supplier-calls.sql.js';
import { eventually } from '../support/eventually.js';
import { unique, type OrderBody } from '../support/stack.js';
import { endedAtLapakgaming } from './lapakgaming-scene.js';
import { RoutingScene } from './routing-scene.js';

let scene: RoutingScene;

beforeAll(async () => {
  scene = await RoutingScene.open();
});

afterAll(() => scene.close());

describe.each(['code', 'pin_and_serial'])('A voucher of Lapakgaming, reported as %s', (voucher_code_form) => {
  let vendor: LapakgamingClient;
  let sku: string;

  beforeAll(async () => {
    const supplier = voucher_code_form.replaceAll('_', '-');
    vendor = await scene.lapakgaming(supplier, { voucher_code_form });
    sku = await scene.codeProduct({ supplier, supplierSku: 'VCGS330-S22' });
  });

  /** The deliveries of the completed order. */
  async function delivered(order: OrderBody): Promise<object[]> {
    const shown = (await scene.orderWith(order, 'completed')) as unknown as OrderWithDeliveries;
    return shown.items[0]?.deliveries ?? [];
  }

  it('is shown to its merchant, and stored sealed', async () => {
    const order = await scene.order(sku);
    await endedAtLapakgaming(scene, vendor, order);
    const [first, ...others] = await delivered(order);
    const { voucher_codes } = await vendor.purchase(await scene.reference(order));
    const [reported = ''] = voucher_codes;
    const [, pin, serial = null] = /^PIN\s*:\s*(\S+)\s+Serial\s*:\s*(\S+)$/i.exec(reported) ?? [];
    expect(pin !== undefined).toBe(voucher_code_form === 'pin_and_serial');
    const code = pin ?? reported;
    expect(code).toMatch(/\S/);
    expect(first).toEqual({ unit: 1, code, serial, expires_on: null });
    expect(others).toEqual([]);
    const rows = await scene.stack.sql(`SELECT row_to_json(o)::text || row_to_json(c)::text ||
      row_to_json(d)::text AS text FROM orders o JOIN ${SUPPLIER_CALLS} c ON c.order_id = o.id
      JOIN unit_deliveries d ON d.order_id = o.id`);
    expect(rows).not.toEqual([]);
    expect(JSON.stringify(rows)).not.toContain(code);
  });

  it('does not succeed before its code is known', async () => {
    const user = unique('8');
    await vendor.sim('rules', { match: { player: user }, voucher_code: '' });
    const order = await scene.order(sku, { user });
    await endedAtLapakgaming(scene, vendor, order);
    const reference = await scene.reference(order);
    const asked = async (): Promise<Json[]> =>
      (await vendor.journal(reference)).filter(({ call }) => call === 'order_status');
    await eventually(asked, ({ length }) => length >= 1);
    await scene.unitIn(order, 'unknown');
    expect((await scene.orderWith(order, 'processing')).status).toBe('processing');

    await vendor.sim('settle', { ref_id: reference, voucher_code: 'LATE-4711' });
    await scene.aMinuteLater(order);
    expect(await delivered(order)).toMatchObject([{ code: expect.stringContaining('LATE-4711') }]);
    expect(await vendor.purchase(reference)).toMatchObject({ sends: 1, times_bought: 1 });
  });
});
