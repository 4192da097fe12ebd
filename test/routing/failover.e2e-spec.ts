import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { AttemptsRepository } from '../../src/fulfilment/attempts.repository.js';
import type { DigiflazzClient, Json } from '../simulators/digiflazz-client.js';
import { eventually } from '../support/eventually.js';
import { bought, refused } from '../support/fake-supplier.js';
import { unique, type OrderBody } from '../support/stack.js';
import { waitsOf } from '../support/waits.js';
import { RoutingScene } from './routing-scene.js';

let scene: RoutingScene;
let first: DigiflazzClient;
let second: DigiflazzClient;
let sku: string;

beforeAll(async () => {
  scene = await RoutingScene.open();
  first = await scene.vendor('first');
  second = await scene.vendor('second');
  sku = await scene.product(
    { supplier: 'first', supplierSku: 'ml86', cost: 20_000 },
    { supplier: 'second', supplierSku: 'ff70', cost: 10_000 },
  );
});

afterAll(() => scene.close());

async function ruled(vendor: DigiflazzClient, rule: Json, of = sku): Promise<OrderBody> {
  const user = unique('8');
  await vendor.sim('rules', { match: { player: user }, ...rule });
  return scene.order(of, { user });
}

const supplierStatus = async (code: string): Promise<string> =>
  (await scene.commandLine.json<{ status: string }>('supplier', 'show', code)).status;

/** Moves a supplier's pause and an order back in time, so that the order has waited for longer than it may. */
async function heldForAnHour(code: string, { order_number }: OrderBody): Promise<void> {
  await scene.stack.sql(`UPDATE orders SET created_at = created_at - interval '1 hour' WHERE order_number = $1`, [
    order_number,
  ]);
  await scene.stack.sql(`UPDATE suppliers SET paused_at = paused_at - interval '1 hour' WHERE code = $1`, [code]);
}

/** Waits until the supplier's last good answer is a second ago: within that second it gets several calls at once. */
async function untilCareful(code: string): Promise<void> {
  const isPast = async (): Promise<boolean | undefined> => {
    const [row] = await scene.stack.sql<{ is_past: boolean }>(
      `SELECT coalesce(max(u.updated_at) < now() - interval '1 second', true) AS is_past
       FROM order_units u JOIN suppliers s ON s.id = u.supplier_id WHERE s.code = $1 AND u.state = 'succeeded'`,
      [code],
    );
    return row?.is_past;
  };
  await eventually(isPast, (is) => is === true);
}

const purchases = async (vendor: DigiflazzClient): Promise<number> => (await vendor.sim<Json[]>('purchases')).length;

describe('A unit that its first supplier refuses', () => {
  it('is bought at the next supplier, for the merchant’s same price and at the next supplier’s cost', async () => {
    const order = await ruled(first, { rc: '68' });
    const { total_amount } = await scene.orderWith(order, 'completed');
    expect(total_amount).toBe('100.00');
    const [one, two] = await scene.attempts(order);
    expect(one).toMatchObject({
      supplier: 'first',
      supplier_sku: 'ml86',
      state: 'failed',
      failure_code: 'OUT_OF_STOCK',
    });
    expect(two).toMatchObject({
      supplier: 'second',
      supplier_sku: 'ff70',
      state: 'succeeded',
      cost: '10000',
    });
    expect(await second.purchase(two?.reference ?? '')).toMatchObject({ standing: 1 });
  });

  it('fails with the more useful failure code if the next supplier refuses it, too', async () => {
    const user = unique('8');
    await first.sim('rules', { match: { player: user }, rc: '68' });
    await second.sim('rules', { match: { player: user }, rc: '02' });
    const order = await scene.orderWith(await scene.order(sku, { user }), 'failed');
    expect(order.failure_code).toBe('OUT_OF_STOCK');
    expect((await scene.attempts(order)).map(({ failure_code }) => failure_code)).toEqual([
      'OUT_OF_STOCK',
      'OUT_OF_STOCK',
    ]);
  });

  it('waits for the next supplier as long as if it had not been sent before', async () => {
    const { stack } = scene;
    const twoOffers = await scene.product(
      { supplier: 'fake', supplierSku: 'X' },
      { supplier: 'fake', supplierSku: 'Y' },
    );
    const busy = { status: 429 };
    const waitsOfAnOrder = async (): Promise<number[]> => {
      const user = unique('8');
      stack.supplier.script(user, ({ reference }, { length }) => {
        if (reference.endsWith('.1.1.2')) return length === 0 ? busy : bought(reference);
        return length < 5 ? busy : refused(reference, 'OUT_OF_STOCK');
      });
      const order = await scene.order(twoOffers, { user });
      const look = async (): Promise<string> => {
        await scene.aMinuteLater(order);
        return (await scene.orderWith(order, 'pending', 'processing', 'completed')).status;
      };
      await eventually(look, (status) => status === 'completed');
      const waits = (await waitsOf(stack, order.order_number, 'queued')).map((seconds) => Math.round(seconds));
      return waits.filter((seconds) => seconds > 0);
    };
    // On a busy machine, a call may be withheld or not arrive: then there is another wait.
    expect(await eventually(waitsOfAnOrder, ({ length }) => length === 6)).toEqual([1, 2, 4, 8, 16, 1]);
  });

  it('is tried at the next offer at once if its supplier requests a longer wait than suppliers may be busy', async () => {
    const twoOffers = await scene.product(
      { supplier: 'fake', supplierSku: 'X' },
      { supplier: 'fake', supplierSku: 'Y' },
    );
    const user = unique('8');
    scene.stack.supplier.script(user, ({ reference }) =>
      reference.endsWith('.1.1.2') ? bought(reference) : { status: 429, headers: { 'retry-after': '600' } },
    );
    const order = await scene.orderWith(await scene.order(twoOffers, { user }), 'completed');
    expect((await scene.attempts(order)).map(({ state }) => state)).toEqual(['withdrawn', 'succeeded']);
  });

  it('is not tried at another supplier if the player is wrong', async () => {
    const before = await purchases(second);
    const order = await scene.orderWith(await ruled(first, { rc: '54' }), 'failed');
    expect(order.failure_code).toBe('INVALID_PLAYER');
    expect(await scene.attempts(order)).toHaveLength(1);
    expect(await purchases(second)).toBe(before);
  });

  it('is refused by a supplier whose price is above the maximum that we send', async () => {
    const dear = await scene.product(
      { supplier: 'first', supplierSku: 'ml172', cost: 30_000 },
      { supplier: 'second', supplierSku: 'ff70', cost: 10_000 },
    );
    const order = await scene.orderWith(await scene.order(dear), 'completed');
    const [one] = await scene.attempts(order);
    expect(one).toMatchObject({ state: 'failed', failure_code: 'PRODUCT_UNAVAILABLE' });
    const [sent] = await first.journal(one?.reference ?? '');
    expect(sent).toMatchObject({ rc: '69', max_price: 31_500 });
  });
});

describe('A unit that its first supplier may have bought', () => {
  it('is never sent to another supplier', async () => {
    const before = await purchases(second);
    const order = await ruled(first, { drop: true });
    for (let times = 0; times < 3; times++) {
      await scene.unitIn(order, 'unknown');
      const reference = await scene.reference(order);
      await first.sim('rules', { match: { ref_id: reference }, http: 502, decide: false });
      const sends = (await first.journal(reference)).length;
      await scene.aMinuteLater(order, first);
      await eventually(
        () => first.journal(reference),
        (sent) => sent.length > sends,
      );
    }
    expect(await scene.attempts(order)).toHaveLength(1);
    expect(await purchases(second)).toBe(before);
    await scene.unitIn(order, 'unknown');
    await scene.aMinuteLater(order, first);
    await scene.orderWith(order, 'completed');
  });

  it('is not sent to the first supplier again while it is in doubt at the second', async () => {
    const user = unique('8');
    await first.sim('rules', { match: { player: user }, rc: '68' });
    await second.sim('rules', { match: { player: user }, drop: true });
    const order = await scene.order(sku, { user });
    await scene.reference(order, 2);
    await scene.unitIn(order, 'unknown');
    await scene.aMinuteLater(order, second);
    await scene.orderWith(order, 'completed');
    expect((await scene.attempts(order)).map(({ supplier }) => supplier)).toEqual(['first', 'second']);
  });
});

describe('A supplier with too little of our deposit', () => {
  it('is paused at once; other suppliers get the units that it never accepted, but not those in doubt', async () => {
    const alone = await scene.product({ supplier: 'first', supplierSku: 'ml86', cost: 20_000 });
    const inDoubt = await ruled(first, { drop: true });
    await scene.unitIn(inDoubt, 'unknown');
    const waiting = await ruled(first, { rc: '85' }, alone);
    await scene.reference(waiting, 2);

    const { deposit } = await first.sim<{ deposit: number }>('account');
    await first.sim('account', { deposit: 100 });
    await untilCareful('first');
    const calls = (await first.sim<Json[]>('journal')).length;
    const order = await scene.orderWith(await scene.order(sku, { quantity: 3 }), 'completed');
    const units = await scene.units(order);
    expect(units.map(({ attempts_detail }) => attempts_detail.at(-1)?.supplier)).toEqual([
      'second',
      'second',
      'second',
    ]);
    const bought = (await first.sim<Json[]>('journal')).slice(calls).filter(({ path }) => path === '/v1/transaction');
    expect(bought).toHaveLength(1);
    expect(await supplierStatus('first')).toBe('paused');
    expect(await scene.unitIn(inDoubt, 'unknown')).not.toBeNull();

    const refused = await scene.merchant.client.post<{ details: Json[] }>('/v1/orders', {
      reference_id: unique('order'),
      user_id: '1',
      items: [{ sku: alone, quantity: 1 }],
    });
    expect(refused).toMatchObject({ status: 400, body: { details: [{ code: 'PRODUCT_UNAVAILABLE' }] } });

    await heldForAnHour('first', waiting);
    const failed = await scene.orderWith(waiting, 'failed');
    expect(failed.failure_code).toBe('SUPPLIER_UNAVAILABLE');
    expect((await scene.attempts(waiting)).map(({ state }) => state)).toEqual(['failed', 'withdrawn']);

    await first.sim('account', { deposit });
    expect(await scene.commandLine.json('supplier', 'balance', 'first')).toMatchObject([{ amount: `${deposit}` }]);
    expect(await supplierStatus('first')).toBe('active');
    await scene.aMinuteLater(inDoubt, first);
    await scene.orderWith(inDoubt, 'completed');
  });
});

describe('A paused supplier', () => {
  const heldUnit = async (code: string): Promise<OrderBody> => {
    await scene.vendor(code, { deposit: 100 });
    const order = await scene.order(await scene.product({ supplier: code, supplierSku: 'ml86', cost: 20_000 }));
    await eventually(
      () => supplierStatus(code),
      (status) => status === 'paused',
    );
    return order;
  };

  it('is probed each minute for its deposit, for however long it is paused', async () => {
    const order = await heldUnit('paused-for-weeks');
    const probed = async (): Promise<{ probes: number; is_due: boolean } | undefined> => {
      const [row] = await scene.stack.sql<{ probes: number; is_due: boolean }>(
        `SELECT probes, probe_at <= now() AS is_due FROM suppliers WHERE code = 'paused-for-weeks'`,
      );
      return row;
    };
    await eventually(probed, (row) => row?.is_due === false);
    await scene.stack.sql(`UPDATE suppliers SET probes = 32767, probe_at = now() WHERE code = 'paused-for-weeks'`);
    expect(await eventually(probed, (row) => row?.is_due === false)).toEqual({ probes: 32_767, is_due: false });
    await heldForAnHour('paused-for-weeks', order);
    await scene.orderWith(order, 'failed');
  });

  it('gets units again after a top-up, even if the first probe of its pause got no answer', async () => {
    const vendor = await scene.vendor('unanswered', { deposit: 100 });
    const order = await scene.order(await scene.product({ supplier: 'unanswered', supplierSku: 'ml86', cost: 20_000 }));
    const isNoted = `SELECT FROM suppliers WHERE code = 'unanswered' AND paused_balance_micros IS NOT NULL`;
    await eventually(
      () => scene.stack.sql(isNoted),
      ({ length }) => length === 1,
    );
    await vendor.sim('account', { deposit: 100_000 });
    // As if the supplier had not answered the first probe.
    await scene.stack.sql(
      `UPDATE suppliers SET paused_balance_micros = NULL, probe_at = now() WHERE code = 'unanswered'`,
    );
    await eventually(
      () => supplierStatus('unanswered'),
      (status) => status === 'active',
    );
    await scene.aMinuteLater(order);
    await scene.orderWith(order, 'completed');
  });

  it('holds no unit for too long, even if no probe can be recorded', async () => {
    const order = await heldUnit('never-probed');
    await scene.stack.sql(`
      CREATE FUNCTION refuse_probe() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'no probes today'; END $$;
      CREATE TRIGGER tg_refuse_probe BEFORE UPDATE OF probe_at ON suppliers FOR EACH ROW
        WHEN (NEW.probe_at > OLD.probe_at) EXECUTE FUNCTION refuse_probe()`);
    await scene.stack.sql(`UPDATE suppliers SET probe_at = now() - interval '1 minute' WHERE code = 'never-probed'`);
    try {
      await heldForAnHour('never-probed', order);
      const failed = await scene.orderWith(order, 'failed');
      expect(failed.failure_code).toBe('SUPPLIER_UNAVAILABLE');
    } finally {
      await scene.stack.sql('DROP TRIGGER tg_refuse_probe ON suppliers');
    }
  });
});

describe('The units of a paused supplier that are tried at others', () => {
  it('are only those that another supplier may sell, so that the others do not take their places', async () => {
    const { stack, commandLine } = scene;
    const [paused, other] = [unique('paused'), unique('other')];
    for (const code of [paused, other]) await stack.addSupplier(code, stack.supplier.url);
    const user = unique('8');
    stack.supplier.script(user, ({ reference }) =>
      reference.endsWith('.2') ? bought(reference) : { status: 429, headers: { 'retry-after': '110' } },
    );
    const soldByBoth = (): Promise<string> =>
      scene.product({ supplier: paused, supplierSku: 'X' }, { supplier: other, supplierSku: 'Y' });
    const [onceADay, always] = [await soldByBoth(), await soldByBoth()];
    await stack.sql(
      `UPDATE supplier_offers SET once_per_day = true
       WHERE supplier_sku = 'Y' AND product_id = (SELECT id FROM products WHERE sku = $1)`,
      [onceADay],
    );
    const two = await scene.order(onceADay, { user, quantity: 2 });
    const late = await scene.order(always, { user });
    const one = await scene.order(onceADay, { user });
    for (const order of [two, late, one]) {
      await eventually(
        () => stack.supplier.about(order.order_number).length,
        (sends) => sends > 0,
      );
      await scene.unitIn(order, 'queued');
    }
    const isLate = 'order_id = (SELECT id FROM orders WHERE order_number = $1)';
    await stack.sql(`UPDATE unit_attempts SET created_at = created_at - interval '11 min' WHERE ${isLate}`, [
      late.order_number,
    ]);
    await commandLine.json('supplier', 'pause', paused, '--reason', 'maintenance');

    await scene.orderWith(one, 'completed');
    expect(await stack.api.get(AttemptsRepository).listPaused(500, true)).toEqual([]);
  });

  it('include those whose offer was corrected at a supplier that had refused them', async () => {
    const { stack, commandLine } = scene;
    const [paused, other] = [unique('paused'), unique('other')];
    for (const code of [paused, other]) await stack.addSupplier(code, stack.supplier.url);
    const user = unique('8');
    stack.supplier.script(user, ({ reference }) => {
      if (reference.endsWith('.2')) return { status: 429, headers: { 'retry-after': '110' } };
      return reference.endsWith('.3') ? bought(reference) : refused(reference, 'OUT_OF_STOCK');
    });
    const both = await scene.product({ supplier: other, supplierSku: 'Y' }, { supplier: paused, supplierSku: 'X' });
    const order = await scene.order(both, { user });
    await eventually(
      () => stack.supplier.about(order.order_number).length,
      (sends) => sends > 1,
    );
    await scene.unitIn(order, 'queued');
    const isOther = 'supplier_id = (SELECT id FROM suppliers WHERE code = $1)';
    await stack.sql(`UPDATE supplier_offers SET player_template = '{user}' WHERE ${isOther}`, [other]);
    await commandLine.json('supplier', 'pause', paused, '--reason', 'maintenance');
    await scene.orderWith(order, 'completed');
    expect((await scene.attempts(order)).map(({ supplier }) => supplier)).toEqual([other, paused, other]);
  });
});

describe('A supplier that refuses our credentials', () => {
  it('is called once, and gets units again once the credentials are right', async () => {
    const only = await scene.vendor('third', { rc: '41' });
    const alone = await scene.product({ supplier: 'third', supplierSku: 'ml86', cost: 20_000 });
    const order = await scene.order(alone, { quantity: 5 });
    await eventually(
      () => supplierStatus('third'),
      (status) => status === 'paused',
    );
    expect(await only.sim<Json[]>('journal')).toHaveLength(1);
    await only.sim('account', { rc: null });
    const show = await scene.commandLine.json('supplier', 'resume', 'third');
    expect(show).toMatchObject({ status: 'active', pause_reason: null });
    await scene.aMinuteLater(order);
    await scene.orderWith(order, 'completed');
    expect((await only.sim<Json[]>('purchases')).length).toBe(5);
  });
});

describe('An offer whose SKU its supplier does not know', () => {
  it('is taken off, and another supplier sells the unit', async () => {
    const unset = await scene.product(
      { supplier: 'first', supplierSku: 'pending', cost: 10_000 },
      { supplier: 'second', supplierSku: 'ff70', cost: 10_000 },
    );
    const order = await scene.orderWith(await ruled(first, { rc: '80' }, unset), 'completed');
    expect((await scene.attempts(order)).map(({ supplier, state }) => [supplier, state])).toEqual([
      ['first', 'withdrawn'],
      ['second', 'succeeded'],
    ]);
    expect(await scene.commandLine.json('offer', 'list', '--sku', unset)).toMatchObject([
      { supplier: 'first', active: false, routable: false },
      { supplier: 'second', active: true, routable: true },
    ]);
    expect(
      await scene.stack.sql('SELECT active FROM supplier_offers WHERE off_by_fault AND off_reason IS NOT NULL'),
    ).toEqual([{ active: false }]);
  });
});
