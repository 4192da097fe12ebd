import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { ProductReadsService } from '../../src/catalog/product-reads.service.js';
import { SupplierSyncService } from '../../src/catalog/supplier-sync.service.js';
import { SuppliersService } from '../../src/suppliers/suppliers.service.js';
import { RoutingScene } from '../routing/routing-scene.js';
import { SeagmBench, SECRET_KEY, UID, type Json, type SeagmClient } from '../simulators/seagm-client.js';
import { eventually } from '../support/eventually.js';
import { unique } from '../support/stack.js';

const bench = new SeagmBench();
let scene: RoutingScene;
let vendor: SeagmClient;
let code: string;

beforeAll(async () => {
  scene = await RoutingScene.open({ SUPPLIER_SYNC_INTERVAL_MS: '0' });
});

beforeEach(async () => {
  code = unique('seagm');
  vendor = await bench.start();
  await scene.stack.api.get(SuppliersService).set({
    code,
    adapter: 'seagm',
    baseUrl: vendor.url,
    credentials: { uid: UID, secret_key: SECRET_KEY },
  });
});

afterAll(async () => {
  await scene.close();
  await bench.clear();
});

const sync = (): ReturnType<SupplierSyncService['sync']> =>
  scene.stack.api.get(SupplierSyncService).sync(code, { force: true });

const products = (): Promise<Json[]> => scene.commandLine.json<Json[]>('supplier', 'products', code);

const costOf = async (supplierSku: string): Promise<unknown> =>
  (await products()).find(({ supplier_sku }) => supplier_sku === supplierSku)?.cost;

describe('The catalogue of SEAGM', () => {
  it('has top-ups and cards, with exact costs and the names of their fields', async () => {
    expect(await sync()).toMatchObject({ seen: 5, added: 5, refusal: null });
    const listed = await products();
    expect(
      listed.map(({ supplier_sku, cost, currency, available }) => [supplier_sku, cost, currency, available]),
    ).toEqual(
      expect.arrayContaining([
        ['6401', '4.35', 'MYR', true],
        ['6402', '12.995', 'MYR', true],
        ['6351', '5.7001', 'MYR', true],
        ['card:901', '9.8', 'MYR', true],
        ['card:902', '19.6', 'MYR', true],
      ]),
    );
    const [notes] = await scene.stack.sql<{ note: string }>(
      `SELECT note FROM supplier_products p JOIN suppliers s ON s.id = p.supplier_id WHERE s.code = $1 AND sku = '6351'`,
      [code],
    );
    expect(notes?.note).toBe('fields: userid, serverid');
  });

  it('is refused as a whole if one of its lists fails', async () => {
    await vendor.sim('rules', { match: { call: 'types' }, http: 500 });
    expect(await sync()).toMatchObject({ added: 0, refusal: { kind: 'unavailable' } });
    expect(await products()).toEqual([]);
    expect((await sync()).refusal).toBeNull();
  });

  it('marks products as not sellable once the supplier no longer lists them', async () => {
    await sync();
    await vendor.sim('account', { remove_types: [6402] });
    expect(await sync()).toMatchObject({ seen: 4, removed: 1, refusal: null });
    expect((await products()).find(({ supplier_sku }) => supplier_sku === '6402')).toMatchObject({
      available: false,
    });
  });

  it('is read within our own gap without accepting that it shrank, which is accepted down to a number', async () => {
    const syncs = scene.stack.api.get(SupplierSyncService);
    await sync();
    await vendor.sim('account', { remove_types: [6401, 6402] });
    expect(await syncs.sync(code, { accept: ['shrunk'] })).toMatchObject({ refusal: { kind: 'too_soon' } });
    const shrunk = { kind: 'shrunk', what: 'listed', before: 5, now: 3 };
    const seen = { accept: ['too_soon'] } as const;
    expect(await syncs.sync(code, { ...seen, atLeast: 4 })).toMatchObject({ removed: 0, refusal: shrunk });
    expect(await syncs.sync(code, { ...seen, atLeast: 3 })).toMatchObject({ removed: 2, refusal: null });
  });

  it('can be read for one product', async () => {
    await sync();
    await vendor.sim('account', { types: [{ id: 6401, unit_price: '4.4001' }] });
    const [supplier] = await scene.stack.sql<{ id: number }>('SELECT id FROM suppliers WHERE code = $1', [code]);
    await scene.stack.api.get(ProductReadsService).mark(supplier?.id ?? 0, ['6401', 'card:901']);
    await eventually(
      () => costOf('6401'),
      (cost) => cost === '4.4001',
    );
    expect(await costOf('card:901')).toBe('9.8');
  });
});

describe('The operator of an account at SEAGM', () => {
  it('can test it, and query the balance in its own currency', async () => {
    expect(await scene.commandLine.json('supplier', 'test', code)).toMatchObject({ ok: true });
    expect(await scene.commandLine.json('supplier', 'balance', code)).toMatchObject([
      { code, amount: '10000', currency: 'MYR' },
    ]);
  });

  it('sees when the supplier refuses the key', async () => {
    await vendor.sim('account', { secret_key: 'another' });
    const { code: exit, stdout } = await scene.commandLine.run('supplier', 'test', code, '--json');
    expect(exit).toBe(1);
    expect(stdout).toContain('refuses our credentials');
  });
});
