import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { OffersService } from '../../src/catalog/offers.service.js';
import type { DigiflazzClient } from '../simulators/digiflazz-client.js';
import { eventually } from '../support/eventually.js';
import { refused as notInStock } from '../support/fake-supplier.js';
import { unique, type OrderBody } from '../support/stack.js';
import { RoutingScene } from './routing-scene.js';

let scene: RoutingScene;
let vendor: DigiflazzClient;

beforeAll(async () => {
  scene = await RoutingScene.open();
  vendor = await scene.vendor('only');
});

afterAll(() => scene.close());

interface Refused {
  order: OrderBody;
  sku: string;
}

/**
 * A unit whose supplier refuses the SKU of its only offer. The supplier would sell it at the second send.
 * @param earlier the offer of an earlier attempt, which its supplier refuses.
 */
async function refused(supplierSku: string, ...earlier: Parameters<RoutingScene['product']>): Promise<Refused> {
  const sku = await scene.product(...earlier, { supplier: 'only', supplierSku, cost: 20_000 });
  const user = unique('8');
  scene.stack.supplier.script(user, ({ reference }) => notInStock(reference, 'OUT_OF_STOCK'));
  await vendor.sim('rules', { match: { player: user }, rc: '80' });
  const order = await scene.order(sku, { user });
  await eventually(
    () => offReason(sku),
    (reason) => reason !== null,
  );
  return { order, sku };
}

const offReason = async (sku: string): Promise<string | null> =>
  (
    await scene.stack.sql<{ off_reason: string | null }>(
      'SELECT off_reason FROM supplier_offers o JOIN products p ON p.id = o.product_id WHERE p.sku = $1 ORDER BY 1',
      [sku],
    )
  )[0]?.off_reason ?? null;

const isOf = 'order_id = (SELECT id FROM orders WHERE order_number = $1)';

/** Makes the unit due three times, and waits each time until a worker has claimed it. */
async function passBy({ order_number }: OrderBody): Promise<void> {
  const claims = async (): Promise<number> =>
    (
      await scene.stack.sql<{ claim: number }>(`SELECT claim FROM order_units WHERE ${isOf} AND claimed_by IS NULL`, [
        order_number,
      ])
    )[0]?.claim ?? 0;
  for (const _time of [1, 2, 3]) {
    const before = await eventually(claims, (count) => count > 0);
    await scene.stack.sql(
      `UPDATE order_units SET next_action_at = now() WHERE ${isOf} AND claimed_by IS NULL AND next_action_at > now()`,
      [order_number],
    );
    await eventually(claims, (count) => count > before);
  }
}

/** Each claim of the order's unit has just begun when the report comes that the first attempt was bought. */
const reportSoldDuringClaims = ({ order_number }: OrderBody): Promise<void> =>
  scene.stack.fill(`
    CREATE OR REPLACE FUNCTION report_sold() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        INSERT INTO supplier_reversals (order_id, item, unit, attempt, supplier_id, kind, created_at)
        SELECT order_id, item, unit, number, supplier_id, 'bought_late', now() FROM unit_attempts a
        WHERE (a.order_id, a.item, a.unit, a.number) = (NEW.order_id, NEW.item, NEW.unit, 1)
          AND order_id = (SELECT id FROM orders WHERE order_number = '${order_number}')
        ON CONFLICT DO NOTHING;
        RETURN NULL;
      END $$;
    CREATE TRIGGER tg_report_sold AFTER UPDATE ON order_units FOR EACH ROW
      WHEN (NEW.claim > OLD.claim AND NEW.claimed_by IS NOT NULL) EXECUTE FUNCTION report_sold()`);

const calls = async (order: OrderBody): Promise<number> => (await vendor.journal(await scene.reference(order))).length;

describe('A unit that was refused because its only offer is not set up', () => {
  it('is not sent while the offer is off, and is sent once it is on again', async () => {
    const { order, sku } = await refused('ml86');
    await passBy(order);
    expect(await calls(order)).toBe(1);
    await scene.stack.api.get(OffersService).set({ sku, supplier: 'only', supplierSku: 'ml86', active: true });
    await scene.aMinuteLater(order, vendor);
    await scene.orderWith(order, 'completed');
    expect(await calls(order)).toBe(2);
  });

  const offForLong = (sku: string): Promise<unknown> =>
    scene.stack.sql(
      `UPDATE supplier_offers SET off_at = off_at - interval '31 min' WHERE product_id = (SELECT id FROM products WHERE sku = $1)`,
      [sku],
    );

  it('leaves the offer of another product on that an operator has switched on', async () => {
    const other = await scene.product({ supplier: 'only', supplierSku: 'pubg60', cost: 20_000 });
    const { order } = await refused('pubg60');
    await scene.stack.api.get(OffersService).set({ sku: other, supplier: 'only', supplierSku: 'pubg60', active: true });
    await passBy(order);
    expect(await offReason(other)).toBeNull();
    expect(await calls(order)).toBe(1);
  });

  it('fails, without another send, if the offer stays off for longer than a unit may wait', async () => {
    const { order, sku } = await refused('ff70');
    await scene.stack.sql(`UPDATE order_units SET first_sent_at = first_sent_at - interval '31 min' WHERE ${isOf}`, [
      order.order_number,
    ]);
    await passBy(order);
    await offForLong(sku);
    await scene.aMinuteLater(order);
    expect((await scene.orderWith(order, 'failed')).failure_code).toBe('SUPPLIER_UNAVAILABLE');
    expect(await calls(order)).toBe(1);
    const history = `SELECT DISTINCT outcome FROM supplier_calls WHERE ${isOf}`;
    expect(await scene.stack.sql(history, [order.order_number])).toEqual([{ outcome: 'not_accepted' }]);
  });

  it('fails, without another send, if the offer goes on and off again for too long', async () => {
    const { order } = await refused('ml172');
    await scene.stack.sql(`UPDATE order_units SET first_sent_at = first_sent_at - interval '121 min' WHERE ${isOf}`, [
      order.order_number,
    ]);
    await scene.aMinuteLater(order);
    expect((await scene.orderWith(order, 'failed')).failure_code).toBe('SUPPLIER_UNAVAILABLE');
    expect(await calls(order)).toBe(1);
  });

  it('goes to review, and does not fail, if a supplier reports during its last claim that it sold an earlier attempt', async () => {
    const { order, sku } = await refused('ml86', { supplier: 'fake', supplierSku: 'X' });
    await passBy(order);
    await reportSoldDuringClaims(order);
    await offForLong(sku);
    await scene.stack.sql(
      `UPDATE order_units SET first_sent_at = first_sent_at - interval '31 min', next_action_at = now() WHERE ${isOf}`,
      [order.order_number],
    );
    const read = async (): Promise<string | undefined> => (await scene.units(order))[0]?.state;
    expect(await eventually(read, (state) => state === 'review' || state === 'failed')).toBe('review');
    await scene.resolve(order, 'the first supplier sold it', '--succeeded');
    await scene.orderWith(order, 'completed');
  });
});
