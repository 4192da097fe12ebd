import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { ProductsService } from '../../src/catalog/products.service.js';
import { SupplierSyncService } from '../../src/catalog/supplier-sync.service.js';
import { endedAtLapakgaming, WITHOUT_ZONE } from '../routing/lapakgaming-scene.js';
import { RoutingScene } from '../routing/routing-scene.js';
import type { Json, LapakgamingClient } from '../simulators/lapakgaming-client.js';
import { eventually } from '../support/eventually.js';
import { unique } from '../support/stack.js';

const SKU = 'ML78_8-S2';
const PRICE = 16_560;
let scene: RoutingScene;
let vendor: LapakgamingClient;
let code: string;

beforeAll(async () => {
  scene = await RoutingScene.open({ SUPPLIER_SYNC_INTERVAL_MS: '0' });
});

beforeEach(async () => {
  code = unique('lapak');
  vendor = await scene.lapakgaming(code, {}, WITHOUT_ZONE);
});

afterAll(() => scene.close());

/** The readings of products: the SKU of each, or `all`. */
async function read(): Promise<unknown[]> {
  const journal = await vendor.sim<Json[]>('journal');
  const skuIn = ({ query }: Json): unknown => new URLSearchParams(query as string).get('product_code');
  return journal.flatMap((entry) => {
    if (entry.call === 'all-products') return ['all'];
    return entry.call === 'product' ? [skuIn(entry)] : [];
  });
}

const costOf = async (supplierSku: string): Promise<bigint | undefined> =>
  (
    await scene.stack.sql<{ cost: bigint }>(
      `SELECT cost_micros / 1000000 AS cost FROM supplier_offers o JOIN suppliers s ON s.id = o.supplier_id
       WHERE s.code = $1 AND o.supplier_sku = $2`,
      [code, supplierSku],
    )
  )[0]?.cost;

const costs = (supplierSku: string, price: number): Promise<unknown> =>
  eventually(
    () => costOf(supplierSku),
    (cost) => cost === BigInt(price),
  );

describe('A stored price that Lapakgaming refuses', () => {
  it.each([
    ['fell', PRICE, 12_000],
    ['rose', PRICE, 18_000],
    ['is far from 999999', 999_999, PRICE],
  ])('because it %s causes a reading of that SKU, and the next order is bought', async (_how, cost, price) => {
    const sku = await scene.product({ supplier: code, supplierSku: SKU, cost });
    // The merchant's price covers each of these costs.
    await scene.stack.api.get(ProductsService).set({ sku, price: 500_000n });
    await vendor.sim('account', { products: [{ code: SKU, price }] });
    const refused = await scene.orderWith(await scene.order(sku), 'failed');
    expect(refused.failure_code).toBe('PRODUCT_UNAVAILABLE');
    const [sent] = await vendor.journal(await scene.reference(refused));
    expect(sent).toMatchObject({ price: cost, code: 'PRICE_NOT_MATCH' });
    await costs(SKU, price);
    expect(await read()).toEqual([SKU]);

    const order = await scene.order(sku);
    await endedAtLapakgaming(scene, vendor, order);
    await scene.orderWith(order, 'completed');
    expect(await scene.attempts(order)).toMatchObject([{ state: 'succeeded', cost: `${price}` }]);
  });
});

describe('A callback about a product', () => {
  it('causes a reading of that SKU only', async () => {
    for (const supplierSku of [SKU, 'FF70-S1']) await scene.product({ supplier: code, supplierSku, cost: 1 });
    await vendor.sim('account', { product_callback_url: await scene.callbackUrl(code) });
    await vendor.sim('account', { products: [{ code: SKU, price: 17_000 }] });
    await costs(SKU, 17_000);
    expect(await read()).toEqual([SKU]);
    expect(await costOf('FF70-S1')).toBe(1n);
  });

  it('changes nothing by itself: the service uses only what it reads', async () => {
    await scene.product({ supplier: code, supplierSku: SKU, cost: 1 });
    const url = await scene.callbackUrl(code);
    await vendor.sim('product-callbacks', { code: SKU, url, set: { price: 5, status: 'empty' } });
    await costs(SKU, PRICE);
    expect(await read()).toEqual([SKU]);
  });
});

describe('The list of all products', () => {
  const sync = (): ReturnType<SupplierSyncService['sync']> =>
    scene.stack.api.get(SupplierSyncService).sync(code, { force: true });

  it('may be larger than other answers', async () => {
    await vendor.sim('account', { made_up_products: 5_600 });
    const size = (await (await vendor.send('all-products')).arrayBuffer()).byteLength;
    expect(size).toBeGreaterThan(800_000);
    await scene.product({ supplier: code, supplierSku: SKU, cost: 1 });
    const { seen, added, refusal } = await sync();
    expect(refusal).toBeNull();
    expect(seen).toBeGreaterThan(5_600);
    expect(added).toBe(seen);
    await costs(SKU, PRICE);
  });

  it.each<[string, Json, Json]>([
    ['cut short', { body: 'truncated' }, { kind: 'unavailable' }],
    ['broken off', { drop: 'mid_body' }, { kind: 'unavailable' }],
    ['a page', { body: 'html' }, { kind: 'unavailable' }],
    ['empty', { list: 'empty' }, { kind: 'empty' }],
  ])('changes nothing if it is %s', async (_how, rule, refusal) => {
    await vendor.sim('account', { made_up_products: 5_600 });
    await scene.product({ supplier: code, supplierSku: SKU, cost: 1 });
    await vendor.sim('rules', { match: { call: 'all-products' }, ...rule });
    expect(await sync()).toMatchObject({ added: 0, removed: 0, refusal });
    expect(await costOf(SKU)).toBe(1n);
    expect((await sync()).refusal).toBeNull();
    await costs(SKU, PRICE);
  });
});

describe('The operator', () => {
  it('can test the supplier and query the balance', async () => {
    expect(await scene.commandLine.json('supplier', 'test', code)).toMatchObject({ ok: true });
    expect(await read()).toEqual(['probe']);
    const balance = (): Promise<Json[]> => scene.commandLine.json<Json[]>('supplier', 'balance', code);
    expect(await balance()).toMatchObject([{ code, amount: '10000000', currency: 'IDR' }]);
    await vendor.order('A1', { price: PRICE });
    expect(await balance()).toMatchObject([{ amount: `${10_000_000 - PRICE}` }]);
  });

  it('sees when the supplier refuses the key or the address', async () => {
    await vendor.sim('account', { allow_list: [] });
    const { code: exit, stdout } = await scene.commandLine.run('supplier', 'test', code, '--json');
    expect(exit).toBe(1);
    expect(stdout).toMatch(/refuses our credentials \(.*our key or our address/);
    const { code: failed, stderr } = await scene.commandLine.run('supplier', 'balance', code, '--json');
    expect(failed).toBe(1);
    expect(stderr).toContain('refuses our credentials');
  });
});
