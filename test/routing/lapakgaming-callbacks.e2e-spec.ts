import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Json, LapakgamingClient } from '../simulators/lapakgaming-client.js';
import { read } from '../deliveries/handed-over.js';
import { eventually } from '../support/eventually.js';
import { unique, type OrderBody } from '../support/stack.js';
import { fetchServed } from '../support/until-served.js';
import { WITHOUT_ZONE } from './lapakgaming-scene.js';
import { RoutingScene } from './routing-scene.js';

let scene: RoutingScene;
let vendor: LapakgamingClient;
let sku: string;

beforeAll(async () => {
  scene = await RoutingScene.open({}, true);
  vendor = await scene.lapakgaming('lapak', {}, WITHOUT_ZONE);
  sku = await scene.product({ supplier: 'lapak', supplierSku: 'ML78_8-S2' });
});

afterAll(() => scene.close());

const inquiries = async (order: OrderBody): Promise<Json[]> =>
  (await vendor.journal(await scene.reference(order))).filter(({ call }) => call === 'order_status');

interface ReversalJson {
  id: number;
  order_number: string;
  kind: string;
  supplier: string;
}

const reversalsOf = async ({ order_number }: OrderBody): Promise<ReversalJson[]> =>
  (await scene.commandLine.json<ReversalJson[]>('reversal', 'list')).filter(
    (reversal) => reversal.order_number === order_number,
  );

describe('A callback of Lapakgaming', () => {
  it('causes an inquiry, which settles the unit earlier than the next regular inquiry would', async () => {
    const order = await scene.order(sku);
    await scene.unitIn(order, 'unknown');
    // The next regular inquiry is far away, so only the callback can cause one.
    await scene.stack.sql(
      `UPDATE order_units SET next_action_at = now() + interval '1 hour'
       WHERE order_id = (SELECT id FROM orders WHERE order_number = $1)`,
      [order.order_number],
    );
    await vendor.untilSettled();
    await scene.orderWith(order, 'completed');
    expect(await inquiries(order)).toHaveLength(1);
  });

  it.each(['SUCCESS', 'REFUNDED'])('that is forged and says %s settles nothing', async (status) => {
    const user = unique('8');
    await vendor.sim('rules', { match: { player: user }, then: [] });
    const order = await scene.order(sku, { user });
    await scene.unitIn(order, 'unknown');
    const [attempt] = await scene.attempts(order);
    const before = (await inquiries(order)).length;

    const transactions = [{ id: 1, product_name: 'x', note: '', status, voucher_code: 'forged' }];
    const data = { reference_id: attempt?.reference, tid: 'FORGED', status, transactions };
    const body = JSON.stringify({ code: 'SUCCESS', data });
    const headers = { 'content-type': 'application/json' };
    const answer = await fetchServed(await scene.callbackUrl('lapak'), { method: 'POST', headers, body });
    expect(answer.status).toBe(200);

    await eventually(
      () => inquiries(order),
      ({ length }) => length > before,
    );
    await scene.unitIn(order, 'unknown');
    expect((await scene.orderWith(order, 'processing')).failure_code).toBeNull();
    const { tid } = await vendor.purchase(attempt?.reference ?? '');
    expect(await scene.attempts(order)).toMatchObject([{ supplier_reference: tid }]);
    await vendor.sim('settle', { ref_id: attempt?.reference });
    await scene.orderWith(order, 'completed');
  });

  it('about a refund after the success opens a discrepancy; the merchant’s money does not move', async () => {
    const order = await scene.order(sku);
    await scene.unitIn(order, 'unknown');
    await vendor.untilSettled();
    await scene.orderWith(order, 'completed');
    const before = await scene.stack.wallet(scene.merchant);

    const ref_id = await scene.reference(order);
    await vendor.sim('settle', { ref_id, status: 'REFUNDED', note: 'Player was banned' });
    const [reversal] = await eventually(
      () => reversalsOf(order),
      ({ length }) => length > 0,
    );
    expect(reversal).toMatchObject({ supplier: 'lapak', kind: 'taken_back', status: 'open' });
    expect(await vendor.purchase(ref_id)).toMatchObject({ standing: 0, price_debited: 0 });
    expect(await scene.attempts(order)).toMatchObject([{ state: 'succeeded' }]);
    expect((await scene.orderWith(order, 'completed')).failure_code).toBeNull();
    expect(await scene.stack.wallet(scene.merchant)).toEqual(before);
    const close = ['reversal', 'close', `${reversal?.id}`, '--reason', 'back in our deposit', '--yes'];
    await scene.commandLine.json(...close);
  });

  it('brings the code of a unit that an operator settled with our reference, if its own is not known', async () => {
    const supplier = unique('lapak');
    const seller = await scene.lapakgaming(supplier);
    const codes = await scene.codeProduct({ supplier, supplierSku: 'VCGS330-S22' });
    const user = unique('8');
    await seller.sim('rules', { match: { player: user }, drop: true });
    const order = await scene.order(codes, { user });
    await scene.unitIn(order, 'unknown');
    await scene.resolve(order, 'they sold it', '--succeeded', '--supplier-reference', await scene.reference(order));
    await scene.orderWith(order, 'completed');
    await seller.untilSettled();

    const look = async (): Promise<unknown[]> => {
      await scene.stack.sql('UPDATE attempt_checks SET due_at = now() WHERE due_at > now()');
      return (await read(scene.merchant, order)).items[0]?.deliveries ?? [];
    };
    expect(await eventually(look, ({ length }) => length > 0)).toHaveLength(1);
    expect(await reversalsOf(order)).toEqual([]);
  });
});
