import { describe, expect, it } from '@jest/globals';
import { parseExactJson } from '../../core/exact-json.js';
import type { HttpAnswer } from '../adapter-http.js';
import { readBalance } from './lapakgaming-data.js';
import { readProductList, readProductOf } from './product-list.js';

const answer = (body: unknown, status = 200): HttpAnswer => ({
  status,
  retryAfter: undefined,
  body: parseExactJson(typeof body === 'string' ? body : JSON.stringify(body)),
});

const ITEM = {
  code: 'ML78_8-S2',
  category_code: 'ML',
  name: '78 Diamonds',
  provider_code: 'S2',
  price: 19_500,
  process_time: 5,
  country_code: 'th',
  status: 'available',
};
const PRODUCT = {
  sku: 'ML78_8-S2',
  name: '78 Diamonds',
  group: 'th / ML',
  sellable: true,
  cost: { micros: 19_500_000_000n, currency: 'IDR' },
  stock: null,
  oncePerDay: false,
  cutOff: null,
  note: null,
};

const list = (...products: unknown[]): HttpAnswer => answer({ code: 'SUCCESS', data: { products } });

describe('a list of products', () => {
  it('has products with their prices', () => {
    expect(readProductList(list(ITEM))).toEqual({ known: true, products: [PRODUCT] });
    const odd = { ...ITEM, price: 'ask', status: 'empty' };
    expect(readProductList(list(odd))).toMatchObject({ products: [{ cost: null, sellable: false }] });
    expect(readProductList(list({ ...ITEM, code: '' }, null, 7))).toEqual({ known: true, products: [] });
  });

  it('is unavailable if it is cut off, refused or something else', () => {
    const text = JSON.stringify({ code: 'SUCCESS', data: { products: [ITEM] } });
    expect(readProductList(answer(text.slice(0, -5)))).toMatchObject({ known: false });
    for (const data of [undefined, null, {}, { products: {} }])
      expect(readProductList(answer({ code: 'SUCCESS', data })).known).toBe(false);
    expect(readProductList(answer({ code: 'SYSTEM_ERROR', data: { products: [ITEM] } })).known).toBe(false);
    expect(readProductList(answer(text, 500))).toMatchObject({ known: false, detail: 'HTTP 500' });
    expect(readProductList(answer('', 401))).toMatchObject({ fault: 'credentials' });
    expect(readProductList(answer('', 429))).toMatchObject({ fault: 'rate' });
  });

  it('of one SKU has that product, or reports that there is none', () => {
    expect(readProductOf(list(ITEM), ITEM.code)).toEqual({ known: true, product: PRODUCT });
    expect(readProductOf(list(ITEM), 'ASD')).toEqual({ known: true, product: null });
    expect(readProductOf(answer({ code: 'PRODUCT_NOT_FOUND' }, 400), 'ASD')).toEqual({
      known: true,
      product: null,
    });
    expect(readProductOf(answer({ code: 'NOT_ALLOWED' }, 400), 'ASD')).toMatchObject({
      known: false,
      detail: 'we may not order this product (NOT_ALLOWED)',
    });
  });
});

describe('a balance', () => {
  it('is read exactly, also if it is negative', () => {
    for (const [balance, micros] of [
      [1_250_000, 1_250_000_000_000n],
      ['-0.5', -500_000n],
    ])
      expect(readBalance(answer({ code: 'SUCCESS', data: { balance } }))).toEqual({
        known: true,
        amount: { micros, currency: 'IDR' },
      });
  });

  it('is unknown otherwise', () => {
    for (const body of ['', { code: 'SUCCESS' }, { code: 'UNAUTHORIZED', data: { balance: 1 } }])
      expect(readBalance(answer(body)).known).toBe(false);
    expect(readBalance(answer('', 401))).toMatchObject({ fault: 'credentials' });
  });
});
