import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Unroutable } from '../../src/catalog/routing.js';
import { offersOf, routingOrder, type RoutedOffer } from '../../src/catalog/routing.sql.js';
import { TestStack } from '../support/stack.js';

let stack: TestStack;
let sku: string;

beforeAll(async () => {
  stack = await TestStack.start({}, { worker: false });
});

afterAll(() => stack.close());

beforeEach(async () => {
  sku = await stack.product('35.00', { supplierSku: 'X' });
});

const NOON = '2026-01-15T12:00:00Z';
const LIMITS = { costMaxAgeMs: '86400000', rateMaxAgeMs: '604800000', minMargin: '0' };

const set = (columns: string): Promise<object[]> =>
  stack.sql(`UPDATE supplier_offers SET ${columns} WHERE product_id = (SELECT id FROM products WHERE sku = $1)`, [sku]);

/** Writes the supplier's catalogue entry for the product's SKU. */
const synchronize = (columns: Record<string, unknown>): Promise<object[]> => {
  const row = {
    supplier_id: 1,
    sku,
    name: 'theirs',
    sellable: true,
    first_seen_at: NOON,
    last_seen_at: NOON,
    ...columns,
  };
  const names = Object.keys(row);
  return stack.sql(
    `INSERT INTO supplier_products (${names.join()}) VALUES (${names.map((_, index) => `$${index + 1}`).join()})`,
    Object.values(row),
  );
};

const setRate = (currency: string, rate: string, from: string): Promise<object[]> =>
  stack.sql(`INSERT INTO fx_rates VALUES ($1, $2, $3, 'test')`, [currency, rate, from]);

async function offersAt(now = NOON, limits = LIMITS): Promise<RoutedOffer[]> {
  return stack.sql<RoutedOffer>(
    `SELECT offer.* FROM products p CROSS JOIN LATERAL (${offersOf(limits, { now: `timestamptz '${now}'` })}) offer
     WHERE p.sku = $1 ORDER BY ${routingOrder('offer')}`,
    [sku],
  );
}

async function whyNot(now?: string, limits?: typeof LIMITS): Promise<Unroutable | null | undefined> {
  const [offer] = await offersAt(now, limits);
  return offer?.why_not;
}

describe('an offer', () => {
  it('is routable without a cost, and without a catalogue', async () => {
    expect(await offersAt()).toMatchObject([{ why_not: null, cost: null, margin: null, eats_margin: null }]);
  });

  it('has a cost in satang, rounded half up, and a margin of the rest of the list price', async () => {
    await setRate('IDR', '0.0021', '2026-01-14T12:00:00Z');
    await set(`cost_micros = 10500 * 1000000::bigint, cost_currency = 'IDR'`);
    expect(await offersAt()).toMatchObject([{ why_not: null, cost: '2205', margin: '1295' }]);
    await set(`cost_micros = 20004999999::bigint / 2, cost_currency = 'IDR'`);
    expect(await offersAt()).toMatchObject([{ cost: '2101' }]);
    await set(`cost_micros = 20005000, cost_currency = 'THB'`);
    expect(await offersAt()).toMatchObject([{ cost: '2001', margin: '1499' }]);
    await set(`cost_micros = 20004999, cost_currency = 'THB'`);
    expect(await offersAt()).toMatchObject([{ cost: '2000', margin: '1500' }]);
  });

  it('shows the first of several reasons', async () => {
    await setRate('USD', '35', '2025-01-01T00:00:00Z');
    await set(`active = false, cost_micros = 9000000000, cost_currency = 'USD', cost_at = '2026-01-01T00:00:00Z'`);
    await stack.sql(`UPDATE supplier_offers SET supplier_sku = $1 WHERE supplier_sku = 'X'`, [sku]);
    await synchronize({
      sellable: false,
      cost_micros: 1,
      cost_currency: 'USD',
      cut_off_from: '11:00',
      cut_off_to: '13:00',
      cut_off_zone: 'UTC',
    });
    expect(await whyNot()).toBe('off');
    await set('active = true');
    await stack.sql(`UPDATE suppliers SET pause_reason = 'deposit', paused_at = now() WHERE id > 0`);
    expect(await whyNot()).toBe('paused');
    await stack.sql('UPDATE suppliers SET pause_reason = NULL, paused_at = NULL');
    expect(await whyNot()).toBe('not_sold');
    await stack.sql('UPDATE supplier_products SET sellable = true');
    expect(await whyNot()).toBe('cut_off');
    expect(await whyNot('2026-01-15T14:00:00Z')).toBe('old_cost');
    await set(`cost_at = '2026-01-15T00:00:00Z'`);
    expect(await whyNot('2026-01-15T14:00:00Z')).toBe('no_rate');
    await setRate('USD', '35', '2026-01-15T00:00:00Z');
    expect(await whyNot('2026-01-15T14:00:00Z')).toBe('no_margin');
    await set('cost_micros = 1000000');
    expect(await whyNot('2026-01-15T14:00:00Z')).toBeNull();
    await stack.sql('DELETE FROM supplier_products; DELETE FROM fx_rates');
  });

  it('is too old only if its cost comes from the catalogue', async () => {
    await set(`cost_micros = 1000000, cost_currency = 'THB', cost_at = '2020-01-01T00:00:00Z'`);
    expect(await whyNot()).toBeNull();
    await stack.sql(`UPDATE supplier_offers SET supplier_sku = $1 WHERE supplier_sku = 'X'`, [sku]);
    await synchronize({});
    expect(await whyNot()).toBeNull();
    await stack.sql(`UPDATE supplier_products SET cost_micros = 1, cost_currency = 'THB' WHERE sku = $1`, [sku]);
    expect(await whyNot()).toBe('old_cost');
    await set(`cost_at = '2026-01-14T12:00:00Z'`);
    expect(await whyNot()).toBeNull();
    expect(await whyNot('2026-01-15T12:00:00.001Z')).toBe('old_cost');
    await set('cost_at = NULL');
    expect(await whyNot()).toBe('old_cost');
  });

  it('has its cost converted at the newest rate, which must not be too old or in the future', async () => {
    await set(`cost_micros = 1000000, cost_currency = 'MYR'`);
    await setRate('MYR', '7', '2026-01-01T00:00:00Z');
    await setRate('MYR', '8', '2026-01-08T12:00:00Z');
    await setRate('MYR', '9', '2026-01-15T12:00:01Z');
    expect(await offersAt()).toMatchObject([{ cost: '800', why_not: null }]);
    expect(await whyNot('2026-01-15T12:00:00.001Z')).toBe('no_rate');
    expect(await offersAt('2026-01-15T12:00:01Z')).toMatchObject([{ cost: '900' }]);
  });

  it('may cost at most the list price less the smallest margin', async () => {
    await set(`cost_micros = 35000000, cost_currency = 'THB'`);
    expect(await whyNot()).toBeNull();
    expect(await whyNot(NOON, { ...LIMITS, minMargin: '250' })).toBe('no_margin');
    await set('cost_micros = 34130000');
    expect(await whyNot(NOON, { ...LIMITS, minMargin: '250' })).toBe('no_margin');
    await set('cost_micros = 34120000');
    expect(await whyNot(NOON, { ...LIMITS, minMargin: '250' })).toBeNull();
    await set('cost_micros = 35010000');
    expect(await whyNot()).toBe('no_margin');
  });

  it('never overflows, at any cost', async () => {
    await setRate('XXX', '9999999999', '2026-01-15T00:00:00Z');
    await set(`cost_micros = 9223372036854775807, cost_currency = 'XXX'`);
    expect(await whyNot()).toBe('no_margin');
  });
});

describe('cut-off hours', () => {
  // Bangkok is seven hours ahead of UTC.
  it.each([
    ['23:00', '00:30', '15:58:59', null],
    ['23:00', '00:30', '15:59:00', 'cut_off'],
    ['23:00', '00:30', '17:29:59', 'cut_off'],
    ['23:00', '00:30', '17:30:00', null],
    ['10:00', '11:00', '02:58:59', null],
    ['10:00', '11:00', '02:59:00', 'cut_off'],
    ['10:00', '11:00', '03:59:59', 'cut_off'],
    ['10:00', '11:00', '04:00:00', null],
    ['00:00', '01:00', '16:58:59', null],
    ['00:00', '01:00', '16:59:00', 'cut_off'],
    ['00:00', '01:00', '17:59:59', 'cut_off'],
    ['00:00', '01:00', '18:00:00', null],
    ['12:00', '12:00', '05:00:00', null],
    ['00:00', '00:00', '17:00:00', null],
  ])('from %s to %s in Bangkok, at %s UTC: %s', async (from, to, at, expected) => {
    await stack.sql(`UPDATE supplier_offers SET supplier_sku = $1 WHERE supplier_sku = 'X'`, [sku]);
    await synchronize({ cut_off_from: from, cut_off_to: to, cut_off_zone: 'Asia/Bangkok' });
    expect(await whyNot(`2026-01-15T${at}Z`)).toBe(expected);
  });

  it('need a time zone that PostgreSQL knows', async () => {
    const hours = { cut_off_from: '10:00', cut_off_to: '11:00' };
    await expect(synchronize({ ...hours, cut_off_zone: 'Asia/Nowhere' })).rejects.toThrow(/time zone/);
    await expect(synchronize(hours)).rejects.toThrow(/ck_supplier_products_cut_off/);
  });
});

describe('the offers of a product', () => {
  it('are tried by priority, then by cost, with unknown costs last, then by age', async () => {
    await set('priority = 2');
    const offers = [
      '1, NULL, NULL',
      '1, NULL, NULL',
      `1, 2000000, 'THB'`,
      `1, 1000000, 'THB'`,
      `2, 3000000, 'THB'`,
      `1, 1000000, 'THB'`,
    ];
    for (const [index, values] of offers.entries()) {
      await stack.sql(
        `INSERT INTO supplier_offers (product_id, supplier_id, supplier_sku, priority, cost_micros, cost_currency)
         SELECT id, 1, $2, ${values} FROM products WHERE sku = $1`,
        [sku, `offer-${index}`],
      );
    }
    expect((await offersAt()).map(({ supplier_sku }) => supplier_sku)).toEqual([
      'offer-3',
      'offer-5',
      'offer-2',
      'offer-0',
      'offer-1',
      'offer-4',
      'X',
    ]);
  });
});
