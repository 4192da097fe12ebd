import { afterEach, describe, expect, it } from '@jest/globals';
import { eventually } from '../support/eventually.js';
import { type Answer, type Json, LapakgamingBench, LapakgamingClient } from './lapakgaming-client.js';

const bench = new LapakgamingBench();
afterEach(() => bench.clear());

const products = ({ data }: Answer): Json[] => data.products as Json[];
const codes = (answer: Answer): unknown[] => products(answer).map(({ code }) => code);
const READS = [
  'balance',
  'category',
  'all-products',
  'product?category_code=ML',
  'order_status?tid=RA1',
  'catalogue/group-products?category_code=ML',
  'catalogue/group-products/ML78_8/best-product',
  'fx-rate.php?from_currency=USD&to_currency=IDR',
];

describe('every call', () => {
  it.each(['order', ...READS])('%s needs the key and an allowed address', async (path) => {
    const client = await bench.start();
    const body = path === 'order' ? JSON.stringify(client.orderBody('A1')) : undefined;
    const refused = { status: 401, code: 'UNAUTHORIZED', data: null };
    expect(await new LapakgamingClient(client.url, 'other').call(path, body)).toEqual(refused);
    const headers = { 'content-type': 'application/json' };
    const init = body === undefined ? { headers } : { method: 'POST', headers, body };
    expect((await client.send(path, init)).status).toBe(401);
    await client.sim('account', { allow_list: ['192.0.2.1'] });
    expect(await client.call(path, body)).toEqual(refused);
    expect(await client.sim('purchases')).toEqual([]);
  });

  it('counts for the limit of its address: the 501st in 10 seconds is refused', async () => {
    expect(await (await bench.start()).sim('readings')).toMatchObject({ requests_per_10_seconds: 500 });
    // 500 calls take a while, in which the first ones may have left the 10 seconds. On a busy machine, that even happens to a few.
    const callTooOften = async () => {
      const client = await bench.start({ requests_per_10_seconds: 3 });
      const beganAtMs = performance.now();
      const answers: Response[] = [];
      for (const path of [...READS.slice(0, 3), 'balance']) answers.push(await client.send(path));
      answers.push(await client.send('order', { method: 'POST', body: JSON.stringify(client.orderBody('A1')) }));
      await client.sim('clock', { advance: '1s' });
      for (const path of READS.slice(0, 3)) answers.push(await client.send(path));
      return { client, answers, isInTime: performance.now() - beganAtMs < 9_000 };
    };
    const { client, answers } = await eventually(callTooOften, ({ isInTime }) => isInTime);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 429, 429, 429, 429, 429]);
    expect(await answers[3]?.text()).toContain('<html>');
    expect(await client.sim('purchases')).toEqual([]);
    // Calls that the limit refuses are not counted.
    await client.sim('clock', { advance: '9s' });
    expect(await client.order('A1')).toMatchObject({ code: 'SUCCESS' });
  });

  it('is refused in JSON in another reading', async () => {
    const client = await bench.start({ requests_per_10_seconds: 0, too_many_requests_body: 'json' });
    expect(await client.call('balance')).toEqual({ status: 429, code: 'TOO_MANY_REQUESTS', data: null });
  });

  it.each([
    ['product_and_all_products', 429],
    ['product', 200],
  ])('has a lower limit for lists, which applies to %s', async (product_limit_covers, status) => {
    const client = await bench.start({ product_limit_covers });
    expect(await client.sim('readings')).toMatchObject({ product_requests_per_10_seconds: 50 });
    await client.sim('readings', { product_requests_per_10_seconds: 2 });
    for (const code of ['ML78_8-S2', 'FF70-S1']) {
      expect(codes(await client.call(`product?product_code=${code}`))).toEqual([code]);
    }
    expect((await client.send('product?product_code=FF70-S1')).status).toBe(429);
    expect((await client.send('all-products')).status).toBe(status);
    expect((await client.send('balance')).status).toBe(200);
  });
});

describe('the balance', () => {
  it('is that of the account', async () => {
    const client = await bench.start({}, { balance: 123_456 });
    expect(await client.call('balance')).toEqual({
      status: 200,
      code: 'SUCCESS',
      data: { balance: 123_456 },
    });
  });
});

describe('the categories', () => {
  it('have the required members of a product, by country', async () => {
    const client = await bench.start();
    const { categories } = (await client.call('category')).data as { categories: Json[] };
    expect(categories.map(({ code }) => code)).toEqual(['ML', 'FF', 'GI', 'VCGS']);
    expect(categories[2]).toEqual({
      code: 'GI',
      name: 'Genshin Impact',
      variant: 'DIGITAL',
      check_id: '',
      country_code: 'id',
      forms: [
        { name: 'user_id', type: 'tel', options: [] },
        { name: 'additional_id', type: 'option', options: expect.any(Array) },
      ],
      servers: [
        { value: 'os_asia', name: 'Asia' },
        { value: 'os_usa', name: 'America' },
      ],
    });
    expect((await client.call('category?country_code=th')).data).toMatchObject({
      categories: [{ code: 'FF', country_code: 'th' }],
    });
  });
});

describe('the products', () => {
  it('have the members of the document, and none of the simulator', async () => {
    const client = await bench.start();
    const all = await client.call('all-products');
    expect(products(all)[0]).toEqual({
      code: 'ML78_8-S2',
      category_code: 'ML',
      name: '86 Diamonds ( 78 + 8 Bonus )',
      provider_code: 'S2',
      price: 16_560,
      process_time: 0,
      country_code: 'id',
      status: 'available',
    });
    expect(codes(all)).not.toContain('DR10-S1');
    expect(codes(all)).not.toContain('FF70-S1-th');
    expect(codes(await client.call('all-products?country_code=th'))).toEqual(['FF70-S1-th']);
    expect(products(all).find(({ code }) => code === 'VCGS66-S22')).toMatchObject({ status: 'empty' });
  });

  it('are about 900 kB at the size of the vendor’s list, and can be ordered', async () => {
    const client = await bench.start({}, { made_up_products: 5_600 });
    const text = await (await client.send('all-products')).text();
    expect(text.length).toBeGreaterThan(850_000);
    expect(text.length).toBeLessThan(1_000_000);
    const all = (JSON.parse(text) as Answer).data.products as { code: string; price: number }[];
    expect(new Set(all.map(({ code }) => code)).size).toBe(all.length);
    const found = all.find(({ code }) => code.startsWith('FF1'));
    const more = { product_code: found?.code, price: found?.price };
    expect(await client.order('A1', more)).toMatchObject({ code: 'SUCCESS' });
    // The journal stores only a part of the answer.
    const [entry] = await client.sim<{ answer: { body: string } }[]>('journal');
    expect(entry?.answer.body.length).toBe(10_000);
  });

  it('can be cut off, half, or missing', async () => {
    const client = await bench.start({}, { made_up_products: 100 });
    const match = { call: 'all-products' };
    const wanted = [{ list: 'half' }, { list: 'empty' }, { body: 'truncated' }, { drop: 'mid_body' }, { http: 502 }];
    await client.sim('rules', { rules: wanted.map((each) => ({ match, ...each })) });
    expect(products(await client.call('all-products'))).toHaveLength(56);
    expect(products(await client.call('all-products'))).toHaveLength(0);
    await expect(client.call('all-products')).rejects.toThrow('in JSON');
    await expect(client.call('all-products')).rejects.toThrow('terminated');
    expect(await (await client.send('all-products')).text()).toContain('<html>');
  });

  it('are filtered by code before category', async () => {
    const client = await bench.start();
    expect(codes(await client.call('product?category_code=FF'))).toEqual(['FF70-S1']);
    expect(codes(await client.call('product?category_code=FF&product_code=GI60-S13'))).toEqual(['GI60-S13']);
    expect(await client.call('product?category_code=DR')).toEqual({
      status: 400,
      code: 'NOT_ALLOWED',
      data: null,
    });
    expect(await client.call('product?product_code=ASD')).toMatchObject({ code: 'PRODUCT_NOT_FOUND' });
    expect(await client.call('product?product_code=FF70-S1-th')).toMatchObject({ code: 'PRODUCT_NOT_FOUND' });
    expect(await client.call('product')).toMatchObject({ code: 'UNKNOWN_ERROR' });
  });

  it('change when they are added, changed and removed', async () => {
    const client = await bench.start({}, { made_up_products: 4 });
    const changes = [
      { code: 'FF70-S1', price: 9_500 },
      { code: 'FF140-S1', category_code: 'FF' },
    ];
    await client.sim('account', { products: changes, remove_products: ['GI60-S13'] });
    const all = await client.call('all-products');
    expect(products(all).find(({ code }) => code === 'FF70-S1')).toMatchObject({ price: 9_500 });
    expect(codes(all)).toContain('FF140-S1');
    expect(codes(all)).not.toContain('GI60-S13');
    expect(await client.order('A1', { product_code: 'GI60-S13' })).toMatchObject({
      code: 'PRODUCT_NOT_FOUND',
    });
    await client.sim('account', { products: [{ code: 'FF10000-S40', status: 'empty' }] });
    const changed = products(await client.call('all-products')).filter(({ code }) => code === 'FF10000-S40');
    expect(changed).toMatchObject([{ status: 'empty', name: '10000 Diamonds + Bonus 9' }]);
  });

  it('are grouped by kind, with the best of each group from up to 5 minutes ago', async () => {
    const client = await bench.start();
    const path = 'catalogue/group-products?group_product_code=ML78_8';
    const group = { code: 'ML78_8', country_code: 'id', name: '86 Diamonds ( 78 + 8 Bonus )' };
    const best = { ...group, price: 16_560, process_time: 0 };
    expect((await client.call(path)).data).toEqual([best]);
    await client.sim('clock', { advance: '10m' });
    await client.sim('account', { products: [{ code: 'ML78_8-S2', price: 16_900 }] });
    expect((await client.call(path)).data).toEqual([best]);
    expect((await client.call('catalogue/group-products/ML78_8/best-product')).data).toMatchObject([{ price: 16_900 }]);
    await client.sim('clock', { advance: '5m' });
    expect((await client.call(path)).data).toMatchObject([{ price: 16_900 }]);
    const all = (await client.call('catalogue/group-products?category_code=ML')).data as unknown as Json[];
    expect(all.map(({ code }) => code)).toContain('ML4649_883');
    expect(await client.call('catalogue/group-products')).toMatchObject({ code: 'UNKNOWN_ERROR' });
    expect(await client.call('catalogue/group-products/ML1/best-product')).toMatchObject({
      code: 'PRODUCT_NOT_FOUND',
    });
  });
});

describe('the exchange rates', () => {
  it('are those of the account', async () => {
    const client = await bench.start();
    expect((await client.call('fx-rate.php?from_currency=USD&to_currency=IDR')).data).toMatchObject({
      buy_rate: 16_150,
      sell_rate: 16_350,
    });
    expect(await client.call('fx-rate.php?from_currency=USD&to_currency=THB')).toMatchObject({
      code: 'NOT_ALLOWED',
    });
  });
});
