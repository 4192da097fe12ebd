import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Run } from '../cli/command-line.js';
import { USERNAME, type DigiflazzClient, type Json } from '../simulators/digiflazz-client.js';
import { eventually } from '../support/eventually.js';
import { unique, type OrderBody } from '../support/stack.js';
import { RoutingScene } from './routing-scene.js';

let scene: RoutingScene;
let vendor: DigiflazzClient;
let sku: string;

beforeAll(async () => {
  scene = await RoutingScene.open();
  vendor = await scene.vendor('digi');
  sku = await scene.product({ supplier: 'digi', supplierSku: 'ml86', cost: 20_000 });
});

afterAll(() => scene.close());

/** An order for a player, with rules for the supplier's answers about this player. */
async function ruled(...rules: Json[]): Promise<OrderBody> {
  const user = unique('8');
  await vendor.sim('rules', { rules: rules.map((rule) => ({ match: { player: user }, ...rule })) });
  return scene.order(sku, { user });
}

/** Waits until the supplier has got the second request for an order's unit. It may not have answered yet. */
const sentTwice = async (order: OrderBody): Promise<unknown> => {
  const reference = await scene.reference(order);
  return eventually(
    () => vendor.journal(reference),
    ({ length }) => length === 2,
  );
};

describe('A unit bought from Digiflazz', () => {
  it('has a random reference, and its cost is the amount that the supplier took', async () => {
    const before = await vendor.deposit();
    const order = await scene.orderWith(await scene.order(sku), 'completed');

    const [unit] = await scene.units(order);
    const [attempt] = unit?.attempts_detail ?? [];
    expect(unit?.reference).toBe(attempt?.reference);
    expect(attempt).toMatchObject({
      number: 1,
      supplier: 'digi',
      state: 'succeeded',
      cost: '20000',
      currency: 'IDR',
    });
    expect(attempt?.reference).toMatch(/^T[0-9A-HJKMNP-TV-Z]{15}$/);
    const purchase = await vendor.purchase(attempt?.reference ?? '');
    expect(purchase).toMatchObject({ standing: 1, price_debited: 20_000 });
    expect(await vendor.deposit()).toBe(before - 20_000);
    const [sent] = await vendor.journal(attempt?.reference ?? '');
    // Five percent above the expected cost, and below what the merchant pays.
    expect(sent).toMatchObject({ max_price: 21_000, warnings: [] });
  });

  it('is queried a minute later by the same request if the answer was lost', async () => {
    const order = await ruled({ drop: true });
    const dueInS = await scene.unitIn(order, 'unknown');
    expect(dueInS).toBeGreaterThan(50);
    await scene.aMinuteLater(order, vendor);

    await scene.orderWith(order, 'completed');
    const reference = await scene.reference(order);
    expect(await vendor.purchase(reference)).toMatchObject({ standing: 1, times_bought: 1, sends: 2 });
    expect((await vendor.journal(reference)).map(({ same_body, warnings }) => ({ same_body, warnings }))).toEqual([
      { same_body: null, warnings: [] },
      { same_body: true, warnings: [] },
    ]);
  });

  it('is not bought by that request while an operator has paused the supplier, but is queried if it is being bought', async () => {
    const lost = await ruled({ drop: true, decide: false });
    const pending = await ruled({ rc: '03', then: [] });
    for (const order of [lost, pending]) await scene.unitIn(order, 'unknown');
    await scene.commandLine.json('supplier', 'pause', 'digi', '--reason', 'maintenance');
    await vendor.sim('settle', { ref_id: await scene.reference(pending), rc: '00', sn: '1' });
    await scene.aMinuteLater(lost, vendor);
    await scene.aMinuteLater(pending);
    await scene.orderWith(pending, 'completed');
    expect(await vendor.journal(await scene.reference(lost))).toHaveLength(1);

    await scene.commandLine.json('supplier', 'resume', 'digi');
    await scene.orderWith(lost, 'completed');
    expect(await vendor.purchase(await scene.reference(lost))).toMatchObject({ times_bought: 1 });
  });

  it('is bought once, by that request, if the first one never arrived', async () => {
    const order = await ruled({ drop: true, decide: false });
    await scene.unitIn(order, 'unknown');
    await scene.aMinuteLater(order, vendor);
    await scene.orderWith(order, 'completed');
    expect(await vendor.purchase(await scene.reference(order))).toMatchObject({
      standing: 1,
      times_bought: 1,
    });
  });

  it('goes to review when it is so old that a query would buy it again', async () => {
    const order = await ruled({ drop: true });
    await scene.unitIn(order, 'unknown');
    await scene.stack.sql(
      `UPDATE order_units SET unknown_since = unknown_since - interval '86 d'
       WHERE order_id = (SELECT id FROM orders WHERE order_number = $1)`,
      [order.order_number],
    );
    await scene.aMinuteLater(order, vendor);
    await scene.unitIn(order, 'review');
    expect(await vendor.journal(await scene.reference(order))).toHaveLength(1);
    await scene.resolve(order, 'on their statement', '--succeeded');
  });

  it('stays in doubt if the supplier refuses a repeat for a reason that says nothing about the first send', async () => {
    const order = await ruled({ drop: true });
    await scene.unitIn(order, 'unknown');
    const reference = await scene.reference(order);
    await vendor.sim('rules', { match: { ref_id: reference }, rc: '68', answer_only: true });
    await scene.aMinuteLater(order, vendor);
    await eventually(
      () => vendor.journal(reference),
      (sent) => sent.length === 2,
    );
    expect(await scene.unitIn(order, 'unknown')).toBeGreaterThan(50);
    await scene.aMinuteLater(order, vendor);
    await scene.orderWith(order, 'completed');
    expect(await scene.attempts(order)).toHaveLength(1);
  });

  it('counts as refused for a timeout only if the supplier reports it twice', async () => {
    const lucky = await ruled({ rc: '01', then: [{ rc: '00', after_ms: 1_000 }] });
    const unlucky = await ruled({ rc: '70' });
    for (const order of [lucky, unlucky]) {
      expect(await scene.unitIn(order, 'unknown')).toBeGreaterThan(50);
      await scene.aMinuteLater(order, vendor);
    }
    await scene.orderWith(lucky, 'completed');
    const { failure_code } = await scene.orderWith(unlucky, 'failed');
    expect(failure_code).toBe('SUPPLIER_REJECTED');
  });

  it('gets another attempt a minute later if the supplier refused it for too many transactions at a time', async () => {
    const order = await ruled({ rc: '85' });
    const first = await scene.reference(order);
    const second = await scene.reference(order, 2);
    expect(await scene.unitIn(order, 'queued')).toBeGreaterThan(50);
    expect(second).not.toBe(first);
    await scene.aMinuteLater(order, vendor);

    await scene.orderWith(order, 'completed');
    expect(await scene.attempts(order)).toEqual([
      expect.objectContaining({
        number: 1,
        reference: first,
        state: 'failed',
        failure_code: 'SUPPLIER_UNAVAILABLE',
        cost: null,
      }),
      expect.objectContaining({
        number: 2,
        reference: second,
        state: 'succeeded',
        failure_code: null,
        cost: '20000',
      }),
    ]);
    expect(await vendor.purchase(first)).toMatchObject({ standing: 0 });
    expect(await vendor.purchase(second)).toMatchObject({ standing: 1, times_bought: 1 });
  });

  it('fails after three such attempts', async () => {
    const order = await ruled({ rc: '85', times: null });
    for (const attempt of [2, 3]) {
      await scene.reference(order, attempt);
      await scene.unitIn(order, 'queued');
      await scene.aMinuteLater(order, vendor);
    }
    expect((await scene.orderWith(order, 'failed')).failure_code).toBe('SUPPLIER_UNAVAILABLE');
    expect((await scene.attempts(order)).map(({ state }) => state)).toEqual(['failed', 'failed', 'failed']);
  });

  it('goes to review once the call that may buy it again has ended', async () => {
    const bought = await ruled({ drop: true }, { delay_ms: 1_500 });
    await scene.unitIn(bought, 'unknown');
    await scene.aMinuteLater(bought, vendor);
    await sentTwice(bought);
    expect(await giveUp(bought)).toMatchObject({ code: 1, stderr: expect.stringContaining('is succeeded') });
    await scene.orderWith(bought, 'completed');

    const still = await ruled({ drop: true, decide: false }, { delay_ms: 1_500, decide: false, http: 500 });
    await scene.unitIn(still, 'unknown');
    await scene.aMinuteLater(still, vendor);
    await sentTwice(still);
    expect(await giveUp(still)).toMatchObject({ code: 0 });
    await scene.orderWith(still, 'failed');
  });

  it('goes to review if our account at the supplier changed, because the new account never saw it', async () => {
    const order = await ruled({ drop: true });
    await scene.unitIn(order, 'unknown');
    const set = ['supplier', 'set', '--code', 'digi', '--adapter', 'digiflazz', '--yes', '--credential'];
    const { stderr } = await scene.commandLine.run(...set, 'username=somebody-else');
    expect(stderr).toContain('units in doubt are not sent again to the new address or account');
    await scene.aMinuteLater(order, vendor);
    await scene.unitIn(order, 'review');
    expect(await vendor.purchase(await scene.reference(order))).toMatchObject({ sends: 1 });
    await scene.commandLine.run(...set, `username=${USERNAME}`);
    const resolve = ['order', 'resolve', order.order_number, '--unit', '1.1', '--succeeded', '--reason', 'it is'];
    expect(await scene.commandLine.run(...resolve, '--yes')).toMatchObject({ code: 0 });
  });

  const giveUp = (order: OrderBody): Promise<Run> => {
    const resolve = [
      'order',
      'resolve',
      order.order_number,
      '--unit',
      '1.1',
      '--failed',
      'SUPPLIER_REJECTED',
      '--reason',
      'gave up',
      '--yes',
    ];
    return scene.commandLine.run(...resolve);
  };
});
