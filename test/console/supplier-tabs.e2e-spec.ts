import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ProductsService } from '../../src/catalog/products.service.js';
import { LIST_UNDECIDED } from '../../src/support/undecided-calls.repository.js';
import { eventually } from '../support/eventually.js';
import { refused } from '../support/fake-supplier.js';
import { unique } from '../support/stack.js';
import { untilDone } from '../support/until-served.js';
import type { Offer } from './catalogue.js';
import type { TestOperator } from './console-stack.js';
import { startScene, type Scene } from './scene.js';
import { addCatalogued } from './supplier-scene.js';

interface Page<Row> {
  data: Row[];
  next_cursor: string | null;
}
interface Item {
  supplier_sku: string;
  mapped_to: string | null;
  is_new: boolean;
  gone_at: string | null;
  cost: string | null;
}

let scene: Scene;
let admin: TestOperator;
beforeAll(async () => {
  scene = await startScene();
  admin = await scene.console.signedIn('admin');
  await addCatalogued(scene, admin);
});
afterAll(() => scene.close());

describe('the catalogue of a supplier', () => {
  const items = async (query = ''): Promise<Item[]> =>
    (await admin.browser.get<Page<Item>>(`/api/suppliers/digi/products${query}`)).body.data;

  it('shows the changes of the last reading', async () => {
    const found = await items();
    expect(found.map(({ supplier_sku, is_new, gone_at }) => [supplier_sku, is_new, gone_at !== null])).toEqual([
      ['ML-172', false, false],
      ['ML-257', true, false],
      ['ML-86', false, false],
      ['PUBG-60', false, true],
    ]);
  });

  it('shows as new what the last sync found, although workers read a SKU alone afterwards', async () => {
    await scene.console.sql(`UPDATE supplier_products SET last_seen_at = now() WHERE sku = 'ML-86'`);
    const isNew = (await items()).filter(({ is_new }) => is_new);
    expect(isNew.map(({ supplier_sku }) => supplier_sku)).toEqual(['ML-257']);
  });

  it('is read within a gap of ours only if the operator accepts that', async () => {
    const { status } = await admin.browser.send('PUT', '/api/suppliers/seagm', {
      adapter: 'seagm',
      base_url: 'http://127.0.0.1:9',
      timeout_ms: 5_000,
      credentials: { uid: 'shop', secret_key: 'dev-4711' },
      expected_updated_at: null,
    });
    expect(status).toBe(200);
    await scene.console.sql(`UPDATE suppliers SET catalogue_read_at = now() WHERE code = 'seagm'`);
    const refusal = async (accept?: string[]): Promise<object> => {
      const body = { dry_run: true, accept };
      return (await admin.browser.post<{ refusal: object }>('/api/suppliers/seagm/sync', body)).body.refusal;
    };
    const tooSoon = { kind: 'too_soon', can_be_forced: true };
    expect([await refusal(), await refusal(['shrunk'])]).toMatchObject([tooSoon, tooSoon]);
    // The call is made, and nothing listens there.
    expect(await refusal(['too_soon', 'shrunk'])).toMatchObject({ kind: 'unavailable' });
  });

  it('adds an offer with its cost to a product of ours, once', async () => {
    const { sku, console } = scene;
    const catalog = await console.signedIn('catalog');
    const map = () =>
      catalog.browser.send<{ offer_list: Offer[] }>('PUT', '/api/offers', {
        sku,
        supplier: 'digi',
        supplier_sku: 'ML-86',
        priority: 2,
        expected_updated_at: null,
      });
    expect((await items('?unmapped=true')).map(({ supplier_sku }) => supplier_sku)).toContain('ML-86');
    const { status, body } = await map();
    expect([status, body.offer_list]).toMatchObject([
      200,
      [{ in_use: true }, { supplier_sku: 'ML-86', cost: null, in_use: false }],
    ]);
    expect((await items()).find(({ supplier_sku }) => supplier_sku === 'ML-86')?.mapped_to).toBe(sku);
    const offers = await admin.browser.get<Page<Offer>>('/api/offers?supplier=digi');
    expect(offers.body.data).toMatchObject([{ supplier_sku: 'ML-86', cost: '20000', currency: 'IDR' }]);
    expect((await map()).status).toBe(409);
  });
});

describe('the offers of a supplier', () => {
  it('have pages, and are found by a part of either SKU', async () => {
    const products = scene.console.app.get(ProductsService);
    for (let number = 0; number < 102; number += 1) {
      const sku = `PAGED-${String(number).padStart(3, '0')}`;
      const product = { sku, name: sku, price: 3_500n, supplier: 'digi', supplierSku: `theirs-${number}` };
      await untilDone(() => products.set(product));
    }
    const page = async (query: string): Promise<Page<Offer & { sku: string }>> =>
      (await admin.browser.get<Page<Offer & { sku: string }>>(`/api/offers?supplier=digi&${query}`)).body;
    const first = await page('q=paged');
    const second = await page(`q=paged&cursor=${first.next_cursor}`);
    expect([first.data.length, second.data.length, second.next_cursor]).toEqual([100, 2, null]);
    expect(new Set([...first.data, ...second.data].map(({ sku }) => sku)).size).toBe(102);
    expect((await page('q=THEIRS-101')).data).toMatchObject([{ sku: 'PAGED-101', in_use: true }]);
    expect((await admin.browser.get('/api/offers?supplier=digi&cursor=nonsense')).status).toBe(400);
  });
});

describe('calls without a definite outcome', () => {
  it('are listed with their unit and their answer, the latest first', async () => {
    const { stack, merchant, sku } = scene;
    const user = unique('doubtful');
    stack.supplier.script(user, () => ({ status: 500, body: {} }));
    const order = await stack.order(merchant, [{ sku }], user);
    const { body } = await eventually(
      () => admin.browser.get<{ data: { order_number: string }[]; among: number }>('/api/suppliers/fake/calls'),
      ({ body: { data } }) => data.length > 0,
    );
    expect(body.among).toBe(10_000);
    // An inquiry may have failed meanwhile, too.
    expect(body.data.at(-1)).toMatchObject({ order_number: order.order_number, unit: '1.1', outcome: 'unknown' });
    expect((await admin.browser.get('/api/suppliers/digi/calls')).body).toMatchObject({ data: [] });
    stack.supplier.script(user, ({ reference }) => refused(reference, 'OUT_OF_STOCK', 'Sold out'));
    await stack.orderWith(merchant, order.reference_id, 'failed');
  });
});

describe('the audit log of a supplier', () => {
  it('has the entries about it and its offers, and no others', async () => {
    await admin.browser.post('/api/suppliers/fake/pause', { reason: 'not this one' });
    await admin.browser.send('DELETE', '/api/suppliers/fake/pause');
    const { body } = await admin.browser.get<Page<{ action: string }>>('/api/log?supplier=digi');
    expect(body.data.map(({ action }) => action)).toEqual(['offer.set', 'supplier.set']);
  });

  it.each([
    ['calls', LIST_UNDECIDED.text, 'pk_supplier_calls'],
    [
      'what was done',
      `SELECT id FROM operator_actions WHERE action IN ('supplier.set', 'offer.set')
         AND coalesce(detail ->> 'code', detail ->> 'supplier') = $1 ORDER BY id DESC LIMIT 51`,
      'ix_operator_actions_supplier',
    ],
  ])('finds %s by index', async (_what, text, index) => {
    const rows = await scene.console.sql<{ 'QUERY PLAN': string }>(`EXPLAIN (GENERIC_PLAN) ${text}`);
    const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
    expect(plan).toContain(index);
    expect(plan).not.toContain('Seq Scan');
  });
});
