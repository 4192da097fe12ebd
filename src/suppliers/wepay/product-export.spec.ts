import { describe, expect, it } from '@jest/globals';
import type { CatalogueReading, SupplierProduct } from '../supplier-adapter.js';
import type { HttpAnswer } from '../adapter-http.js';
import { readExport, readExportOf } from './product-export.js';
import { parseAnswer, readBalance } from './wepay-data.js';

const MLBB = {
  company_id: 'MLBB',
  company_name: 'Mobile Legends',
  fee: 0,
  congestion: [] as unknown[],
  denomination: [
    { price: 90, description: '<b>86</b>&nbsp;Diamonds &amp; more' },
    { price: '23.5', description: '' },
  ] as unknown[],
  gameservers: [{ value: '2001', name: 'Asia' }],
  refs_format: { ref1: '/^[0-9]{5,12} [0-9]{1,7}$/' } as object | undefined,
};

const answer = (body: string, status = 200): HttpAnswer => ({
  status,
  body: parseAnswer(body),
  retryAfter: undefined,
});
const reading = (data: object): CatalogueReading => readExport(answer(JSON.stringify({ data })));
const products = (data: object): SupplierProduct[] => {
  const read = reading(data);
  return read.known ? read.products : [];
};
const game = (changes: object): SupplierProduct[] => products({ gtopup: [{ ...MLBB, ...changes }] });

describe('the export of products', () => {
  it('lists each amount of a company, by the SKU that buys it', () => {
    const common = {
      group: 'gtopup / Mobile Legends',
      cost: null,
      sellable: true,
      stock: null,
      oncePerDay: false,
      cutOff: null,
      note: null,
      playerPattern: '^[0-9]{5,12} [0-9]{1,7}$',
    };
    expect(game({})).toEqual([
      { sku: 'gtopup:MLBB:90', name: 'Mobile Legends 86 Diamonds & more', ...common },
      { sku: 'gtopup:MLBB:23.50', name: 'Mobile Legends 23.5', ...common },
    ]);
  });

  it('has other kinds besides games', () => {
    const company = { company_id: 'X', denomination: [{ price: 10 }] };
    const listed = products({ mtopup: [company], cashcard: [{ ...MLBB, ...company }], billpay: [company] });
    expect(listed.map(({ sku, playerPattern }) => [sku, playerPattern])).toEqual([
      ['mtopup:X:10', null],
      // Cash cards have no player.
      ['cashcard:X:10', null],
      ['billpay:X:10', null],
    ]);
  });

  it('has no products of a company whose only price is 0', () => {
    for (const price of [0, '0', '0.00', 0.0]) expect(game({ denomination: [{ price }] })).toEqual([]);
  });

  it('has a note for delayed products', () => {
    expect(game({ congestion: [{}] })[0]?.note).toBe('delayed');
    expect(game({ congestion: ['since noon', '<i>slow</i>'] })[0]?.note).toBe('delayed: since noon, slow');
  });

  it.each([undefined, {}, { ref1: '' }, { ref1: '/(?=x)/' }, { ref1: 7 }])(
    'has no pattern for players that is not understood: %j',
    (refs_format) => expect(game({ refs_format })[0]?.playerPattern).toBeNull(),
  );

  it('leaves out products without a usable name', () => {
    expect(game({ company_id: '' })).toEqual([]);
    expect(game({ company_id: 'ML:BB' })).toEqual([]);
    expect(game({ denomination: [{ price: '1e3' }, { price: -5 }, { price: 90.025 }, null, 7, {}] })).toEqual([]);
    expect(game({ denomination: {} })).toEqual([]);
    expect(products({ gtopup: [null, 7, []] })).toEqual([]);
  });

  it.each(['', '<html>', '[]', '{}', '{"data":[]}', '{"data":"x"}', '{"data":{"gtopup":[{"company_id":"ML'])(
    'says nothing as %j',
    (body) => expect(readExport(answer(body)).known).toBe(false),
  );

  it('is unavailable with another status', () => {
    expect(readExport(answer(JSON.stringify({ data: { gtopup: [MLBB] } }), 500))).toEqual({
      known: false,
      detail: 'HTTP 500',
      offersNone: false,
    });
  });

  it('of one SKU reports whether it is listed', () => {
    const whole = answer(JSON.stringify({ data: { gtopup: [MLBB] } }));
    expect(readExportOf(whole, 'gtopup:MLBB:90')).toMatchObject({ product: { sku: 'gtopup:MLBB:90' } });
    expect(readExportOf(whole, 'gtopup:MLBB:91')).toEqual({ known: true, product: null });
    expect(readExportOf(answer(''), 'gtopup:MLBB:91').known).toBe(false);
  });
});

describe('the balance', () => {
  it('is the available amount', () => {
    const body = '{"code":"00000","ledger_balance":"2000.00","available_balance":"1234.56"}';
    const amount = { micros: 1_234_560_000n, currency: 'THB' };
    expect(readBalance(answer(body))).toEqual({ known: true, amount });
  });

  it.each([
    ['{"code":"20005"}', 200, { detail: '20005: it does not allow our address', fault: 'credentials' }],
    ['{"code":"10003"}', 200, { detail: '10003: too many requests', fault: 'rate' }],
    ['{"code":"30019"}', 200, { detail: '30019: our balance is too low' }],
    ['{"code":"00000"}', 200, { detail: 'the answer can’t be read' }],
    ['Access denied', 200, { detail: 'the answer can’t be read: access denied', fault: 'credentials' }],
    ['', 429, { detail: 'HTTP 429', fault: 'rate' }],
  ])('is unknown with %s and HTTP %s', (body, status, why) => {
    expect(readBalance(answer(body, status))).toEqual({ known: false, offersNone: false, ...why });
  });
});
