import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { FxRatesService } from '../../src/catalog/fx-rates.service.js';
import { SOLD_BY_DAY, SOLD_TODAY } from '../../src/support/product-sales.repository.js';
import { NOON_ZONE } from '../support/days.js';
import type { Answer, ErrorBody } from '../support/http.js';
import { eventually } from '../support/eventually.js';
import { holding } from '../support/locks.js';
import { unique } from '../support/stack.js';
import { Catalogue, type Offer, type Product } from './catalogue.js';
import type { TestOperator } from './console-stack.js';
import { startScene, type Scene } from './scene.js';

let scene: Scene;
let admin: TestOperator;
let catalog: TestOperator;
let catalogue: Catalogue;
beforeAll(async () => {
  scene = await startScene({ CONSOLE_TIMEZONE: NOON_ZONE });
  admin = await scene.console.signedIn('admin');
  catalog = await scene.console.signedIn('catalog');
  catalogue = new Catalogue(scene, admin);
});
afterAll(() => scene.close());

describe('a query of the pages on a large table', () => {
  it.each([
    ['what was sold today', SOLD_TODAY, 'pk_order_items'],
    ['what was sold of a product', SOLD_BY_DAY, 'ix_order_items_sku'],
  ])('uses an index: %s', async (_what, { text }, index) => {
    const rows = await scene.console.sql<{ 'QUERY PLAN': string }>(`EXPLAIN (GENERIC_PLAN) ${text}`);
    const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
    expect(plan).toContain(index);
    expect(plan).not.toMatch(/Seq Scan on (orders|order_items)/);
  });
});

describe('products', () => {
  it('are listed by SKU in pages, and filtered, with costs only for operators with the permission', async () => {
    const mark = unique('list');
    const skus = [`${mark}-a`, `${mark}-b`, `${mark}-c`];
    for (const sku of skus) await scene.stack.product('35.00', { sku, active: sku !== skus[1] });
    await catalogue.costs(skus[0] ?? '', 30);
    const get = async (query: string, who = admin) =>
      (await who.browser.get<{ data: Product[]; next_cursor: string | null }>(`/api/products?q=${mark}&${query}`)).body;
    const first = await get('limit=2');
    const second = await get(`limit=2&cursor=${first.next_cursor}`);
    expect([...first.data, ...second.data].map(({ sku }) => sku)).toEqual(skus);
    expect(second.next_cursor).toBeNull();
    expect((await get('active=false')).data.map(({ sku }) => sku)).toEqual([skus[1]]);
    expect((await get('supplier=fake')).data).toHaveLength(3);
    expect((await get('supplier=nobody')).data).toHaveLength(0);
    expect(first.data[0]).toMatchObject({
      cost_baht: '30.00',
      margin_baht: '5.00',
      routable: true,
      sold_today: 0,
    });
    expect((await get('', catalog)).data[0]).toMatchObject({
      cost_baht: null,
      margin_baht: null,
      routable: true,
    });
  });

  it('are exported in the format of an import', async () => {
    const sku = await scene.stack.product('12.00', { name: '=1+1 "quoted"' });
    const { body } = await admin.browser.get<string>(`/api/products.csv?q=${sku}`);
    expect(body.split('\n')).toHaveLength(3);
    const { body: preview } = await catalogue.send('/api/products/import/preview', body);
    expect(preview).toMatchObject({ added: 0, changed: 0, unchanged: 1, problems: [] });
  });

  it('are added, changed and taken off sale, each with one entry in the audit log', async () => {
    const sku = unique('new / ü');
    const before = await catalogue.entries();
    expect((await catalogue.set(sku, { name: 'New' })).status).toBe(400);
    const added = await catalogue.set(sku, { name: 'New', price: '10.00', supplier: 'fake' });
    expect(added.status).toBe(200);
    expect((await catalogue.set(sku, { name: 'New', price: '11.00' })).status).toBe(409);
    const { updated_at: at } = added.body;
    const changed = await catalogue.set(sku, { price: '12.00', expected_updated_at: at });
    expect(changed.body).toMatchObject({ price: '12.00', name: 'New' });
    const late = await catalogue.set(sku, { price: '13.00', expected_updated_at: at });
    expect([late.status, late.body.message]).toEqual([409, 'the product changed meanwhile']);
    const off = await catalogue.set(sku, {
      active: false,
      reason: 'gone',
      expected_updated_at: changed.body.updated_at,
    });
    expect(off.body.active).toBe(false);
    expect((await catalogue.entries()) - before).toBe(3);
    const { data, own_only: ownOnly } = await catalogue.history(sku);
    expect(ownOnly).toBe(false);
    expect(data).toMatchObject([
      {
        action: 'product.set',
        operator: admin.email,
        reason: 'gone',
        changes: [{ member: 'active', old: 'true', new: 'false' }],
      },
      { changes: [{ member: 'price', old: '10.00', new: '12.00' }] },
      { action: 'product.set', changes: expect.arrayContaining([{ member: 'supplier', old: null, new: 'fake' }]) },
    ]);
    expect((await catalogue.history(sku, catalog)).data).toEqual([]);
  });

  it('show the old price in their history when a merchant’s own price is set or cleared', async () => {
    const { stack, merchant } = scene;
    const sku = await stack.product('35.00');
    const url = `/api/merchants/${merchant.id}/prices/${sku}`;
    for (const price of ['31.00', '30.00']) expect((await admin.browser.send('PUT', url, { price })).status).toBe(200);
    expect((await admin.browser.send('DELETE', url)).status).toBe(200);
    expect((await catalogue.history(sku)).data).toMatchObject([
      { action: 'price.clear', changes: [{ member: 'price', old: '30.00', new: null }] },
      { action: 'price.set', changes: [{ member: 'price', old: '31.00', new: '30.00' }] },
      { action: 'price.set', changes: [{ member: 'price', old: null, new: '31.00' }] },
    ]);
  });

  it('show merchants with lower prices, and the sales of thirty days', async () => {
    const { stack, merchant } = scene;
    const sku = await stack.product('20.00');
    await catalogue.send('/api/prices/import/preview', `merchant_id,sku,price\n${merchant.id},${sku},18.00`);
    const order = await stack.order(merchant, [{ sku, quantity: 3 }]);
    await stack.orderWith(merchant, order.reference_id, 'completed');
    const { body } = await admin.browser.get<{ days: { sold: number; failed: number; revenue: string }[] }>(
      `/api/products/${sku}/sales`,
    );
    expect(body.days).toHaveLength(30);
    expect(body.days.at(-1)).toMatchObject({ sold: 3, failed: 0, revenue: '60.00' });
    expect(body.days.slice(0, -1).every(({ sold }) => sold === 0)).toBe(true);
  });
});

describe('offers', () => {
  it('are set only if they are still as shown, otherwise 409; costs stay hidden', async () => {
    const sku = await scene.stack.product('35.00');
    const put = (body: object, who = admin): Promise<Answer<Product & ErrorBody>> =>
      who.browser.send('PUT', '/api/offers', { sku, supplier: 'fake', ...body });
    const added = await put({
      supplier_sku: 'second',
      priority: 2,
      cost: '20',
      currency: 'THB',
      guard_percent: '7.5',
    });
    expect(added.body.offer_list).toMatchObject([
      { supplier_sku: sku, in_use: true },
      {
        supplier_sku: 'second',
        cost: '20',
        margin_baht: '15.00',
        guard_percent: 7.5,
        routable: true,
        in_use: false,
      },
    ]);
    expect((await put({ supplier_sku: 'second', priority: 3 })).status).toBe(409);
    const [first] = added.body.offer_list;
    const off = {
      supplier_sku: sku,
      active: false,
      reason: 'too dear',
      expected_updated_at: first?.updated_at,
    };
    const wrong = await put({ ...off, expected_routable: 0 });
    expect([wrong.status, wrong.body.message]).toEqual([409, 'the offers of the product changed meanwhile']);
    const done = await put({ ...off, expected_routable: 1 }, catalog);
    expect(done.status).toBe(200);
    expect(done.body.offer_list).toMatchObject([
      { why_not: 'it is off: too dear' },
      { in_use: true, cost: null, margin_baht: null },
    ]);
    expect((await catalogue.history(sku, catalog)).data).toMatchObject([
      { action: 'offer.set', supplier: 'fake', reason: 'too dear' },
    ]);
    const gone = await admin.browser.send<Product>(
      'DELETE',
      `/api/offers?sku=${sku}&supplier=fake&supplier_sku=second`,
    );
    expect(gone.body.offer_list).toHaveLength(1);
    const { body } = await admin.browser.get<{ data: Offer[] }>(`/api/offers?sku=${sku}`);
    expect(body.data).toMatchObject([{ supplier_sku: sku, routable: false, in_use: false }]);
  });
});

describe('exchange rates', () => {
  it('are set after a preview of the products below cost', async () => {
    await scene.console.app.get(FxRatesService).set('IDR', '0.0020');
    const sku = await scene.stack.product('35.00');
    const cost = {
      cost: '16000',
      currency: 'IDR',
      expected_updated_at: (await catalogue.product(sku)).offer_list[0]?.updated_at,
    };
    await admin.browser.send('PUT', '/api/offers', { sku, supplier: 'fake', supplier_sku: sku, ...cost });
    const finance = await scene.console.signedIn('finance');
    const preview = async (rate: string) =>
      (
        await finance.browser.post<{
          version: string;
          before: string;
          products: number;
          below_cost: number;
          effects: object[];
        }>('/api/fx/IDR/preview', { rate })
      ).body;
    const seen = await preview('0.0022');
    expect(seen).toMatchObject({ before: '0.002', products: 1, below_cost: 1 });
    expect(seen.effects).toMatchObject([
      {
        sku,
        price: '35.00',
        cost_before: '32.00',
        cost_after: '35.20',
        margin_after: '-0.20',
        below_cost: true,
      },
    ]);
    const put = (body: object) => finance.browser.send<{ data: object[] } & ErrorBody>('PUT', '/api/fx/IDR', body);
    expect((await put({ rate: '0.0021', version: seen.version })).status).toBe(409);
    const before = await catalogue.entries();
    const { status, body } = await put({ rate: '0.0022', version: seen.version, reason: 'the bank' });
    expect([status, body.data]).toEqual([
      200,
      [expect.objectContaining({ currency: 'IDR', rate: '0.0022', is_fresh: true, products: 1 })],
    ]);
    expect((await catalogue.entries()) - before).toBe(1);
    expect((await put({ rate: '0.0022', version: seen.version })).status).toBe(409);
    expect((await finance.browser.post('/api/fx/THB/preview', { rate: '2' })).status).toBe(400);
  });

  it('are set by one of two operators who confirm at once what both have seen', async () => {
    await scene.console.app.get(FxRatesService).set('MYR', '7.5');
    const set = async (rate: string): Promise<number> => {
      const { body } = await admin.browser.post<{ version: string }>('/api/fx/MYR/preview', { rate });
      const { status } = await admin.browser.send('PUT', '/api/fx/MYR', { rate, version: body.version });
      return status;
    };
    const sent: Promise<number>[] = [];
    await holding(scene.console, 'fx_rates', async () => {
      sent.push(set('7.6'), set('7.7'));
      await eventually(
        () =>
          scene.console.sql(
            `SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()
               AND (query LIKE '%INSERT INTO fx_rates%' OR query LIKE '%hashtext(''fx_rates'')%')`,
          ),
        ({ length }) => length >= 2,
      );
    });
    expect((await Promise.all(sent)).toSorted((one, another) => one - another)).toEqual([200, 409]);
  });
});
