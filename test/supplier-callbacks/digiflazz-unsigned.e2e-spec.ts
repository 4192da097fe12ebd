import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { SuppliersService } from '../../src/suppliers/suppliers.service.js';
import { RoutingScene, TIMEOUT_MS } from '../routing/routing-scene.js';
import { checkDelays, checkNow, holdChecks } from '../support/checks.js';
import { DigiflazzBench, KEYS, USERNAME, type DigiflazzClient } from '../simulators/digiflazz-client.js';
import { eventually } from '../support/eventually.js';
import { unique, type OrderBody } from '../support/stack.js';

const bench = new DigiflazzBench();
let scene: RoutingScene;
let vendor: DigiflazzClient;
let sku: string;

/** This supplier does not sign its callbacks. */
async function setAccount(username = USERNAME): Promise<void> {
  await scene.stack.api.get(SuppliersService).set({
    code: 'digi',
    adapter: 'digiflazz',
    baseUrl: `${vendor.url}/v1`,
    timeoutMs: TIMEOUT_MS,
    credentials: { username, key: KEYS.production },
  });
}

beforeAll(async () => {
  scene = await RoutingScene.open({}, true);
  await holdChecks(scene.stack);
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

/** Makes the supplier take a purchase back and send a callback. @returns the callback's effect. */
async function takeBack(unit: Bought): Promise<string | undefined> {
  // The supplier has already sent a callback about the sale or the refusal.
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

const checks = (): Promise<{ due_in_s: number }[]> => checkDelays(scene.stack);

/** Lets a minute pass, here and at the supplier, and waits until the scheduled checks are done. */
async function aMinuteLater(): Promise<void> {
  await vendor.aMinuteLater();
  await checkNow(scene.stack);
  await eventually(checks, ({ length }) => length === 0);
}

const casesOf = ({ order }: Bought): Promise<{ kind: string }[]> =>
  scene.stack.sql(
    `SELECT r.kind FROM supplier_reversals r JOIN orders o ON o.id = r.order_id WHERE o.order_number = $1`,
    [order.order_number],
  );
const sends = async ({ reference }: Bought): Promise<number> => (await vendor.journal(reference)).length;

describe('An unsigned callback of Digiflazz about a settled unit', () => {
  it('makes the service repeat the request a minute later, which buys nothing and reports that the sale was taken back', async () => {
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

  it('causes no request if it reports the known outcome', async () => {
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

  it('causes no request after 85 days, because it might buy the unit again', async () => {
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

  it('causes no request if an operator settled the unit as sold, because the supplier may never have seen it', async () => {
    const user = unique('8');
    await vendor.sim('rules', { match: { player: user }, rc: '03', then: [] });
    const order = await scene.order(sku, { user });
    await scene.unitIn(order, 'unknown');
    await scene.resolve(order, 'on their statement', '--succeeded');
    const unit = { order, reference: await scene.reference(order) };
    expect(await takeBack(unit)).toBe('nothing_new');
    expect([await checks(), await sends(unit)]).toEqual([[], 1]);
  });

  it('causes no request about a refused unit, because it would buy the unit', async () => {
    const user = unique('8');
    await vendor.sim('rules', { match: { player: user }, rc: '02' });
    const order = await scene.orderWith(await scene.order(sku, { user }), 'failed');
    const unit = { order, reference: await scene.reference(order) };
    expect(await takeBack(unit)).toBe('nothing_new');
    expect([await checks(), await sends(unit)]).toEqual([[], 1]);
  });

  it('causes no request if our account was changed after the sale', async () => {
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
