import { afterAll, afterEach, describe, expect, it } from '@jest/globals';
import { KEYS } from '../simulators/digiflazz-client.js';
import { attempt, DigiflazzShop, rupiah } from './digiflazz-buyer.js';

const shop = new DigiflazzShop();
afterEach(() => shop.clear());
afterAll(() => shop.close());

describe('the balance', () => {
  it('is the rest of the deposit', async () => {
    const buyer = await shop.open();
    expect(await buyer.balance()).toEqual({ known: true, amount: rupiah(1_000_000n) });
    await buyer.send(attempt('A1'));
    expect(await buyer.balance()).toEqual({ known: true, amount: rupiah(980_000n) });
  });

  it('is not reported to a stranger', async () => {
    for (const changes of [{ key: 'wrong' }, { username: 'somebody' }]) {
      const buyer = await shop.open({}, changes);
      expect(await buyer.balance()).toMatchObject({ known: false, offersNone: false, fault: 'credentials' });
    }
  });

  it('is not reported to an address that is not allowed', async () => {
    const buyer = await shop.open();
    await buyer.client.sim('account', { allow_list: { production: [] } });
    expect(await buyer.balance()).toMatchObject({
      fault: 'credentials',
      detail: 'rc 45: it does not allow our address',
    });
  });

  it('is unknown if no server answers, or another one', async () => {
    const nowhere = await shop.open({}, { baseUrl: 'http://127.0.0.1:1/v1' });
    expect(await nowhere.balance()).toEqual({ known: false, detail: 'ECONNREFUSED', offersNone: false });
    const buyer = await shop.open();
    const elsewhere = await shop.open({}, { baseUrl: buyer.client.url });
    expect(await elsewhere.balance()).toEqual({ known: false, detail: 'HTTP 404', offersNone: false });
  });
});

describe('a purchase with wrong credentials', () => {
  it.each([
    [{ key: 'wrong' }, 'rc 41: wrong signature'],
    [{ key: KEYS.development }, 'rc 41: wrong signature'],
    [{ key: KEYS.production, testing: true }, 'rc 41: wrong signature'],
    [{ username: 'somebody' }, 'rc 42: it does not know the username'],
  ])('is not accepted: %j', async (changes, detail) => {
    const buyer = await shop.open({}, changes);
    expect(await buyer.send(attempt('A1'))).toEqual({ kind: 'not_accepted', detail, fault: 'credentials' });
  });

  it('leaves an earlier send with the right credentials in doubt', async () => {
    const buyer = await shop.open();
    await buyer.send(attempt('A1'));
    await buyer.client.sim('account', { keys: { production: 'another' } });
    expect(await buyer.askLater(attempt('A1'))).toMatchObject({ kind: 'unknown', fault: 'credentials' });
  });
});

describe('a deposit that is too low', () => {
  it('buys nothing', async () => {
    const buyer = await shop.open();
    await buyer.client.sim('account', { deposit: 19_999 });
    expect(await buyer.send(attempt('A1'))).toMatchObject({ kind: 'not_accepted', fault: 'deposit' });
  });
});

describe('the catalogue', () => {
  it.each(['number', 'text'])('is read whole, with prices as %s', async (price_list_price) => {
    const buyer = await shop.open({ price_list_price });
    const reading = await buyer.catalogue();
    const products = reading.known ? reading.products : [];
    expect(products).toHaveLength(10);
    expect(products[0]).toEqual({
      sku: 'ml86',
      name: 'Product ml86',
      group: 'Games / MOBILE LEGENDS / Umum',
      cost: rupiah(20_000n),
      sellable: true,
      stock: null,
      oncePerDay: false,
      cutOff: null,
      note: 'User id and zone id, without anything between',
    });
    const of = (sku: string) => products.find((product) => product.sku === sku);
    expect(of('once-a-day')).toMatchObject({ oncePerDay: true });
    expect(of('cut-off')).toMatchObject({
      cutOff: { from: '23:45', to: '00:15', zone: 'Asia/Jakarta' },
    });
    expect(of('sold-out')).toMatchObject({ sellable: true, stock: 0 });
    expect(of('seller-off')).toMatchObject({ sellable: false });
    expect(of('buyer-off')).toMatchObject({ sellable: false });
  });

  it('may be larger than other answers', async () => {
    const buyer = await shop.open();
    const named = (n: number) => ({ buyer_sku_code: `sku-${n}`, desc: 'x'.repeat(200) });
    for (let at = 0; at < 1_000; at += 50) {
      await buyer.client.sim('account', { products: Array.from({ length: 50 }, (_, n) => named(at + n)) });
    }
    const reading = await buyer.catalogue();
    expect(reading.known && reading.products.length).toBe(1_010);
  });

  it.each([
    ['rc_83_object', { known: false, offersNone: false, fault: 'rate' }],
    ['http_429', { known: false, offersNone: false, fault: 'rate' }],
    ['empty_list', { known: true, products: [] }],
  ])('read twice within five minutes, with %s, has no products', async (reading, expected) => {
    const buyer = await shop.open({ price_list_limited: reading });
    expect(await buyer.catalogue()).toMatchObject({ known: true });
    expect(await buyer.catalogue()).toMatchObject(expected);
    await buyer.client.sim('clock', { advance: '300s' });
    const again = await buyer.catalogue();
    expect(again.known && again.products.length).toBe(10);
  });

  it.each(['truncated', 'html', 'no_data', 'empty'])('is unavailable if the answer is %s', async (body) => {
    const buyer = await shop.open();
    await buyer.client.sim('rules', { match: { call: 'price-list' }, body });
    expect(await buyer.catalogue()).toMatchObject({ known: false });
  });

  it('can be read for one product, which does not count for the limit of whole readings', async () => {
    const buyer = await shop.open({ price_list_code_seconds: 600 });
    expect(await buyer.product('ml172')).toMatchObject({
      known: true,
      product: { sku: 'ml172', cost: rupiah(40_000n) },
    });
    expect(await buyer.product('none')).toEqual({ known: true, product: null });
    expect(await buyer.product('none')).toMatchObject({ known: false, fault: 'rate' });
    expect((await buyer.catalogue()).known).toBe(true);
  });

  it('is tested with one code, which does not count for the limit of whole readings', async () => {
    const buyer = await shop.open({ price_list_code_seconds: 600 });
    expect(await buyer.probe()).toEqual({ known: true });
    expect(await buyer.probe()).toMatchObject({ known: false, fault: 'rate' });
    expect((await buyer.catalogue()).known).toBe(true);
    const stranger = await shop.open({}, { key: 'wrong' });
    expect(await stranger.probe()).toMatchObject({ known: false, fault: 'credentials' });
  });
});
