import { describe, expect, it } from '@jest/globals';
import type { SupplierProduct as Listed } from '../suppliers/supplier-adapter.js';
import type { SupplierProduct } from '../suppliers/supplier-product.entity.js';
import { difference, implausibility } from './catalogue-difference.js';

const LISTED: Listed = {
  sku: 'a',
  name: 'A',
  group: 'Games',
  cost: { micros: 5n, currency: 'IDR' },
  sellable: true,
  stock: null,
  oncePerDay: false,
  cutOff: { from: '23:45', to: '00:15', zone: 'Asia/Jakarta' },
  note: null,
};

const STORED: SupplierProduct = {
  supplier_id: 1,
  sku: 'a',
  name: 'A',
  group_name: 'Games',
  cost_micros: 5n,
  cost_currency: 'IDR',
  cost_at: new Date(0),
  sellable: true,
  stock: null,
  once_per_day: false,
  note: null,
  gone_at: null,
  player_pattern: null,
  cut_off_from: '23:45:00',
  cut_off_to: '00:15:00',
  cut_off_zone: 'Asia/Jakarta',
  first_seen_at: new Date(0),
  last_seen_at: new Date(0),
};

const GONE = { ...STORED, sellable: false, gone_at: new Date(0) };

const many = <Row>(count: number, row: Row): Row[] =>
  Array.from({ length: count }, (_, index) => ({ ...row, sku: `sku-${index}` }));

describe('a catalogue that was read', () => {
  it.each([
    ['nothing before', many(1, LISTED), [], null],
    ['30 % fewer', many(7, LISTED), many(10, STORED), null],
    ['more than 30 % fewer', many(69, LISTED), many(100, STORED), ['listed', 100, 69]],
    ['as many, of which 30 % are not sold', sold(7, 3), many(10, STORED), null],
    ['as many, of which more than that are not sold', sold(6, 4), many(10, STORED), ['sold', 10, 6]],
    ['what is left after others were gone', many(3, LISTED), [...many(4, STORED), ...many(9, GONE)], null],
  ])('has %s', (_what, listed, before, expected) => {
    const refusal = implausibility(listed, before, Infinity);
    if (expected === null) expect(refusal).toBeNull();
    else {
      const [what, was, now] = expected;
      expect(refusal).toEqual({ kind: 'shrunk', what, before: was, now });
    }
    expect(implausibility(listed, before, 0)).toBeNull();
  });

  it('is refused if it is empty or contradicts itself, even with --force', () => {
    const dearer = { ...LISTED, cost: { micros: 6n, currency: 'IDR' } };
    const unpriced = { ...LISTED, cost: null };
    for (const fewest of [Infinity, 0]) {
      expect(implausibility([], [], fewest)).toEqual({ kind: 'empty' });
      const contradiction = { kind: 'contradiction', sku: 'a' };
      expect(implausibility([LISTED, dearer], [], fewest)).toEqual(contradiction);
      expect(implausibility([LISTED, unpriced], [], fewest)).toEqual(contradiction);
      expect(implausibility([LISTED, { ...LISTED, name: 'B' }], [], fewest)).toBeNull();
    }
  });

  it('is accepted only down to the number that the operator saw, which is the smaller one of those that shrank', () => {
    const before = many(100, STORED);
    const listed = many(60, LISTED);
    expect(implausibility(listed, before, 60)).toBeNull();
    expect(implausibility(many(59, LISTED), before, 60)).toMatchObject({ what: 'listed', now: 59 });
    const fewSold = sold(40, 20);
    for (const fewest of [Infinity, 60]) {
      expect(implausibility(fewSold, before, fewest)).toMatchObject({ what: 'sold', before: 100, now: 40 });
    }
    expect(implausibility(fewSold, before, 40)).toBeNull();
  });

  it('counts a SKU that it lists twice once', () => {
    expect(
      implausibility(
        many(10, LISTED).map((each) => ({ ...each, sku: 'a' })),
        many(10, STORED),
        Infinity,
      ),
    ).toEqual({
      kind: 'shrunk',
      what: 'listed',
      before: 10,
      now: 1,
    });
    const found = difference([LISTED, { ...LISTED, name: 'B' }], []);
    expect(found.items).toMatchObject([{ sku: 'a', name: 'B' }]);
  });
});

function sold(count: number, others: number): Listed[] {
  return many(count + others, LISTED).map((each, index) => (index < count ? each : { ...each, stock: 0 }));
}

const UNCHANGED = { gone: [], added: 0, priceChanged: 0, availabilityChanged: 0 };

describe('a change by a reading', () => {
  it.each([
    ['nothing', {}, UNCHANGED, false],
    ['its stock', { stock: 3 }, UNCHANGED, false],
    ['its last piece', { stock: 0 }, { ...UNCHANGED, availabilityChanged: 1 }, true],
    ['whether it is sold', { sellable: false }, { ...UNCHANGED, availabilityChanged: 1 }, true],
    ['its price', { cost: { micros: 6n, currency: 'IDR' } }, { ...UNCHANGED, priceChanged: 1 }, true],
    ['its currency', { cost: { micros: 5n, currency: 'THB' } }, { ...UNCHANGED, priceChanged: 1 }, true],
    ['a price that can’t be read', { cost: null }, UNCHANGED, false],
    ['its hours', { cutOff: null }, UNCHANGED, true],
    ['its note', { note: 'user id and zone id' }, UNCHANGED, true],
  ])('is %s', (_what, changes, expected, isChanged) => {
    const found = difference([{ ...LISTED, ...changes }], [STORED]);
    expect(found).toMatchObject(expected);
    expect(found.items).toMatchObject([{ is_changed: isChanged }]);
  });

  it('is a SKU that appears, disappears, or comes back', () => {
    expect(difference([LISTED], [])).toMatchObject({ ...UNCHANGED, added: 1, items: [{ is_changed: true }] });
    expect(difference([], [STORED])).toMatchObject({ ...UNCHANGED, gone: ['a'], items: [] });
    expect(difference([], [GONE])).toMatchObject({ ...UNCHANGED, items: [] });
    expect(difference([LISTED], [GONE])).toMatchObject({
      ...UNCHANGED,
      added: 1,
      items: [{ is_changed: true }],
    });
  });

  it('keeps the last readable price', () => {
    expect(difference([{ ...LISTED, cost: null }], [STORED]).items).toMatchObject([
      { cost_micros: 5n, cost_currency: 'IDR' },
    ]);
  });
});
