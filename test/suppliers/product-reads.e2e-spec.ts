import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { SupplierSyncService } from '../../src/catalog/supplier-sync.service.js';
import { SuppliersService } from '../../src/suppliers/suppliers.service.js';
import { RoutingScene } from '../routing/routing-scene.js';
import type { DigiflazzClient, Json } from '../simulators/digiflazz-client.js';
import { eventually } from '../support/eventually.js';

let scene: RoutingScene;
let vendor: DigiflazzClient;
let code = '';
let vendors = 0;

beforeAll(async () => {
  scene = await RoutingScene.open({ SUPPLIER_SYNC_INTERVAL_MS: '0' });
});

beforeEach(async () => {
  vendors++;
  code = `digi-${vendors}`;
  vendor = await scene.vendor(code);
});

afterAll(() => scene.close());

const priceOf = (sku: string, price: number): Promise<Json> =>
  vendor.sim('account', { products: [{ buyer_sku_code: sku, price }] });

const costs = (): Promise<{ supplier_sku: string; cost: bigint }[]> =>
  scene.stack.sql(
    `SELECT supplier_sku, cost_micros / 1000000 AS cost FROM supplier_offers o JOIN suppliers s ON s.id = o.supplier_id
     WHERE s.code = $1 ORDER BY 1`,
    [code],
  );

/** The SKUs of the readings that the supplier got. */
async function asked(): Promise<unknown[]> {
  const journal = await vendor.sim<Json[]>('journal');
  return journal
    .filter(({ path }) => path === '/v1/price-list')
    .map(({ body }) => (JSON.parse(body as string) as Json).code ?? 'all');
}

const marks = (): Promise<object[]> => scene.stack.sql('SELECT * FROM supplier_product_reads');

describe('a price that the supplier refuses', () => {
  it('fails the unit and causes a reading of that SKU only, so that the next unit is bought', async () => {
    const sku = await scene.product({ supplier: code, supplierSku: 'ml86', cost: 20_000 });
    await scene.product({ supplier: code, supplierSku: 'ml172', cost: 1 });
    await priceOf('ml86', 30_000);
    const refused = await scene.orderWith(await scene.order(sku), 'failed');
    expect(refused.failure_code).toBe('PRODUCT_UNAVAILABLE');
    expect(await scene.attempts(refused)).toHaveLength(1);
    await eventually(costs, (all) => all.some(({ cost }) => cost === 30_000n));
    expect(await costs()).toEqual([
      { supplier_sku: 'ml172', cost: 1n },
      { supplier_sku: 'ml86', cost: 30_000n },
    ]);
    expect(await asked()).toEqual(['ml86']);
    expect(await marks()).toEqual([]);
    await scene.orderWith(await scene.order(sku), 'completed');
  });

  it('causes another reading a minute later if the first one failed', async () => {
    const sku = await scene.product({ supplier: code, supplierSku: 'ml86', cost: 20_000 });
    await priceOf('ml86', 30_000);
    await vendor.sim('rules', { match: { call: 'price-list' }, http: 500 });
    await scene.orderWith(await scene.order(sku), 'failed');
    await eventually(asked, ({ length }) => length === 1);
    const dueInS = `extract(epoch FROM due_at - asked_at)::float8 AS due_in_s`;
    const [mark] = await scene.stack.sql<{ due_in_s: number }>(`SELECT ${dueInS} FROM supplier_product_reads`);
    expect(mark?.due_in_s).toBeGreaterThan(50);
    await scene.stack.sql('UPDATE supplier_product_reads SET due_at = now()');
    await eventually(costs, (all) => all.some(({ cost }) => cost === 30_000n));
  });

  it('marks the SKU as not sellable if the supplier no longer lists it', async () => {
    const syncs = scene.stack.api.get(SupplierSyncService);
    expect((await syncs.sync(code)).refusal).toBeNull();
    const sku = await scene.product({ supplier: code, supplierSku: 'ml86', cost: 10_000 });
    await vendor.sim('rules', { match: { call: 'price-list' }, list: 'empty' });
    await scene.orderWith(await scene.order(sku), 'failed');
    const sold = async (): Promise<unknown> =>
      (
        await scene.stack.sql<{ sellable: boolean }>(
          `SELECT sellable FROM supplier_products c JOIN suppliers s ON s.id = c.supplier_id
           WHERE s.code = $1 AND sku = 'ml86'`,
          [code],
        )
      )[0]?.sellable;
    await eventually(sold, (sellable) => sellable === false);
    expect(await marks()).toEqual([]);
  });
});

describe('the refusal of a reading for our credentials', () => {
  const WRONG = { key: 'not-the-key' };
  const paused = async (): Promise<string | null> =>
    (await scene.stack.api.get(SuppliersService).getByCode(code)).pause_reason;

  it('pauses the supplier, like the refusal of a purchase', async () => {
    const sku = await scene.product({ supplier: code, supplierSku: 'ml86', cost: 10_000 });
    await vendor.sim('rules', { match: { call: 'price-list' }, rc: '41' });
    await scene.orderWith(await scene.order(sku), 'failed');
    await eventually(paused, (reason) => reason === 'credentials');
  });

  it('pauses it also for a whole catalogue, but not in a dry run', async () => {
    const settings = { code, adapter: 'digiflazz', baseUrl: `${vendor.url}/v1`, credentials: WRONG };
    await scene.stack.api.get(SuppliersService).set(settings);
    const syncs = scene.stack.api.get(SupplierSyncService);
    const again = (): Promise<unknown> => scene.stack.sql('UPDATE suppliers SET catalogue_read_at = NULL');
    await syncs.sync(code, { dryRun: true });
    expect(await paused()).toBeNull();
    await again();
    const { refusal } = await syncs.sync(code);
    expect(refusal).toMatchObject({ kind: 'unavailable' });
    expect(await paused()).toBe('credentials');
  });
});
