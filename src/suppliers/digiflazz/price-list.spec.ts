import { describe, expect, it } from '@jest/globals';
import { parseExactJson } from '../../core/exact-json.js';
import type { SupplierProduct } from '../supplier-adapter.js';
import type { HttpAnswer } from '../adapter-http.js';
import { readBalance } from './digiflazz-data.js';
import { readPriceList, readPriceOf } from './price-list.js';

const ITEM = {
  buyer_sku_code: 'ml86',
  product_name: '86 Diamonds',
  category: 'Games',
  brand: 'MOBILE LEGENDS',
  type: 'Umum',
  seller_name: 'S***r',
  price: 20_000,
  desc: 'User id and zone id',
  buyer_product_status: true,
  seller_product_status: true,
  unlimited_stock: true,
  stock: 0,
  multi: true,
  start_cut_off: '00:00',
  end_cut_off: '0:0',
};

const answer = (data: unknown, status = 200): HttpAnswer => ({
  status,
  body: parseExactJson(JSON.stringify({ data })),
  retryAfter: undefined,
});

function read(changes: object): SupplierProduct | undefined {
  const reading = readPriceList(answer([{ ...ITEM, ...changes }]));
  return reading.known ? reading.products[0] : undefined;
}

describe('a product of the price list', () => {
  it('has the members of the supplier’s entry', () => {
    expect(read({})).toEqual({
      sku: 'ml86',
      name: '86 Diamonds',
      group: 'Games / MOBILE LEGENDS / Umum',
      cost: { micros: 20_000_000_000n, currency: 'IDR' },
      sellable: true,
      stock: null,
      oncePerDay: false,
      cutOff: null,
      note: 'User id and zone id',
    });
  });

  it.each([
    ['a price as text', { price: '20000' }, { cost: { micros: 20_000_000_000n, currency: 'IDR' } }],
    ['a broken price', { price: 1e21 }, { cost: null }],
    ['no price', { price: undefined }, { cost: null }],
    ['switched off by us', { buyer_product_status: false }, { sellable: false }],
    ['switched off by the seller', { seller_product_status: false }, { sellable: false }],
    ['a status as text', { seller_product_status: 'true' }, { sellable: false }],
    ['a stock', { unlimited_stock: false, stock: 3 }, { stock: 3 }],
    ['no stock', { unlimited_stock: false }, { stock: 0 }],
    ['once a day', { multi: false }, { oncePerDay: true }],
    ['no description', { desc: ' ' }, { note: null }],
    ['no brand and type', { brand: '', type: null }, { group: 'Games' }],
  ])('with %s', (_what, changes, expected) => {
    expect(read(changes)).toMatchObject(expected);
  });

  it.each([
    ['23:45', '00:15', { from: '23:45', to: '00:15', zone: 'Asia/Jakarta' }],
    ['1:5', '2:0', { from: '01:05', to: '02:00', zone: 'Asia/Jakarta' }],
    ['12:00', '12:00', null],
    ['0:0', '00:00', null],
    ['25:00', '26:00', null],
    ['', '', null],
    [null, '01:00', null],
  ])('with the cut-off %s to %s has %j', (start_cut_off, end_cut_off, cutOff) => {
    expect(read({ start_cut_off, end_cut_off })?.cutOff).toEqual(cutOff);
  });
});

describe('the price list', () => {
  it('has each SKU as often as it is listed, and leaves out entries without a SKU', () => {
    const list = [ITEM, { ...ITEM, buyer_sku_code: 'ff70' }, { ...ITEM, price: 1 }, {}, null, 'ml86'];
    const reading = readPriceList(answer([...list, { ...ITEM, buyer_sku_code: '' }]));
    const found = reading.known ? reading.products.map(({ sku, cost }) => [sku, cost?.micros]) : [];
    expect(found).toEqual([
      ['ml86', 20_000_000_000n],
      ['ff70', 20_000_000_000n],
      ['ml86', 1_000_000n],
    ]);
  });

  it('is unavailable, and not empty, if it was requested too often', () => {
    const limited = answer({ rc: '83', status: 'Gagal', message: 'Limitasi' });
    const reading = { known: false, offersNone: false, fault: 'rate' };
    expect(readPriceList(limited)).toMatchObject(reading);
    expect(readPriceOf(limited, 'ml86')).toMatchObject(reading);
    expect(readPriceList({ ...answer(undefined, 429) })).toMatchObject({ ...reading, detail: 'HTTP 429' });
  });

  it.each([
    ['has the status 500', answer([ITEM], 500)],
    ['has an object as its data', answer({ ml86: ITEM })],
    ['has no data', answer(null)],
    ['is no JSON', { status: 200, body: undefined, retryAfter: undefined }],
  ])('is unavailable if the answer %s', (_what, given) => {
    expect(readPriceList(given)).toMatchObject({ known: false, offersNone: false });
  });

  it('of one SKU has the last entry of that product, or reports that it is not listed', () => {
    const others = answer([{ ...ITEM, buyer_sku_code: 'ff70' }]);
    expect(readPriceOf(answer([ITEM]), 'ml86')).toMatchObject({ known: true, product: { sku: 'ml86' } });
    expect(readPriceOf(others, 'ml86')).toEqual({ known: true, product: null });
    const cost = { micros: 1_000_000n, currency: 'IDR' };
    expect(readPriceOf(answer([ITEM, { ...ITEM, price: 1 }]), 'ml86')).toMatchObject({ product: { cost } });
  });
});

describe('the balance', () => {
  it.each([
    [1_000_000, 1_000_000_000_000n],
    ['1000000', 1_000_000_000_000n],
    [-250.5, -250_500_000n],
    [0, 0n],
  ])('of %j', (deposit, micros) => {
    expect(readBalance(answer({ deposit }))).toEqual({ known: true, amount: { micros, currency: 'IDR' } });
  });

  it.each([
    ...['41', '42', '45', '82', '88'].map((rc) => [rc, 'credentials']),
    ['83', 'rate'],
    ['40', undefined],
    ['02', undefined],
  ])('is unavailable with rc %s, with the fault %s', (rc, fault) => {
    const reading = readBalance(answer({ rc, status: 'Gagal' }));
    expect(reading).toMatchObject({ known: false, offersNone: false });
    expect(reading).toHaveProperty('detail', expect.stringMatching(`^rc ${rc}: `));
    expect('fault' in reading ? reading.fault : undefined).toBe(fault);
  });

  it.each([{}, { deposit: 'much' }, { deposit: null }])('is unavailable if the data is %j', (data) => {
    expect(readBalance(answer(data))).toMatchObject({ known: false, detail: 'the answer can’t be read' });
  });
});
