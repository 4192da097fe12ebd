import { afterEach, describe, expect, it } from '@jest/globals';
import { type Answer, DigiflazzBench } from './digiflazz-client.js';

const bench = new DigiflazzBench();
afterEach(() => bench.clear());

const skus = ({ data }: Answer): unknown[] =>
  (data as unknown as Record<string, unknown>[]).map(({ buyer_sku_code }) => buyer_sku_code);
const prices = ({ data }: Answer): unknown[] =>
  (data as unknown as Record<string, unknown>[]).map(({ price }) => price);

describe('the balance', () => {
  it('is shown only for a signed request', async () => {
    const client = await bench.start({}, { deposit: 123_456 });
    expect(await client.balance()).toEqual({ status: 200, data: { deposit: 123_456 } });
    expect((await client.balance({ sign: 'f'.repeat(32) })).data).toMatchObject({ rc: '41' });
    expect((await client.balance({ username: 'x' })).data).toMatchObject({ rc: '42' });
    expect((await client.balance({ cmd: 'balance' })).data).toMatchObject({ rc: '40' });
    await client.sim('account', { allow_list: { production: [] } });
    expect((await client.balance()).data).toMatchObject({ rc: '45' });
  });
});

describe('the price list', () => {
  it('has the members of the manual, and none of the simulator', async () => {
    const client = await bench.start();
    expect((await client.priceList({ code: 'cut-off' })).data).toEqual([
      {
        buyer_sku_code: 'cut-off',
        product_name: 'Product cut-off',
        category: 'Games',
        brand: 'MOBILE LEGENDS',
        type: 'Umum',
        seller_name: 'S***r',
        desc: expect.any(String),
        price: 10_000,
        buyer_product_status: true,
        seller_product_status: true,
        unlimited_stock: true,
        stock: 0,
        multi: true,
        start_cut_off: '23:45',
        end_cut_off: '00:15',
      },
    ]);
  });

  it('is available once in 5 minutes, filtered or not, and for one code once a second', async () => {
    const client = await bench.start();
    const limits = { price_list_all_seconds: 300, price_list_code_seconds: 1 };
    expect(await client.sim('readings')).toMatchObject(limits);
    // On a busy machine, the second may be over before the next request.
    await client.sim('readings', { price_list_code_seconds: 30 });
    expect(skus(await client.priceList())).toHaveLength(10);
    for (const filter of [{}, { category: 'Games' }, { brand: 'XL' }, { type: 'Umum' }]) {
      const { status, data } = await client.priceList(filter);
      expect([status, data]).toMatchObject([200, { rc: '83', message: expect.any(String) }]);
    }
    expect(skus(await client.priceList({ code: 'ml86' }))).toEqual(['ml86']);
    expect((await client.priceList({ code: 'ml86' })).data).toMatchObject({ rc: '83' });
    expect(skus(await client.priceList({ code: 'ml172' }))).toEqual(['ml172']);
    await client.sim('clock', { advance: '30s' });
    expect(skus(await client.priceList({ code: 'ml86' }))).toEqual(['ml86']);
    await client.sim('clock', { advance: '270s' });
    expect(skus(await client.priceList({ brand: 'FREE FIRE' }))).toEqual(['ff70']);
  });

  it.each([
    ['empty_list', 200, []],
    ['http_429', 429, { rc: '83' }],
  ])('is limited with %s in another reading', async (price_list_limited, status, data) => {
    const client = await bench.start({ price_list_limited });
    await client.priceList();
    expect(await client.priceList()).toMatchObject({ status, data });
  });

  it('is a quarter of an hour old if filtered by category, brand or type', async () => {
    const client = await bench.start({ price_list_all_seconds: 0, price_list_code_seconds: 0 });
    await client.sim('clock', { advance: '20m' });
    await client.sim('account', { products: [{ buyer_sku_code: 'ff70', price: 11_000 }] });
    expect(prices(await client.priceList({ code: 'ff70' }))).toEqual([11_000]);
    expect(prices(await client.priceList({ brand: 'FREE FIRE' }))).toEqual([10_000]);
    await client.sim('clock', { advance: '15m' });
    expect(prices(await client.priceList({ brand: 'FREE FIRE' }))).toEqual([11_000]);
  });

  it('can be empty, half, limited, and with prices as text', async () => {
    const client = await bench.start({ price_list_all_seconds: 0, price_list_price: 'text' });
    const match = { call: 'price-list' };
    await client.sim('rules', {
      rules: [
        { match, list: 'empty' },
        { match, list: 'half' },
        { match, rc: '83' },
      ],
    });
    expect((await client.priceList()).data).toEqual([]);
    expect(skus(await client.priceList())).toHaveLength(5);
    expect((await client.priceList()).data).toMatchObject({ rc: '83' });
    expect(prices(await client.priceList({ code: 'ml86' }))).toEqual(['20000']);
  });

  it('changes when products are added, changed and removed', async () => {
    const client = await bench.start({ price_list_all_seconds: 0 });
    const products = [{ buyer_sku_code: 'new', price: 5 }];
    await client.sim('account', { products, remove_products: ['xld10', 'ml172'] });
    expect(skus(await client.priceList())).not.toContain('xld10');
    expect((await client.transaction('A1', { buyer_sku_code: 'new' })).data).toMatchObject({ price: 5 });
    expect((await client.transaction('A2', { buyer_sku_code: 'ml172' })).data).toMatchObject({ rc: '43' });
  });
});

describe('a deposit ticket', () => {
  it('raises the deposit once it is paid', async () => {
    const client = await bench.start();
    const { data } = await client.ticket(200_000);
    expect(data).toMatchObject({ rc: '00', notes: expect.stringMatching(/^T\d{7}$/) });
    expect(data.amount).toBeGreaterThan(200_000);
    expect(await client.deposit()).toBe(1_000_000);
    await client.sim('account', { pay_ticket: data.notes });
    expect(await client.deposit()).toBe(1_000_000 + Number(data.amount));
    await expect(client.sim('account', { pay_ticket: data.notes })).rejects.toThrow('no open ticket');
  });

  it('is refused without an amount', async () => {
    const client = await bench.start();
    expect((await client.ticket(0)).data).toMatchObject({ rc: '64' });
    expect((await client.ticket(undefined)).data).toMatchObject({ rc: '40' });
  });
});
