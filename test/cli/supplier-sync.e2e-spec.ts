import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { HOUR_MS, MINUTE_MS } from '../../src/core/durations.js';
import { DigiflazzBench, KEYS, USERNAME, type DigiflazzClient, type Json } from '../simulators/digiflazz-client.js';
import type { CommandLine } from './command-line.js';
import { SupplierScene } from './supplier-scene.js';

const bench = new DigiflazzBench();
let scene: SupplierScene;
let commandLine: CommandLine;
let client: DigiflazzClient;

beforeAll(async () => {
  scene = await SupplierScene.open();
  ({ commandLine } = scene);
  await commandLine.json('fx', 'set', '--currency', 'IDR', '--rate', '0.0021');
});

afterAll(() => scene.close());

beforeEach(async () => {
  await scene.client.query('DELETE FROM supplier_offers');
  await scene.begin();
  client = await bench.start();
  await setSupplier();
});

afterEach(async () => {
  await scene.end();
  await bench.clear();
});

function setSupplier(key = KEYS.production): Promise<Json> {
  const values = [`username=${USERNAME}`, `key=${key}`, 'webhook_secret=hook-secret-1'];
  const credentials = values.flatMap((value) => ['--credential', value]);
  const at = ['--base-url', `${client.url}/v1`];
  return commandLine.json('supplier', 'set', '--code', 'digi', '--adapter', 'digiflazz', ...at, ...credentials);
}

/** The output and the exit code of a run. */
async function sync(...options: string[]): Promise<Json> {
  const { code, stdout } = await commandLine.run('supplier', 'sync', 'digi', ...options, '--json');
  return { exit: code, ...(JSON.parse(stdout) as Json) };
}

/** Moves the last whole reading back by six minutes, here and, by default, at the vendor. */
async function later(...options: string[]): Promise<Json> {
  await client.sim('clock', { advance: '6m' });
  return soonerThanAllowed(...options);
}

async function soonerThanAllowed(...options: string[]): Promise<Json> {
  await scene.client.query(`UPDATE suppliers SET catalogue_read_at = catalogue_read_at - interval '6 minutes'`);
  return sync(...options);
}

const nextList = (more: Json): Promise<Json> => client.sim('rules', { match: { call: 'price-list' }, ...more });

const change = (sku: string, more: Json): Promise<Json> =>
  client.sim('account', { products: [{ buyer_sku_code: sku, ...more }] });

const products = (...options: string[]): Promise<Json[]> =>
  commandLine.json<Json[]>('supplier', 'products', 'digi', ...options);

const product = async (sku: string): Promise<Json | undefined> =>
  (await products()).find(({ supplier_sku }) => supplier_sku === sku);

async function offer(supplierSku: string, sku = 'MLBB-86', ...options: string[]): Promise<void> {
  await commandLine.json('product', 'set', '--sku', sku, '--name', 'Diamonds', '--price', '50.00');
  const names = ['--sku', sku, '--supplier', 'digi', '--supplier-sku', supplierSku];
  await commandLine.json('offer', 'set', ...names, ...options);
}

const offers = (): Promise<Json[]> => commandLine.json<Json[]>('offer', 'list', '--supplier', 'digi');

const whyNot = async (): Promise<unknown> => (await offers())[0]?.why_not;

const nothing = { added: 0, removed: 0, price_changed: 0, availability_changed: 0 };
/** More millionths than a cost may have. */
const UNREADABLE_PRICE = Number.MAX_SAFE_INTEGER;

const UNCHANGED = { exit: 0, code: 'digi', seen: 10, ...nothing, refused: null };

describe('topup supplier sync', () => {
  it('stores the supplier’s catalogue', async () => {
    expect(await sync()).toEqual({ ...UNCHANGED, added: 10 });
    const ml86 = { supplier_sku: 'ml86', cost: '20000', currency: 'IDR', available: true, mapped_to: null };
    expect(await product('ml86')).toEqual({ ...ml86, name: expect.any(String), group: expect.any(String) });
    expect(await product('sold-out')).toMatchObject({ available: false });
    expect(await product('seller-off')).toMatchObject({ available: false });
    expect(await product('buyer-off')).toMatchObject({ available: false });
    expect(await later()).toEqual(UNCHANGED);
  });

  it('changes nothing if the supplier refuses it for too many requests', async () => {
    await sync();
    const before = await products();
    expect(await soonerThanAllowed()).toEqual({
      ...UNCHANGED,
      exit: 1,
      seen: 0,
      refused: expect.stringMatching(/^it wants fewer requests \(rc 83/),
    });
    expect(await products()).toEqual(before);
  });

  it('refuses an empty catalogue and half of one; --force and --at-least allow only the half', async () => {
    await sync();
    const before = await products();
    await nextList({ list: 'empty' });
    expect(await later('--force')).toEqual({ ...UNCHANGED, exit: 1, seen: 0, refused: 'it lists nothing' });
    await nextList({ list: 'half' });
    expect(await later()).toEqual({
      ...UNCHANGED,
      exit: 1,
      seen: 5,
      refused: 'it lists 5 SKUs and had 10, which is over 30 % fewer: --at-least 5 accepts it',
    });
    expect(await products()).toEqual(before);
    await nextList({ list: 'half' });
    expect(await later('--at-least', '6')).toMatchObject({ exit: 1, seen: 5, removed: 0 });
    await nextList({ list: 'half' });
    expect(await later('--dry-run', '--at-least', '5')).toMatchObject({ exit: 0, seen: 5, removed: 5, refused: null });
    await nextList({ list: 'half' });
    expect(await later('--force')).toMatchObject({ exit: 0, seen: 5, removed: 5, refused: null });
    expect((await products()).filter(({ available }) => available)).toHaveLength(5);
  });

  it('applies half of a catalogue with --at-least, as the audit log says, and takes no --force beside it', async () => {
    await sync();
    const both = ['supplier', 'sync', 'digi', '--at-least', '5', '--force'];
    await commandLine.refusedAll([[both, /'--at-least <count>' cannot be used with option '--force'/]]);
    await nextList({ list: 'half' });
    expect(await later('--at-least', '5')).toMatchObject({ exit: 0, removed: 5, refused: null });
    expect(await commandLine.json('log', '--action', 'supplier.sync', '--limit', '1')).toMatchObject([
      { detail: { removed: 5, force: false, at_least: 5 } },
    ]);
  });

  it('refuses a catalogue of which much is suddenly not sold', async () => {
    await sync();
    for (const sku of ['ml86', 'ml172', 'ff70']) await change(sku, { seller_product_status: false });
    expect(await later()).toMatchObject({
      exit: 1,
      seen: 10,
      refused: expect.stringMatching(/^it sells \d SKUs/),
    });
    expect(await product('ml86')).toMatchObject({ available: true });
    expect(await later('--force')).toEqual({ ...UNCHANGED, availability_changed: 3 });
  });

  it('sends no request within the supplier’s limit, even with --force and after a refused run', async () => {
    await nextList({ list: 'empty' });
    expect(await sync()).toMatchObject({ exit: 1 });
    const tooSoon = {
      ...UNCHANGED,
      exit: 1,
      seen: 0,
      refused: expect.stringMatching(/^it was requested at .*Z, and the supplier allows the next call at .*Z$/),
    };
    expect(await sync()).toEqual(tooSoon);
    expect(await sync('--force')).toEqual(tooSoon);
    expect(await sync('--dry-run')).toEqual(tooSoon);
    await setSupplier();
    expect(await sync()).toEqual(tooSoon);
    expect(await client.sim('journal')).toHaveLength(1);
  });

  it('sends one request if two runs start at the same time', async () => {
    const runs = await Promise.all([sync(), sync()]);
    expect(runs.map(({ exit }) => exit)).toEqual(expect.arrayContaining([0, 1]));
    expect(await client.sim('journal')).toHaveLength(1);
  });

  it('in a dry run, shows the changes and makes none', async () => {
    const logged = (): Promise<unknown> => commandLine.json('log', '--action', 'supplier.sync');
    const before = await logged();
    expect(await sync('--dry-run')).toEqual({ ...UNCHANGED, added: 10 });
    expect(await products()).toEqual([]);
    expect(await logged()).toEqual(before);
    expect(await later()).toEqual({ ...UNCHANGED, added: 10 });
  });

  it('is in the audit log with operator and reason', async () => {
    await sync('--reason', 'new prices');
    expect(await commandLine.json('log', '--action', 'supplier.sync', '--limit', '1')).toMatchObject([
      {
        operator: 'operator-1',
        reason: 'new prices',
        detail: { code: 'digi', seen: 10, added: 10, force: false },
      },
    ]);
  });

  it('refuses a supplier without a catalogue, and sends no request without its settings', async () => {
    await setSupplier('wrong');
    expect(await sync()).toMatchObject({
      exit: 1,
      refused: expect.stringMatching(/^it refuses our credentials/),
    });
    await commandLine.json(...scene.set('--credential', 'token=x'));
    await commandLine.refusedAll([
      [['supplier', 'sync', 'acme'], 'error: supplier acme: the adapter http reads no catalogue\n'],
      [['supplier', 'sync', 'nobody'], /there is no supplier nobody: topup supplier list/],
      [['supplier', 'products', 'nobody'], /there is no supplier nobody/],
    ]);
  });

  it('warns before it calls a supplier that bans us', async () => {
    const isBan = (ban: boolean): string =>
      ban
        ? `pause_reason = 'ban', paused_at = now(), probe_at = now() + interval '1 hour'`
        : 'pause_reason = NULL, paused_at = NULL, probe_at = NULL';
    const warnings = async (): Promise<string> => (await commandLine.run('supplier', 'sync', 'digi', '--json')).stderr;
    await scene.client.query(`UPDATE suppliers SET ${isBan(true)} WHERE code = 'digi'`);
    expect(await warnings()).toMatch(/^digi bans us, and this call prolongs the ban/);
    await scene.client.query(`UPDATE suppliers SET ${isBan(false)} WHERE code = 'digi'`);
    expect(await warnings()).toBe('');
  });

  it('prints a short result for people', async () => {
    const run = async (): Promise<string> => (await commandLine.run('supplier', 'sync', 'digi')).stdout;
    expect(await run()).toMatch(/│ added +│ 10 +│/);
    expect(await run()).toMatch(/^The catalogue of digi was refused, and nothing changed: it was requested at/);
  });
});

describe('the offers of a supplier with a catalogue', () => {
  it('have the cost of the catalogue, even if another one was set before', async () => {
    await offer('ml86', 'MLBB-86', '--cost', '1', '--currency', 'THB');
    await sync();
    expect(await offers()).toMatchObject([{ cost: '20000', currency: 'IDR', cost_baht: '42.00', routable: true }]);
    await change('ml86', { price: 21_000 });
    expect(await later()).toEqual({ ...UNCHANGED, price_changed: 1 });
    expect(await offers()).toMatchObject([{ cost: '21000', cost_baht: '44.10' }]);
    await change('ml86', { price: 25_000 });
    await later();
    expect(await whyNot()).toBe('its cost eats the margin');
  });

  it('grow old while the price cannot be read, and keep a newer cost that an operator set', async () => {
    const read = `'2026-01-15 12:00:00+00'`;
    const costAt = async (): Promise<unknown> =>
      (await scene.client.query(`SELECT cost_micros::text, cost_at = ${read} AS is_old FROM supplier_offers`)).rows[0];
    await offer('ml86');
    await sync();
    await scene.client.query(`UPDATE supplier_offers SET cost_at = ${read}`);
    await change('ml86', { price: UNREADABLE_PRICE });
    expect(await later()).toEqual(UNCHANGED);
    expect(await costAt()).toEqual({ cost_micros: '20000000000', is_old: true });
    expect(await whyNot()).toBe('its cost was last read at 2026-01-15T12:00:00.000Z, which is too long ago');
    await offer('ml86', 'MLBB-86', '--cost', '21000');
    expect(await later()).toEqual(UNCHANGED);
    expect(await costAt()).toEqual({ cost_micros: '21000000000', is_old: false });
  });

  it('have this cost from the start, unless an operator sets another one', async () => {
    await sync();
    await offer('ml86');
    expect(await offers()).toMatchObject([{ cost: '20000', currency: 'IDR', routable: true }]);
    await offer('ml86', 'MLBB-86', '--no-cost');
    await offer('ml86');
    expect(await offers()).toMatchObject([{ cost: null }]);
    await offer('ff70', 'FF-70', '--cost', '2', '--currency', 'THB');
    expect(await offers()).toMatchObject([{ sku: 'FF-70', cost: '2' }, { sku: 'MLBB-86' }]);
  });

  it('are from the start as old as this cost, however often the SKU was read without a price since', async () => {
    await sync();
    await scene.client.query(`UPDATE supplier_products SET cost_at = '2026-01-15 12:00:00+00'`);
    await change('ml86', { price: UNREADABLE_PRICE });
    expect(await later()).toEqual(UNCHANGED);
    await offer('ml86', 'MLBB-A');
    const given = ['--sku', 'MLBB-B', '--name', 'Diamonds', '--price', '50.00'];
    await commandLine.json('product', 'set', ...given, '--supplier', 'digi', '--supplier-sku', 'ml86');
    const old = { cost: '20000', why_not: 'its cost was last read at 2026-01-15T12:00:00.000Z, which is too long ago' };
    expect(await offers()).toMatchObject([old, old]);
    await change('ml86', { price: 20_000 });
    expect(await later()).toEqual(UNCHANGED);
    await offer('ml86', 'MLBB-C');
    const fresh = { cost: '20000', why_not: null };
    expect(await offers()).toMatchObject([fresh, fresh, fresh]);
  });

  it('are not used while the SKU is gone, and are used again when it comes back', async () => {
    await offer('ml86');
    await sync();
    await client.sim('account', { remove_products: ['ml86'] });
    expect(await later()).toEqual({ ...UNCHANGED, seen: 9, removed: 1 });
    expect(await whyNot()).toBe('the supplier does not sell it at present');
    expect(await product('ml86')).toMatchObject({ available: false, cost: '20000', mapped_to: 'MLBB-86' });
    expect(await later()).toEqual({ ...UNCHANGED, seen: 9 });
    await change('ml86', { price: 20_000, product_name: 'Diamonds' });
    expect(await later()).toEqual({ ...UNCHANGED, added: 1 });
    expect(await whyNot()).toBeNull();
  });

  it('are not used in the cut-off hours of the supplier, and take its limit of one a day for each player', async () => {
    await offer('ml86');
    await sync();
    const onceADay = async (): Promise<unknown> =>
      (await scene.client.query(`SELECT once_per_day FROM supplier_offers`)).rows;
    expect(await onceADay()).toEqual([{ once_per_day: false }]);
    // All day, except for a minute that is twelve hours away. Times are those of Jakarta.
    const away = Date.now() + (7 + 12) * HOUR_MS;
    const time = (ms: number): string => new Date(ms).toISOString().slice(11, 16);
    await change('ml86', { multi: false, start_cut_off: time(away + MINUTE_MS), end_cut_off: time(away) });
    expect(await later()).toEqual(UNCHANGED);
    expect(await whyNot()).toBe('the supplier does not sell it at this time of the day');
    expect(await onceADay()).toEqual([{ once_per_day: true }]);
  });

  it('that a fault switched off are on again once their SKU has changed; those that an operator switched off are not', async () => {
    const off = (columns: string): Promise<unknown> =>
      scene.client.query(`UPDATE supplier_offers SET active = false, off_reason = 'rc 81', ${columns}`);
    await offer('ml86');
    await sync();
    await off('off_by_fault = true');
    await later();
    expect(await whyNot()).toBe('it is off: rc 81');
    await change('ml86', { desc: 'another seller' });
    await later();
    expect(await whyNot()).toBeNull();
    await off('off_by_fault = false');
    await change('ml86', { desc: 'yet another seller' });
    await later();
    expect(await whyNot()).toBe('it is off: rc 81');
  });
});

describe('topup supplier products', () => {
  const skus = async (...options: string[]): Promise<unknown[]> =>
    (await products(...options)).map(({ supplier_sku }) => supplier_sku);

  it('finds SKUs by SKU, name and group, and SKUs without an offer', async () => {
    await change('ml172', { product_name: 'Big 100% Box', category: 'Special' });
    await sync();
    expect(await skus('--match', 'ML1')).toEqual(['ml172']);
    expect(await skus('--match', 'big 100%')).toEqual(['ml172']);
    expect(await skus('--match', 'sPECIAL')).toEqual(['ml172']);
    expect(await skus('--match', '_')).toEqual([]);
    await offer('ml86', 'MLBB-B');
    await offer('ml86', 'MLBB-A');
    expect(await product('ml86')).toMatchObject({ mapped_to: 'MLBB-A' });
    expect(await skus('--match', 'ml', '--unmapped')).toEqual(['ml172']);
    expect(await skus('--unmapped')).toHaveLength(9);
  });

  it('explains how to read a catalogue that was not read yet', async () => {
    const { stdout } = await commandLine.run('supplier', 'products', 'digi');
    expect(stdout).toBe('The catalogue has not been read yet: topup supplier sync digi reads it.\n');
  });
});
