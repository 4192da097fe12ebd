import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { writeRowsAsBefore } from '../support/rows-as-before.js';
import { eventually } from '../support/eventually.js';
import { unique, type OrderBody } from '../support/stack.js';
import type { TestOperator } from './console-stack.js';
import { refusedAtFirst, sellAlsoAt, startScene, type Scene } from './scene.js';

interface Entry {
  kind: string;
  unit?: string;
  outcome?: string;
  supplier?: string;
  attempt?: number;
  text: string;
  until?: string;
}

let scene: Scene;
let support: TestOperator;
let finance: TestOperator;
/** A product with offers of three suppliers, of which the second is paused. */
let sku: string;

beforeAll(async () => {
  scene = await startScene({ SUPPLIER_QUIET_PERIOD_MS: '600000' });
  const { stack, console } = scene;
  [support, finance] = [await console.signedIn('support'), await console.signedIn('finance')];
  sku = await stack.product('35.00');
  await sellAlsoAt(scene, sku, 'second', { priority: 2, isPaused: true });
  await sellAlsoAt(scene, sku, 'third', { priority: 3, cost: 20 });
});
afterAll(() => scene.close());

const historyOf = async ({ order_number }: OrderBody, who = support): Promise<Entry[]> =>
  (await who.browser.get<{ timeline: Entry[] }>(`/api/orders/${order_number}`)).body.timeline;

const entry = async (order: OrderBody, kind: string, who = support): Promise<Entry | undefined> =>
  (await historyOf(order, who)).find((each) => each.kind === kind);

describe('the history of a unit with attempts at two suppliers', () => {
  it('has each attempt before its calls, the reason for the next attempt, and skipped offers', async () => {
    const order = await refusedAtFirst(scene, sku);
    const ofUnit = (await historyOf(order)).filter(({ unit }) => unit === '1.1');
    expect(ofUnit).toMatchObject([
      { kind: 'attempt.began', attempt: 1, supplier: 'fake', reference: `${order.order_number}.1.1` },
      { kind: 'supplier.send', attempt: 1, supplier: 'fake', outcome: 'failed' },
      {
        kind: 'attempt.began',
        attempt: 2,
        supplier: 'third',
        supplier_sku: 'third-sku',
        after: { outcome: 'failed', failure_code: 'OUT_OF_STOCK' },
        passed_over: [{ supplier: 'second', supplier_sku: 'second-sku', why: 'paused' }],
      },
      { kind: 'supplier.send', attempt: 2, supplier: 'third', outcome: 'succeeded' },
      { kind: 'unit.succeeded', attempt: 2, supplier: 'third' },
    ]);
    expect(ofUnit[2]?.text).toBe(
      `attempt 2 at third, third-sku, as ${order.order_number}.1.1.2: the previous attempt failed with OUT_OF_STOCK: ` +
        'passed over second second-sku (paused)',
    );
  });

  it('names the offers that were skipped for the first attempt at the time of the order', async () => {
    const { stack, merchant } = scene;
    const late = await stack.product('35.00');
    await sellAlsoAt(scene, late, 'second', { priority: 2, isPaused: true });
    await sellAlsoAt(scene, late, 'picky', { priority: 3 });
    await sellAlsoAt(scene, late, 'switched-off', { priority: 1 });
    await stack.sql(`UPDATE supplier_offers SET active = false WHERE supplier_sku = 'switched-off-sku'`);
    await stack.sql(
      `INSERT INTO supplier_products (supplier_id, sku, name, sellable, player_pattern, first_seen_at, last_seen_at)
       SELECT id, 'picky-sku', 'theirs', true, '^[0-9]+$', now(), now() FROM suppliers WHERE code = 'picky'`,
    );
    await stack.sql(
      `UPDATE supplier_offers SET priority = 4
       WHERE product_id = (SELECT id FROM products WHERE sku = $1) AND priority = 1`,
      [late],
    );
    const order = await stack.order(merchant, [{ sku: late }], 'not-a-number');
    expect(await eventually(() => entry(order, 'attempt.began'), Boolean)).toMatchObject({
      supplier: 'fake',
      passed_over: [
        { supplier: 'second', supplier_sku: 'second-sku', why: 'paused' },
        { supplier: 'picky', supplier_sku: 'picky-sku', why: 'player' },
      ],
    });
    const usual = await stack.order(merchant, [{ sku }]);
    const began = await eventually(() => entry(usual, 'attempt.began'), Boolean);
    expect(Object.keys(began ?? {})).not.toContain('passed_over');
  });

  it('finds the attempts of calls that were stored without one', async () => {
    const order = await refusedAtFirst(scene, sku);
    await writeRowsAsBefore(scene.stack);
    await scene.stack.fill(
      `UPDATE supplier_calls SET attempt = NULL, ended_at = ended_at + interval '40 ms', duration_ms = 30
       WHERE order_id = (SELECT id FROM orders WHERE order_number = $1)`,
      [order.order_number],
    );
    const sent = (await historyOf(order)).filter(({ kind }) => kind === 'supplier.send');
    expect(sent).toHaveLength(2);
    expect(sent.at(-1)).toMatchObject({ attempt: 2, supplier: 'third', outcome: 'succeeded' });
  });

  it('shows costs and balances to operators with the permission', async () => {
    const order = await refusedAtFirst(scene, sku);
    const latest = async (who: TestOperator): Promise<Entry | undefined> =>
      (await historyOf(order, who)).filter(({ kind }) => kind === 'attempt.began').at(-1);
    expect(await latest(finance)).toMatchObject({ expected_cost: '20', max_cost: '21', currency: 'THB' });
    expect(Object.keys((await latest(support)) ?? {})).not.toContain('expected_cost');
    expect(JSON.stringify(await historyOf(order, support))).not.toContain('max_cost');
    expect(await entry(order, 'money.held')).toMatchObject({
      amount: '35.00',
      available_after: expect.stringMatching(/^\d+\.\d{2}$/),
    });
    const viewer = await scene.console.signedIn('viewer');
    expect(Object.keys((await entry(order, 'money.held', viewer)) ?? {})).not.toContain('available_after');
  });
});

describe('the history of an open order', () => {
  it('names the process that calls about a unit now, and units that wait for an operator', async () => {
    const { stack, merchant } = scene;
    const user = unique('hanging');
    stack.supplier.script(user, () => 'hang');
    const order = await stack.order(merchant, [{ sku: scene.sku }], user);
    const claimed = await eventually(
      () => entry(order, 'unit.claimed'),
      (found) => found !== undefined,
    );
    expect(claimed).toMatchObject({ unit: '1.1', attempt: 1, supplier: 'fake', process: expect.any(String) });
    expect(Date.parse(claimed?.until ?? '')).toBeGreaterThan(Date.now() - 60_000);
    stack.supplier.script(user, () => 'drop');
    await eventually(
      () => entry(order, 'supplier.inquiry'),
      (found) => found !== undefined,
    );
    await stack.sql(
      `UPDATE order_units SET state = 'review', next_action_at = NULL, claimed_by = NULL
       WHERE order_id = (SELECT id FROM orders WHERE order_number = $1)`,
      [order.order_number],
    );
    const kinds = (await historyOf(order)).map(({ kind }) => kind);
    expect([kinds.includes('unit.claimed'), kinds.at(-1)]).toEqual([false, 'unit.review']);
  });
});

describe('the history of a webhook', () => {
  it('has each delivery and attempt, with its address', async () => {
    const { stack } = scene;
    const merchant = await stack.merchant('100.00');
    const url = 'http://127.0.0.1:9/nobody-listens';
    await merchant.client.post('/v1/merchant-webhooks', { url });
    const order = await stack.order(merchant, [{ sku: scene.sku }]);
    const attempted = await eventually(
      () => entry(order, 'webhook.attempt'),
      (found) => found !== undefined,
    );
    expect(attempted).toMatchObject({
      attempt: 1,
      detail: url,
      webhook_id: expect.any(Number),
      delivery_id: expect.any(Number),
    });
    const { delivery_id: id } = attempted as Entry & { delivery_id: number };
    await stack.fill(`DELETE FROM webhook_attempts WHERE delivery_id = $1`, [id]);
    await stack.fill(`UPDATE webhook_deliveries SET attempt_count = 0 WHERE id = $1`, [id]);
    expect(await entry(order, 'webhook.delivery')).toMatchObject({ delivery_id: id, detail: url });
  });
});
