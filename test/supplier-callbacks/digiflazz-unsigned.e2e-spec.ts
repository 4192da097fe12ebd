import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { SuppliersService } from '../../src/suppliers/suppliers.service.js';
import { RoutingScene } from '../routing/routing-scene.js';
import { DigiflazzBench, KEYS, USERNAME, type DigiflazzClient } from '../simulators/digiflazz-client.js';
import { eventually } from '../support/eventually.js';
import { unique, type OrderBody } from '../support/stack.js';

const bench = new DigiflazzBench();
let scene: RoutingScene;
let vendor: DigiflazzClient;
let sku: string;

/** Nothing proves what this vendor calls us with. */
async function setAccount(username = USERNAME): Promise<void> {
  await scene.stack.api.get(SuppliersService).set({
    code: 'digi',
    adapter: 'digiflazz',
    baseUrl: `${vendor.url}/v1`,
    timeoutMs: 2_000,
    credentials: { username, key: KEYS.production },
  });
}

beforeAll(async () => {
  scene = await RoutingScene.open({}, true);
  vendor = await bench.start();
  await setAccount();
  sku = await scene.product({ supplier: 'digi', supplierSku: 'ml86', cost: 20_000 });
});

afterAll(async () => {
  await scene.close();
  await bench.clear();
});

interface Bought {
  order: OrderBody;
  reference: string;
}

async function bought(): Promise<Bought> {
  const order = await scene.orderWith(await scene.order(sku), 'completed');
  return { order, reference: await scene.reference(order) };
}

const verdicts = async ({ reference }: Bought): Promise<string[]> =>
  (
    await scene.stack.sql<{ verdict: string }>(
      'SELECT verdict FROM supplier_callbacks WHERE reference = $1 ORDER BY id',
      [reference],
    )
  ).map(({ verdict }) => verdict);

/** Has the vendor take a purchase back and call us. @returns what came of its callback. */
async function takeBack(unit: Bought): Promise<string | undefined> {
  // It has called about what it sold or refused.
  const before = (
    await eventually(
      () => verdicts(unit),
      ({ length }) => length > 0,
    )
  ).length;
  await vendor.sim('settle', { ref_id: unit.reference, rc: '74' });
  return (
    await eventually(
      () => verdicts(unit),
      ({ length }) => length > before,
    )
  ).at(-1);
}

/** How many seconds checks are to wait. */
const checks = (): Promise<{ due_in_s: number }[]> =>
  scene.stack.sql('SELECT extract(epoch FROM due_at - statement_timestamp())::int AS due_in_s FROM attempt_checks');

/** Lets the minute pass, here and at the vendor, and waits until what was to be asked is. */
async function aMinuteLater(): Promise<void> {
  await vendor.aMinuteLater();
  await scene.stack.sql(`UPDATE attempt_checks SET due_at = due_at - interval '61 s'`);
  await eventually(checks, ({ length }) => length === 0);
}

const casesOf = ({ order }: Bought): Promise<{ kind: string }[]> =>
  scene.stack.sql(
    `SELECT r.kind FROM supplier_reversals r JOIN orders o ON o.id = r.order_id WHERE o.order_number = $1`,
    [order.order_number],
  );
const sends = async ({ reference }: Bought): Promise<number> => (await vendor.journal(reference)).length;

describe('A callback of Digiflazz that nothing proves, about what it sold', () => {
  it('has it asked a minute later by the very same request, which buys nothing: it was taken back', async () => {
    const unit = await bought();
    expect(await takeBack(unit)).toBe('woke');
    expect(await checks()).toEqual([{ due_in_s: expect.any(Number) }]);
    expect((await checks())[0]?.due_in_s).toBeGreaterThan(30);
    expect(await sends(unit)).toBe(1);
    await aMinuteLater();
    expect(await casesOf(unit)).toEqual([{ kind: 'taken_back' }]);
    expect((await vendor.journal(unit.reference)).map((each) => [each.same_body, each.warnings])).toEqual([
      [null, []],
      [true, []],
    ]);
    expect(await vendor.purchase(unit.reference)).toMatchObject({ times_bought: 1, sends: 2 });
    await scene.orderWith(unit.order, 'completed');
  });

  it('asks nothing where it says what is known', async () => {
    const unit = await bought();
    await eventually(
      () => verdicts(unit),
      ({ length }) => length > 0,
    );
    await vendor.sim('callbacks', { ref_id: unit.reference, set: {} });
    const all = await eventually(
      () => verdicts(unit),
      ({ length }) => length > 1,
    );
    expect(all.at(-1)).toBe('nothing_new');
    expect([await checks(), await sends(unit)]).toEqual([[], 1]);
  });

  it('asks nothing after 85 days, when that would soon buy it again', async () => {
    const user = unique('8');
    await vendor.sim('rules', { match: { player: user }, rc: '03', then: [{ rc: '00', after_ms: 1_000 }] });
    const order = await scene.order(sku, { user });
    await scene.unitIn(order, 'unknown');
    await scene.stack.sql(
      `UPDATE order_units SET first_sent_at = first_sent_at - interval '85 d'
       WHERE order_id = (SELECT id FROM orders WHERE order_number = $1)`,
      [order.order_number],
    );
    await scene.aMinuteLater(order, vendor);
    await scene.orderWith(order, 'completed');
    const unit = { order, reference: await scene.reference(order) };
    const before = await sends(unit);
    expect(await takeBack(unit)).toBe('nothing_new');
    expect([await checks(), await sends(unit)]).toEqual([[], before]);
  });

  it('asks nothing where only the operator said that it was sold: the vendor may never have seen it', async () => {
    const user = unique('8');
    await vendor.sim('rules', { match: { player: user }, rc: '03', then: [] });
    const order = await scene.order(sku, { user });
    await scene.unitIn(order, 'unknown');
    await scene.resolve(order, 'on their statement', '--succeeded');
    const unit = { order, reference: await scene.reference(order) };
    expect(await takeBack(unit)).toBe('nothing_new');
    expect([await checks(), await sends(unit)]).toEqual([[], 1]);
  });

  it('asks nothing about what it refused: that would buy it', async () => {
    const user = unique('8');
    await vendor.sim('rules', { match: { player: user }, rc: '02' });
    const order = await scene.orderWith(await scene.order(sku, { user }), 'failed');
    const unit = { order, reference: await scene.reference(order) };
    expect(await takeBack(unit)).toBe('nothing_new');
    expect([await checks(), await sends(unit)]).toEqual([[], 1]);
  });

  it('asks no other account than the one that sold it, though that was set meanwhile', async () => {
    const unit = await bought();
    expect(await takeBack(unit)).toBe('woke');
    await setAccount('another-reseller');
    try {
      await aMinuteLater();
      expect([await casesOf(unit), await sends(unit)]).toEqual([[], 1]);
      expect(await takeBack(unit)).toBe('nothing_new');
    } finally {
      await setAccount();
    }
  });
});
