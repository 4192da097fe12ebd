import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { bought, refused } from '../support/fake-supplier.js';
import { TestStack, type TestMerchant } from '../support/stack.js';
import { dayIn } from '../support/days.js';
import { CommandLine } from './command-line.js';

type Line = Record<string, string | number | null>;

/** The reported cost of an attempt, in units of the currency. */
interface Cost {
  reported?: string;
  expected?: string;
  currency?: string;
  /** Baht for one unit of the currency. */
  rate?: string;
}

const OCTOBER_9 = '2025-10-09T05:00:00Z';

let stack: TestStack;
let commandLine: CommandLine;
let shop: TestMerchant;
let kiosk: TestMerchant;

beforeAll(async () => {
  stack = await TestStack.start();
  commandLine = new CommandLine({ DATABASE_URL: stack.config.DATABASE_URL });
  await stack.addSupplier('other', stack.supplier.url);
  [shop, kiosk] = [await stack.merchant('10000.00'), await stack.merchant('10000.00')];
  await stack.sql(`UPDATE merchants SET created_at = '2025-01-01'`);
  for (const sku of ['DEAR', 'PLAIN', 'ROUND']) await stack.product('100.00', { sku });
  await stack.product('100.00', { sku: 'ELSEWHERE', supplier: 'other' });
  await stack.product('0.00', { sku: 'FREE' });
  stack.supplier.script('unlucky', ({ reference }) =>
    reference.endsWith('.2') ? refused(reference, 'OUT_OF_STOCK') : bought(reference),
  );
  await stack.sql(`
    INSERT INTO fx_rates (currency, baht_per_unit, valid_from, source) VALUES
      ('USD', 30, '2025-10-01', 'test'), ('USD', 40, '2025-10-05', 'test'), ('USD', 50, '2025-10-20', 'test')`);
});

afterAll(() => stack.close());

/** An order that was placed the day before it ended. The test writes the cost of each unit. */
async function sold(
  merchant: TestMerchant,
  sku: string,
  costs: Cost[],
  { at = OCTOBER_9, user = 'player-1', ends = 'completed' } = {},
): Promise<string> {
  const order = await stack.order(merchant, [{ sku, quantity: costs.length }], user);
  await stack.orderWith(merchant, order.reference_id, ends);
  await asTheTests(`
    UPDATE orders SET created_at = '${at}'::timestamptz - interval '1 day', updated_at = '${at}' WHERE order_number = '${order.order_number}';
    UPDATE transfers SET created_at = '${at}' WHERE ${isOf(order.order_number)};
    UPDATE unit_attempts SET created_at = '${at}' WHERE ${isOf(order.order_number)};`);
  for (const [index, { reported, expected, currency, rate }] of costs.entries()) {
    await stack.sql(
      `UPDATE unit_attempts SET cost_micros = $2::numeric * 1000000, expected_cost_micros = $3::numeric * 1000000,
              cost_currency = $4, baht_per_unit = $5
       WHERE ${isOf(order.order_number)} AND unit = $1`,
      [index + 1, reported ?? null, expected ?? null, currency ?? null, rate ?? null],
    );
  }
  return order.order_number;
}

const isOf = (orderNumber: string): string =>
  `order_id = (SELECT id FROM orders WHERE order_number = '${orderNumber}')`;

/** Changes ended rows. Triggers are off, because they refuse this. */
const asTheTests = (statements: string): Promise<unknown> =>
  stack.sql(`DO $$ BEGIN SET LOCAL session_replication_role = 'replica'; ${statements} END $$`);

const margin = (by: string, from: string, to: string, ...options: string[]): string[] => [
  'report',
  'margin',
  '--from',
  from,
  '--to',
  to,
  '--by',
  by,
  ...options,
];

const rows = (by: string, from: string, to = from): Promise<Line[]> =>
  commandLine.json<Line[]>(...margin(by, from, to));

describe('topup report margin', () => {
  it('groups by product unless another grouping is given', async () => {
    const days = ['--from', '2026-01-15', '--to', '2026-01-16'];
    const { stdout } = await commandLine.run('report', 'margin', ...days, '--csv');
    expect(stdout).toMatch(/^sku,/);
  });

  it('compares revenue with costs in every currency, by product, supplier or merchant', async () => {
    await sold(shop, 'DEAR', [
      { reported: '20000', expected: '1', currency: 'IDR', rate: '0.0021' },
      { reported: '70.5', currency: 'THB' },
    ]);
    await sold(kiosk, 'DEAR', [{ reported: '2', currency: 'USD' }]);
    await sold(kiosk, 'ELSEWHERE', [{ expected: '30000', currency: 'IDR', rate: '0.002' }]);
    const complete = { cost_estimated_units: 0, cost_unknown_units: 0, cost_unknown_revenue: '0.00' };
    const dear = {
      units: 3,
      revenue: '300.00',
      cost: '192.50',
      margin: '107.50',
      margin_percent: 35.8,
      ...complete,
    };
    const elsewhere = {
      units: 1,
      revenue: '100.00',
      cost: '60.00',
      margin: '40.00',
      margin_percent: 40,
      cost_estimated_units: 1,
      cost_unknown_units: 0,
      cost_unknown_revenue: '0.00',
    };
    expect(await rows('sku', '2025-10-09')).toEqual([
      { sku: 'DEAR', ...dear },
      { sku: 'ELSEWHERE', ...elsewhere },
    ]);
    expect(await rows('supplier', '2025-10-09')).toEqual([
      { supplier: 'fake', ...dear },
      { supplier: 'other', ...elsewhere },
    ]);
    const [ofShop, ofKiosk, ...rest] = await rows('merchant', '2025-10-09');
    expect(rest).toEqual([]);
    expect(ofShop).toEqual({
      merchant: shop.id,
      units: 2,
      revenue: '200.00',
      cost: '112.50',
      margin: '87.50',
      margin_percent: 43.8,
      ...complete,
    });
    expect(ofKiosk).toMatchObject({ merchant: kiosk.id, units: 2, cost: '140.00', cost_estimated_units: 1 });
    expect(Object.keys(ofShop ?? {})).toEqual([
      'merchant',
      'units',
      'revenue',
      'cost',
      'margin',
      'margin_percent',
      'cost_estimated_units',
      'cost_unknown_units',
      'cost_unknown_revenue',
    ]);
  });

  it('begins and ends days at midnight in Bangkok, with the first and the last day', async () => {
    for (const at of [
      '2025-09-30T16:59:59.999Z',
      '2025-09-30T17:00:00.000Z',
      '2025-10-01T16:59:59.999Z',
      '2025-10-01T17:00:00.000Z',
      '2025-10-02T16:59:59.999Z',
      '2025-10-02T17:00:00.000Z',
    ]) {
      await sold(shop, 'PLAIN', [{ reported: '1', currency: 'THB' }], { at });
    }
    expect(await rows('sku', '2025-10-01')).toMatchObject([{ sku: 'PLAIN', units: 2 }]);
    expect(await rows('sku', '2025-10-01', '2025-10-02')).toMatchObject([{ sku: 'PLAIN', units: 4 }]);
    expect(await rows('sku', '2025-09-29')).toEqual([]);
    expect(await rows('day', '2025-09-29', '2025-10-02')).toMatchObject([
      { day: '2025-09-30', units: 1 },
      { day: '2025-10-01', units: 2 },
      { day: '2025-10-02', units: 2 },
    ]);
  });

  it('counts no failed unit, and agrees with "spent" in the daily report', async () => {
    const cost = { reported: '60', currency: 'THB' };
    const on = { at: '2025-10-11T05:00:00Z' };
    await sold(shop, 'PLAIN', [cost, cost, cost], { ...on, user: 'unlucky', ends: 'failed' });
    await sold(kiosk, 'PLAIN', [cost], on);
    const margins = await rows('merchant', '2025-10-11');
    expect(margins).toMatchObject([
      { merchant: shop.id, units: 2, revenue: '200.00', cost: '120.00' },
      { merchant: kiosk.id, units: 1, revenue: '100.00', cost: '60.00' },
    ]);
    const daily = await commandLine.run('report', 'daily', '--date', '2025-10-11', '--json');
    const { merchants } = JSON.parse(daily.stdout) as { merchants: Line[] };
    expect(merchants.map(({ merchant_id, spent_amount }) => [merchant_id, spent_amount])).toEqual(
      margins.map(({ merchant, revenue }) => [merchant, revenue]),
    );
  });

  it('counts units with only an expected cost, and units with an unknown cost', async () => {
    const at = '2025-10-12T05:00:00Z';
    const costs = [
      { expected: '30000', currency: 'IDR', rate: '0.002' },
      { reported: '5', currency: 'SGD' },
      {},
      { reported: '10', currency: 'THB' },
    ];
    await sold(shop, 'PLAIN', costs, { at });
    await sold(shop, 'DEAR', [{}], { at });
    const { stdout } = await commandLine.run(...margin('sku', '2025-10-12', '2025-10-12'));
    expect(stdout).toContain('The cost of 3 units for 300.00 THB is unknown: they have no margin here.');
    expect(await rows('sku', '2025-10-12')).toEqual([
      {
        sku: 'DEAR',
        units: 1,
        revenue: '100.00',
        cost: '0.00',
        margin: '0.00',
        margin_percent: null,
        cost_estimated_units: 0,
        cost_unknown_units: 1,
        cost_unknown_revenue: '100.00',
      },
      {
        sku: 'PLAIN',
        units: 4,
        revenue: '400.00',
        cost: '70.00',
        margin: '130.00',
        margin_percent: 65,
        cost_estimated_units: 1,
        cost_unknown_units: 2,
        cost_unknown_revenue: '200.00',
      },
    ]);
  });

  it('converts a cost at the latest rate before the attempt if the attempt has no rate of its currency', async () => {
    const cost = { reported: '1', currency: 'USD' };
    await sold(shop, 'PLAIN', [cost], { at: '2025-10-04T05:00:00Z' });
    // The offer was in baht, and the supplier reported dollars.
    await sold(shop, 'PLAIN', [{ ...cost, rate: '1' }], { at: '2025-10-05T05:00:00Z' });
    // The offer was in dollars, and the supplier reported baht.
    await sold(shop, 'PLAIN', [{ reported: '12', currency: 'THB', rate: '40' }], { at: '2025-10-06T05:00:00Z' });
    await sold(shop, 'PLAIN', [{ ...cost, rate: '33.3333' }], { at: '2025-10-07T05:00:00Z' });
    const days = ['2025-10-04', '2025-10-05', '2025-10-06', '2025-10-07'];
    const costs = await Promise.all(days.map(async (day) => (await rows('sku', day))[0]?.cost));
    expect(costs).toEqual(['30.00', '40.00', '12.00', '33.33']);
  });

  it('uses the cost of the attempt that bought the unit, or without an attempt the terms of its item', async () => {
    const at = '2025-10-13T05:00:00Z';
    const again = await sold(shop, 'PLAIN', [{ reported: '99', currency: 'THB' }], { at });
    const old = await sold(shop, 'DEAR', [{ reported: '99', currency: 'THB' }], { at });
    await asTheTests(`
      INSERT INTO unit_attempts (order_id, item, unit, number, supplier_id, supplier_sku, reference, cost_micros,
                                 cost_currency, created_at)
      SELECT order_id, item, unit, 2, s.id, 'X', 'second', 60000000, 'THB', a.created_at
      FROM unit_attempts a, suppliers s WHERE ${isOf(again)} AND s.code = 'other';
      UPDATE order_units SET attempt = 2, supplier_id = (SELECT id FROM suppliers WHERE code = 'other')
      WHERE ${isOf(again)};
      DELETE FROM unit_attempts WHERE ${isOf(old)};
      UPDATE order_items SET expected_cost_micros = 20000000000, cost_currency = 'IDR', baht_per_unit = 0.002
      WHERE ${isOf(old)};`);
    expect(await rows('supplier', '2025-10-13')).toMatchObject([
      { supplier: 'fake', units: 1, cost: '40.00', cost_estimated_units: 1 },
      { supplier: 'other', units: 1, cost: '60.00', cost_estimated_units: 0 },
    ]);
  });

  it('rounds the cost of a row once, half up, and has no percentage if the revenue is zero', async () => {
    const at = '2025-10-14T05:00:00Z';
    await sold(shop, 'ROUND', Array<Cost>(3).fill({ reported: '0.005', currency: 'THB' }), { at });
    await sold(shop, 'PLAIN', [{ reported: '110.25', currency: 'THB' }], { at });
    await sold(shop, 'FREE', [{ reported: '5', currency: 'THB' }], { at });
    expect(await rows('sku', '2025-10-14')).toMatchObject([
      { sku: 'FREE', units: 1, revenue: '0.00', cost: '5.00', margin: '-5.00', margin_percent: null },
      { sku: 'PLAIN', cost: '110.25', margin: '-10.25', margin_percent: -10.2 },
      { sku: 'ROUND', units: 3, cost: '0.02', margin: '299.98', margin_percent: 100 },
    ]);
  });

  it('is also CSV, and a table with a total', async () => {
    const at = '2025-10-15T05:00:00Z';
    await sold(shop, 'PLAIN', [{ reported: '60', currency: 'THB' }], { at });
    await sold(shop, 'DEAR', [{ expected: '75', currency: 'THB', rate: '1' }], { at });
    const csv = await commandLine.run(...margin('sku', '2025-10-15', '2025-10-15', '--csv'));
    expect(csv).toEqual({
      code: 0,
      stdout:
        'sku,units,revenue,cost,margin,margin_percent,cost_estimated_units,cost_unknown_units,cost_unknown_revenue\n' +
        'DEAR,1,100.00,75.00,25.00,25.0,1,0,0.00\nPLAIN,1,100.00,60.00,40.00,40.0,0,0,0.00\n',
      stderr: '',
    });
    const { stdout } = await commandLine.run(...margin('sku', '2025-10-15', '2025-10-15'));
    expect(stdout).toMatch(/│ total +│ 2 +│ 200\.00 +│ 135\.00 +│ 65\.00 +│ 32\.5 +│ 1 +│ 0 +│/);
    const nothing = await commandLine.run(...margin('sku', '2025-09-29', '2025-09-29'));
    expect(nothing.stdout).toBe(
      '2025-09-29 to 2025-09-29 in Asia/Bangkok, both included\n\nNothing was sold on these days.\n',
    );
  });

  it('ends today unless a last day is given, and shows this', async () => {
    const { stdout, code } = await commandLine.run('report', 'margin', '--from', '2025-10-01', '--by', 'sku');
    expect([code, stdout]).toEqual([
      0,
      expect.stringContaining(`2025-10-01 to ${dayIn('Asia/Bangkok')} in Asia/Bangkok, both included`),
    ]);
  });

  it('refuses invalid ranges of days, and unknown groupings', async () => {
    await commandLine.refusedAll([
      [['report', 'margin'], /required option '--from <day>' not specified/],
      [margin('colour', '2025-10-01', '2025-10-01'), /one of sku, supplier, merchant/],
      [margin('sku', '2025-10-02', '2025-10-01'), /2025-10-02 is after 2025-10-01/],
      [margin('sku', '2025-10-02', '2090-01-01'), /2090-01-01 has not begun in Asia\/Bangkok/],
      [margin('sku', '2025-10-01', '2025-10-01', '--csv'), /choose one: --csv or --json/],
    ]);
  });
});
