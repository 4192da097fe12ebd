import { randomBytes } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { OffersService } from '../../src/catalog/offers.service.js';
import { SchemaService } from '../../src/database/schema.service.js';
import { SupplierBalancesService } from '../../src/suppliers/supplier-balances.service.js';
import { SupplierPausesService } from '../../src/suppliers/supplier-pauses.service.js';
import type { SupplierSettings } from '../../src/suppliers/supplier-settings.js';
import type { Supplier } from '../../src/suppliers/supplier.entity.js';
import { SuppliersService } from '../../src/suppliers/suppliers.service.js';
import { openManagementPort, Scrape } from '../ops/management.js';
import { DigiflazzBench, KEYS, USERNAME, type DigiflazzClient } from '../simulators/digiflazz-client.js';
import { eventually } from '../support/eventually.js';
import { TestStack, unique } from '../support/stack.js';

const HOUR_SECONDS = 3_600;
const bench = new DigiflazzBench();
let lines: string[] = [];
let stack: TestStack;
let client: DigiflazzClient;
let code: string;
let sku: string;

beforeAll(async () => {
  const logTo = { write: (line: string) => void lines.push(line) };
  const env = { LOG_LEVEL: 'info', SECRETS_KEY: randomBytes(32).toString('base64') };
  stack = await TestStack.start(env, { worker: false, logTo });
});

afterAll(() => stack.close());

beforeEach(async () => {
  lines = [];
  client = await bench.start();
  code = unique('digi');
  await set();
  sku = await stack.product('50.00', { supplier: undefined });
  await stack.api.get(OffersService).set({ sku, supplier: code, supplierSku: 'ml86' });
  // Moves the change of its settings back by an hour.
  await stack.sql(`UPDATE suppliers SET updated_at = now() - interval '1 hour' WHERE code = $1`, [code]);
});

afterEach(async () => {
  await stack.stopWorkers();
  await stack.sql('DELETE FROM supplier_offers');
  await bench.clear();
});

const set = (credentials: Record<string, string> = { key: KEYS.production }): Promise<object> =>
  stack.api.get(SuppliersService).set({
    code,
    adapter: 'digiflazz',
    baseUrl: `${client.url}/v1`,
    lowBalanceMicros: 500_000_000_000n,
    credentials: { username: USERNAME, ...credentials },
  });

/** The balance tasks of three workers. */
const startWorkers = (): Promise<unknown> =>
  Promise.all([1, 2, 3].map(() => stack.startWorker({ SUPPLIER_SYNC_INTERVAL_MS: 0 })));

const supplier = async (): Promise<Record<string, unknown>> => {
  const [row] = await stack.sql('SELECT * FROM suppliers WHERE code = $1', [code]);
  return row as Record<string, unknown>;
};

/** Stores balances in rupiah, with the minutes since the supplier reported each. */
async function report(...readings: [minutesAgo: number, rupiah: number][]): Promise<void> {
  for (const [minutes, rupiah] of readings)
    await stack.sql(
      `INSERT INTO supplier_balances SELECT id, now() - $2 * interval '1 minute', 'IDR', $3::bigint * 1000000
       FROM suppliers WHERE code = $1`,
      [code, minutes, rupiah],
    );
  const last = readings.at(-1)?.[1];
  await stack.sql(
    `UPDATE suppliers SET balance_micros = $2::bigint * 1000000, balance_currency = 'IDR', balance_at = now()
     WHERE code = $1`,
    [code, last],
  );
}

const lasting = async (): Promise<number | null | undefined> =>
  (await stack.api.get(SupplierBalancesService).listHoursLeft()).get(code);

describe('workers', () => {
  it('query our balance at each supplier with offers, one worker once in an interval', async () => {
    const now = async (): Promise<number> => Number((await stack.sql<{ at: Date }>('SELECT now() AS at'))[0]?.at);
    const beforeMs = await now();
    await startWorkers();
    const { balance_micros } = await eventually(supplier, ({ balance_at }) => balance_at !== null);
    await stack.stopWorkers();
    expect(balance_micros).toBe(BigInt(await client.deposit()) * 1_000_000n);
    expect(await client.sim('journal')).toHaveLength(1);
    expect(await stack.sql('SELECT FROM supplier_balances')).toHaveLength(1);
    const { balance_due_at: next, balance_at: asked } = (await supplier()) as Record<string, Date>;
    expect(Number(next)).toBeGreaterThan(beforeMs + 0.9 * 300_000);
    expect(Number(next)).toBeLessThan(Number(asked) + 1.1 * 300_000);
  });

  it('query no supplier that is paused or has no offer', async () => {
    await stack.api.get(SuppliersService).pause(code, { operator: 'tester' });
    const balances = stack.api.get(SupplierBalancesService);
    expect(await balances.queryDue(1)).toEqual([]);
    await stack.api.get(SuppliersService).resume(code, { operator: 'tester' });
    await stack.sql('DELETE FROM supplier_offers');
    expect(await balances.queryDue(1)).toEqual([]);
    expect(await client.sim('journal')).toEqual([]);
  });

  it('do not store a balance that a supplier reported before its address changed', async () => {
    const suppliers = stack.api.get(SuppliersService);
    const before = await suppliers.getByCode(code);
    const other = await bench.start();
    await suppliers.set({ code, adapter: 'digiflazz', baseUrl: `${other.url}/v1`, credentials: {} });
    const probed = await stack.api.get(SupplierPausesService).probe(before);
    expect(probed.answer.known).toBe(true);
    expect(await supplier()).toMatchObject({ balance_micros: null, balance_at: null });
  });

  it('do not store a balance of an account that was changed meanwhile', async () => {
    const before = await stack.api.get(SuppliersService).getByCode(code);
    await set({ username: 'another-account' });
    const probed = await stack.api.get(SupplierPausesService).probe(before);
    expect(probed.answer.known).toBe(true);
    expect(await supplier()).toMatchObject({ balance_micros: null, balance_at: null });
  });

  it('pause a supplier that refuses our credentials, and log the pause and that it reports no balance, each once', async () => {
    await set({ key: 'wrong' });
    await stack.sql(`UPDATE suppliers SET updated_at = now() - interval '1 hour' WHERE code = $1`, [code]);
    await startWorkers();
    expect(await eventually(supplier, ({ pause_reason }) => pause_reason !== null)).toMatchObject({
      pause_reason: 'credentials',
    });
    for (const text of ['does not report our balance', 'refuses our credentials and is paused']) {
      const logged = (): string[] => lines.filter((line) => line.includes(text));
      expect(await eventually(logged, ({ length }) => length > 0)).toHaveLength(1);
    }
  });
});

describe('a pause', () => {
  const pausedFor = async (reason: string, settings: Partial<SupplierSettings>): Promise<unknown> => {
    const probe = reason === 'operator' ? 'NULL' : `now() + interval '1 hour'`;
    await stack.sql(
      `UPDATE suppliers SET pause_reason = $2, paused_at = now(), probe_at = ${probe}, paused_balance_micros = 9
       WHERE code = $1`,
      [code, reason],
    );
    const given = { code, adapter: 'digiflazz', baseUrl: `${client.url}/v1`, ...settings };
    return (await stack.api.get(SuppliersService).set(given)).pause_reason;
  };
  const otherAccount = { credentials: { username: 'another-account' } };

  it('for the deposit ends with another account, whose balance is another one', async () => {
    expect(await pausedFor('deposit', { lowBalanceMicros: 1n })).toBe('deposit');
    expect(await pausedFor('deposit', otherAccount)).toBeNull();
    expect(await supplier()).toMatchObject({ paused_at: null, probe_at: null, paused_balance_micros: null });
  });

  it('for another reason stays with another account', async () => {
    expect(await pausedFor('credentials', otherAccount)).toBe('credentials');
    expect(await pausedFor('ban', { credentials: { username: 'a-third-account' } })).toBe('ban');
  });

  it.each(['credentials', 'deposit', 'ban'])('for %s ends with another adapter', async (reason) => {
    expect(await pausedFor(reason, { adapter: 'http', baseUrl: client.url })).toBeNull();
  });

  it('of the operator stays with another adapter', async () => {
    expect(await pausedFor('operator', { adapter: 'http', baseUrl: client.url })).toBe('operator');
  });

  const paused = async (reason: 'deposit' | 'ban'): Promise<Record<string, unknown>> => {
    const { id, updated_at, last_resumed_at } = (await supplier()) as unknown as Supplier;
    const before = { id, updated_at, last_resumed_at };
    await stack.api.get(SupplierPausesService).begin({ ...before, adapter: 'digiflazz', reason, detail: null });
    const [row] = await stack.sql(
      `SELECT paused_at > now() - interval '1 hour' AS is_new, probe_at < paused_at + interval '5 minutes' AS is_probed_soon
       FROM suppliers WHERE id = $1`,
      [id],
    );
    return row as Record<string, unknown>;
  };
  const sinceYesterday = (): Promise<unknown> =>
    stack.sql(`UPDATE suppliers SET paused_at = now() - interval '1 day', probes = 5 WHERE code = $1`, [code]);

  const refusal = { known: false, detail: 'wrong key', offersNone: false, fault: 'credentials' } as const;

  it('does not begin for a call with settings that an operator changed meanwhile', async () => {
    const [pauses, suppliers] = [stack.api.get(SupplierPausesService), stack.api.get(SuppliersService)];
    const before = await suppliers.getByCode(code);
    await set({ key: 'another' });
    await pauses.beginFor(before, refusal);
    expect(await supplier()).toMatchObject({ pause_reason: null });
    await pauses.beginFor(await suppliers.getByCode(code), refusal);
    expect(await supplier()).toMatchObject({ pause_reason: 'credentials' });
  });

  it('does not begin for a call that began before an operator resumed the supplier', async () => {
    const [pauses, suppliers] = [stack.api.get(SupplierPausesService), stack.api.get(SuppliersService)];
    const before = await suppliers.getByCode(code);
    await pauses.beginFor(before, refusal);
    expect(await supplier()).toMatchObject({ pause_reason: 'credentials' });
    await suppliers.resume(code, { operator: 'tester' });
    await pauses.beginFor(before, refusal);
    expect(await supplier()).toMatchObject({ pause_reason: null });
    await pauses.beginFor(await suppliers.getByCode(code), refusal);
    expect(await supplier()).toMatchObject({ pause_reason: 'credentials' });
  });

  it('does not end by a probe that began before an operator ended an earlier pause', async () => {
    const [pauses, suppliers] = [stack.api.get(SupplierPausesService), stack.api.get(SuppliersService)];
    await paused('ban');
    const before = await suppliers.getByCode(code);
    await suppliers.resume(code, { operator: 'tester' });
    await paused('ban');
    await stack.sql(`UPDATE suppliers SET probe_at = now() + interval '17 hours' WHERE code = $1`, [code]);
    expect(await pauses.probe(before)).toMatchObject({ isResumed: false });
    const isSoon = `SELECT probe_at < now() + interval '1 hour' AS is_soon FROM suppliers WHERE code = $1`;
    expect(await stack.sql(isSoon, [code])).toEqual([{ is_soon: false }]);
    expect(await pauses.probe(await suppliers.getByCode(code))).toMatchObject({ isResumed: true });
  });

  it('for the deposit ends by its first probe if the balance has risen since its last reading before, but only once', async () => {
    const pauses = stack.api.get(SupplierPausesService);
    const firstProbe = async (): Promise<boolean | undefined> => {
      await paused('deposit');
      const claimed = (await pauses.claimDueProbes()).find((each) => each.code === code);
      return claimed && (await pauses.probeClaimed(claimed)).isResumed;
    };
    await report([5, 1]);
    await stack.sql(`UPDATE suppliers SET balance_at = now() - interval '5 minutes' WHERE code = $1`, [code]);
    expect(await firstProbe()).toBe(true);
    expect(await firstProbe()).toBe(false);
    expect(await supplier()).toMatchObject({ pause_reason: 'deposit' });
  });

  it('that a probe with earlier settings would have ended is probed again soon', async () => {
    const [pauses, suppliers] = [stack.api.get(SupplierPausesService), stack.api.get(SuppliersService)];
    await paused('ban');
    await stack.sql(`UPDATE suppliers SET probe_at = now() + interval '17 hours' WHERE code = $1`, [code]);
    const before = await suppliers.getByCode(code);
    await set();
    expect(await pauses.probe(before)).toMatchObject({ isResumed: false });
    const isSoon = `SELECT probe_at < now() + interval '5 minutes' AS is_soon FROM suppliers WHERE code = $1`;
    expect(await stack.sql(isSoon, [code])).toEqual([{ is_soon: true }]);
  });

  it('of another account does not continue the pause of the account before', async () => {
    await paused('deposit');
    await sinceYesterday();
    await set({ username: 'another-account' });
    expect(await paused('deposit')).toMatchObject({ is_new: true });
  });

  it('of another account does not continue a pause that a probe ended', async () => {
    await paused('ban');
    await sinceYesterday();
    await stack.api.get(SupplierPausesService).probe(await stack.api.get(SuppliersService).getByCode(code));
    await set({ username: 'another-account' });
    expect(await paused('ban')).toEqual({ is_new: true, is_probed_soon: true });
  });

  it.each(['operator', 'deposit'])('does not continue one for the %s that an operator has ended', async (reason) => {
    await (reason === 'deposit' ? paused(reason) : stack.api.get(SuppliersService).pause(code, { operator: 'tester' }));
    await sinceYesterday();
    await stack.api.get(SuppliersService).resume(code, { operator: 'tester' });
    expect(await paused('deposit')).toMatchObject({ is_new: true });
  });

  it('continues one for the same reason that a probe has ended, and no other one', async () => {
    const probe = async (): Promise<void> => {
      const probed = await stack.api
        .get(SupplierPausesService)
        .probe(await stack.api.get(SuppliersService).getByCode(code));
      expect(probed.isResumed).toBe(true);
    };
    await paused('ban');
    await sinceYesterday();
    await probe();
    expect(await paused('ban')).toEqual({ is_new: false, is_probed_soon: false });
    await probe();
    expect(await paused('deposit')).toMatchObject({ is_new: true });
    await stack.sql(`UPDATE suppliers SET pause_reason = 'credentials' WHERE code = $1`, [code]);
    await sinceYesterday();
    await probe();
    expect(await paused('ban')).toEqual({ is_new: true, is_probed_soon: true });
  });

  it('that there was not leaves the waits of units as they are with another adapter', async () => {
    const { order_number } = await stack.order(await stack.merchant('100.00'), [{ sku, quantity: 1 }]);
    const ofOrder = 'order_id = (SELECT id FROM orders WHERE order_number = $1)';
    await stack.sql(
      `UPDATE order_units SET first_sent_at = now(), next_action_at = now() + interval '1 hour' WHERE ${ofOrder}`,
      [order_number],
    );
    await stack.api.get(SuppliersService).set({ code, adapter: 'http', baseUrl: client.url });
    expect(
      await stack.sql(`SELECT next_action_at > now() AS waits FROM order_units WHERE ${ofOrder}`, [order_number]),
    ).toEqual([{ waits: true }]);
  });
});

describe('a supplier that can sell again', () => {
  it('is resumed before the units fail that waited for it while no worker ran', async () => {
    const merchant = await stack.merchant('100.00');
    const order = await stack.order(merchant, [{ sku, quantity: 1 }]);
    await stack.sql(`UPDATE orders SET created_at = created_at - interval '1 hour' WHERE order_number = $1`, [
      order.order_number,
    ]);
    await stack.sql(
      `UPDATE suppliers SET pause_reason = 'deposit', paused_at = now() - interval '1 hour', paused_balance_micros = 1,
         probes = 1, probe_at = now() WHERE code = $1`,
      [code],
    );
    await stack.startWorker();
    await stack.orderWith(merchant, order.reference_id, 'completed');
  });
});

describe('how long a balance lasts', () => {
  it('follows from the pace of the last day, without deposits', async () => {
    // 30 were spent within 2 hours, and 100 deposited: 15 an hour.
    await report([120, 80], [90, 60], [60, 160], [0, 150]);
    expect(await lasting()).toBe(10);
  });

  it('is unknown with readings of less than an hour, or without spending', async () => {
    await report([50, 1000], [0, 10]);
    expect(await lasting()).toBeNull();
    await stack.sql('DELETE FROM supplier_balances');
    await report([180, 1000], [0, 1000]);
    expect(await lasting()).toBeNull();
    await stack.sql('DELETE FROM supplier_balances');
    await report([0, 1000]);
    expect(await lasting()).toBeUndefined();
  });

  it('starts anew with another account', async () => {
    await report([120, 1000], [0, 10]);
    await set({ username: 'somebody-else' });
    expect(await lasting()).toBeUndefined();
  });
});

describe('metrics', () => {
  it('show each supplier’s balance, its age, whether it is low, how long it lasts, and a pause', async () => {
    const port = await openManagementPort(stack.api, 0);
    await stack.api.get(SchemaService).whenReady();
    await report([600, 1_200_000], [0, 400_000]);
    const scrape = await Scrape.of(port);
    const of = { supplier: code };
    expect(scrape.value('topup_supplier_balance', { ...of, currency: 'IDR' })).toBe(400_000);
    expect(scrape.value('topup_supplier_balance_age_seconds', of)).toBeLessThan(60);
    expect(scrape.value('topup_supplier_balance_low', of)).toBe(1);
    const lasts = scrape.value('topup_supplier_balance_lasts_seconds', of) ?? 0;
    expect(lasts / (5 * HOUR_SECONDS)).toBeCloseTo(1, 2);
    expect(scrape.value('topup_supplier_pause', { ...of, reason: 'operator' })).toBeUndefined();
    await stack.api.get(SuppliersService).pause(code, { operator: 'tester' });
    expect((await Scrape.of(port)).value('topup_supplier_pause', { ...of, reason: 'operator' })).toBe(1);
  });
});
