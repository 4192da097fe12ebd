import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { INestApplicationContext } from '@nestjs/common';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { ProductReadsService } from '../../src/catalog/product-reads.service.js';
import { SupplierSyncService } from '../../src/catalog/supplier-sync.service.js';
import { OffersService } from '../../src/catalog/offers.service.js';
import { SchemaService } from '../../src/database/schema.service.js';
import { SuppliersService } from '../../src/suppliers/suppliers.service.js';
import { DigiflazzBench, KEYS, USERNAME, type DigiflazzClient } from '../simulators/digiflazz-client.js';
import { deferred } from '../support/deferred.js';
import { eventually } from '../support/eventually.js';
import { TestStack, unique } from '../support/stack.js';

const bench = new DigiflazzBench();
let lines: string[] = [];
let stack: TestStack;
let client: DigiflazzClient;
let code: string;

beforeAll(async () => {
  const logTo = { write: (line: string) => void lines.push(line) };
  const secret = { SECRETS_KEY: randomBytes(32).toString('base64') };
  const env = { LOG_LEVEL: 'info', SUPPLIER_BALANCE_INTERVAL_MS: '0', ...secret };
  stack = await TestStack.start(env, { worker: false, logTo });
});

afterAll(() => stack.close());

beforeEach(async () => {
  lines = [];
  client = await bench.start();
  code = unique('digi');
  const credentials = { username: USERNAME, key: KEYS.production };
  const settings = { code, adapter: 'digiflazz', baseUrl: `${client.url}/v1`, credentials };
  await stack.api.get(SuppliersService).set(settings);
});

afterEach(async () => {
  await stack.stopWorkers();
  await stack.sql('DELETE FROM supplier_offers');
  await bench.clear();
});

/** Adds a product with an offer of the supplier. */
async function offer(): Promise<void> {
  const sku = await stack.product('50.00', { supplier: undefined });
  await stack.api.get(OffersService).set({ sku, supplier: code, supplierSku: 'ml86' });
}

/** Moves the change of the supplier's settings back in time. */
const setBefore = (minutes: number): Promise<object[]> =>
  stack.sql(`UPDATE suppliers SET updated_at = now() - $2 * interval '1 minute' WHERE code = $1`, [code, minutes]);

const readBefore = (minutes: number): Promise<object[]> =>
  stack.sql(`UPDATE suppliers SET catalogue_read_at = now() - $2 * interval '1 minute' WHERE code = $1`, [
    code,
    minutes,
  ]);

const asked = async (): Promise<number> => (await client.sim<object[]>('journal')).length;

/** A worker whose task does not read catalogues by itself. */
async function idleWorker(): Promise<INestApplicationContext> {
  const worker = await stack.startWorker({ SUPPLIER_SYNC_INTERVAL_MS: 0 });
  await worker.get(SchemaService).whenReady();
  return worker;
}

/** Runs a worker's task. */
async function look(intervalMs = 3_600_000): Promise<string | null> {
  const run = await (await idleWorker()).get(SupplierSyncService).syncDue(intervalMs);
  return run && run.supplier.code;
}

const logged = async (message: string): Promise<Record<string, unknown>> => {
  const found = await eventually(
    () => lines.find((line) => line.includes(message)),
    (line) => line !== undefined,
  );
  return JSON.parse(found ?? '') as Record<string, unknown>;
};

/**
 * Works while the supplier's answer to the first request is under way.
 * @param ask makes the request. @param meanwhile ends before the answer arrives.
 */
async function whileAsked<Result>(ask: () => Promise<Result>, meanwhile: () => Promise<unknown>): Promise<Result> {
  const mayArrive = deferred<void>();
  const askedBefore = await asked();
  let requests = 0;
  const between = createServer((request, response) => {
    void (async () => {
      const isFirst = requests++ === 0;
      const [url, body] = [`${client.url}${request.url}`, await text(request)];
      const answer = await fetch(url, { method: 'POST', body, headers: { 'content-type': 'application/json' } });
      const answered = await answer.text();
      if (isFirst) await mayArrive.promise;
      response.writeHead(answer.status).end(answered);
    })();
  });
  await new Promise<void>((resolve) => between.listen(0, '127.0.0.1', resolve));
  const baseUrl = `http://127.0.0.1:${(between.address() as AddressInfo).port}/v1`;
  await stack.sql('UPDATE suppliers SET base_url = $1, timeout_ms = 60000 WHERE code = $2', [baseUrl, code]);
  try {
    const running = ask();
    await eventually(asked, (count) => count > askedBefore);
    await meanwhile();
    mayArrive.resolve();
    return await running;
  } finally {
    between.close();
  }
}

describe('workers', () => {
  it('read the catalogue of a supplier with offers, one worker once, and log it', async () => {
    await offer();
    await setBefore(6);
    await Promise.all([stack.startWorker(), stack.startWorker(), stack.startWorker()]);
    expect(await logged('the catalogue of a supplier was read')).toMatchObject({
      level: 'info',
      supplier: code,
      seen: 10,
      added: 10,
      removed: 0,
    });
    await stack.stopWorkers();
    expect(await asked()).toBe(1);
    const [cost] = await stack.sql('SELECT cost_micros, cost_currency FROM supplier_offers');
    expect(cost).toEqual({ cost_micros: 20_000_000_000n, cost_currency: 'IDR' });
  });

  it('warn of a refused run, and read again only at the next one', async () => {
    await offer();
    await setBefore(6);
    await client.sim('rules', { match: { call: 'price-list' }, list: 'empty' });
    await stack.startWorker();
    expect(await logged('the catalogue of a supplier was refused or could not be read')).toMatchObject({
      level: 'warn',
      supplier: code,
      reason: 'empty',
    });
    expect(await look()).toBeNull();
    expect(await asked()).toBe(1);
  });

  it('read it again after the interval, though never within the supplier’s limit', async () => {
    await offer();
    await setBefore(600);
    await readBefore(59);
    expect(await look()).toBeNull();
    await readBefore(61);
    expect(await look()).toBe(code);
    await readBefore(4);
    expect(await look(1)).toBeNull();
    await client.sim('clock', { advance: '6m' });
    await readBefore(6);
    expect(await look(1)).toBe(code);
  });

  it('read nothing from a supplier that was just set, is paused, or has no offers', async () => {
    await setBefore(600);
    expect(await look()).toBeNull();
    await offer();
    await setBefore(4);
    expect(await look()).toBeNull();
    await setBefore(6);
    const suppliers = stack.api.get(SuppliersService);
    await suppliers.pause(code, { operator: 'test' });
    expect(await look()).toBeNull();
    await suppliers.resume(code, { operator: 'test' });
    expect(await look()).toBe(code);
  });

  it('read none when the interval is 0', async () => {
    await offer();
    await setBefore(6);
    await idleWorker();
    await stack.stopWorkers();
    expect(await asked()).toBe(0);
  });

  it('drop a catalogue if the supplier’s address changed while they read it', async () => {
    await offer();
    await setBefore(6);
    const syncs = (await idleWorker()).get(SupplierSyncService);
    const run = await whileAsked(
      () => syncs.syncDue(3_600_000),
      () => stack.api.get(SuppliersService).set({ code, adapter: 'digiflazz', baseUrl: 'http://127.0.0.1:9/v1' }),
    );
    expect(run).toMatchObject({ refusal: { kind: 'overtaken' }, added: 0 });
  });

  it('drop what they read of one SKU when a newer reading of the catalogue misses it', async () => {
    const syncs = stack.api.get(SupplierSyncService);
    expect((await syncs.sync(code)).refusal).toBeNull();
    const reads = stack.api.get(ProductReadsService);
    await reads.mark((await stack.api.get(SuppliersService).getByCode(code)).id, ['cut-off']);
    const read = await whileAsked(
      () => reads.readDue(),
      async () => {
        await readBefore(6);
        await client.sim('clock', { advance: '6m' });
        await client.sim('rules', { match: { call: 'price-list' }, list: 'half' });
        expect(await syncs.sync(code, { force: true })).toMatchObject({ refusal: null, removed: 5 });
      },
    );
    expect(read).toMatchObject({ supplier: code, result: 'overtaken' });
  });

  it('drop what they read of one SKU when the supplier got another account meanwhile', async () => {
    await offer();
    const reads = stack.api.get(ProductReadsService);
    const suppliers = stack.api.get(SuppliersService);
    await reads.mark((await suppliers.getByCode(code)).id, ['ml86']);
    const read = await whileAsked(
      () => reads.readDue(),
      () => suppliers.set({ code, adapter: 'digiflazz', credentials: { username: 'another-account' } }),
    );
    expect(read).toMatchObject({ supplier: code, result: 'overtaken' });
    expect(await stack.sql('SELECT cost_micros FROM supplier_offers')).toEqual([{ cost_micros: null }]);
  });
});

describe('an operator', () => {
  it('applies what the preview read, because the supplier allows no second call so soon', async () => {
    const syncs = stack.api.get(SupplierSyncService);
    const by = { operator: 'nok' };
    expect(await syncs.sync(code, { dryRun: true }, by)).toMatchObject({ added: 10, refusal: null });
    expect(await syncs.list(code)).toEqual([]);
    expect(await syncs.sync(code, {}, by)).toMatchObject({ added: 10, refusal: null });
    expect(await syncs.list(code)).toHaveLength(10);
    expect(await asked()).toBe(1);
    // Another process has read the catalogue since.
    await readBefore(1);
    expect(await syncs.sync(code, {}, by)).toMatchObject({ added: 0, refusal: { kind: 'too_soon' } });
  });

  it('applies no preview with other settings, which may have another catalogue', async () => {
    const syncs = stack.api.get(SupplierSyncService);
    expect(await syncs.sync(code, { dryRun: true })).toMatchObject({ added: 10, refusal: null });
    const credentials = { username: USERNAME, key: KEYS.production };
    const settings = { code, adapter: 'digiflazz', baseUrl: `${client.url}/v1`, credentials };
    await stack.api.get(SuppliersService).set({ ...settings, timeoutMs: 9_000 });
    expect(await syncs.sync(code)).toMatchObject({ added: 0, refusal: { kind: 'too_soon' } });
    expect(await syncs.list(code)).toEqual([]);
  });
});
