import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { prepareDatabase } from '../tools/local-stack/seed.js';
import { createDataDir } from '../tools/local-stack/state.js';
import { CommandLine } from './cli/command-line.js';
import { createTestDatabase, type TestDatabase } from './support/database.js';

const SHOPS = ['TopSpeed Game Shop', 'Kaikem Topup', 'NongMai Diamonds'];
/** Nothing listens there, because filling a database calls no supplier. */
const SIMULATOR = { url: 'http://127.0.0.1:9', token: 'simulated' };

let database: TestDatabase;
let client: pg.Client;
let commandLine: CommandLine;
let directory: string;
let env: Record<string, string>;

const prepare = (): ReturnType<typeof prepareDatabase> => prepareDatabase(env, directory, SIMULATOR);

beforeAll(async () => {
  database = await createTestDatabase();
  directory = mkdtempSync(path.join(tmpdir(), 'topup-demo-'));
  createDataDir(directory);
  env = {
    NODE_ENV: 'test',
    LOG_LEVEL: 'silent',
    DATABASE_URL: database.url,
    REDIS_URL: process.env.TEST_REDIS_URL ?? '',
    SECRETS_KEY: randomBytes(32).toString('base64'),
  };
  await prepare();
  commandLine = new CommandLine({ DATABASE_URL: database.url });
  client = new pg.Client(database.url);
  await client.connect();
});

afterAll(async () => {
  await client.end();
  await database.drop();
  rmSync(directory, { recursive: true, force: true });
});

/** The rows of a statement, each as a list. */
async function rows(text: string): Promise<unknown[][]> {
  return (await client.query<unknown[]>({ text, rowMode: 'array' })).rows;
}

async function countsOf(text: string): Promise<Record<string, number>> {
  const counted = (await rows(text)).map(([name, count]): [string, number] => [String(name), Number(count)]);
  return Object.fromEntries(counted);
}

describe('the demo of a local stack', () => {
  it('has merchants with orders, besides those for a newcomer’s own orders, which have none', async () => {
    const merchants = await rows(
      `SELECT name, sandbox, (SELECT count(*) > 20 FROM orders WHERE merchant_id = m.id) FROM merchants m ORDER BY id`,
    );
    expect(merchants).toEqual([
      ['Demo Merchant', false, false],
      ...SHOPS.map((name) => [name, false, true]),
      ['Sandbox Merchant', true, false],
    ]);
    expect(await rows(`SELECT count(*)::int FROM orders`)).toEqual([[220]]);
  });

  it('has orders with every kind of end', async () => {
    expect(await countsOf(`SELECT coalesce(failure_code, status), count(*) FROM orders GROUP BY 1`)).toEqual({
      completed: expect.any(Number),
      processing: 2,
      INVALID_PLAYER: expect.any(Number),
      OUT_OF_STOCK: expect.any(Number),
      PARTIALLY_COMPLETED: expect.any(Number),
    });
    const units = await countsOf(`
      SELECT CASE WHEN state = 'succeeded' AND attempt = 2 THEN 'bought elsewhere' ELSE state END, count(*)
      FROM order_units GROUP BY 1`);
    expect(Object.keys(units).sort()).toEqual(['bought elsewhere', 'failed', 'review', 'succeeded']);
    const deliveries = await countsOf(`
      SELECT status || CASE WHEN is_retry AND attempt_count > 1 THEN ' after retries' ELSE '' END, count(*)
      FROM webhook_deliveries GROUP BY 1`);
    expect(Object.keys(deliveries).sort()).toEqual(['failed after retries', 'succeeded', 'succeeded after retries']);
  });

  it('lies within the last two weeks, with ids in the order of time', async () => {
    expect(
      await rows(`SELECT min(created_at) > now() - interval '15 days', max(created_at) < now() FROM orders`),
    ).toEqual([[true, true]]);
    for (const table of ['orders', 'transfers', 'events', 'webhook_deliveries', 'operator_actions'])
      expect(
        await rows(`
          SELECT '${table}' FROM (SELECT created_at, lag(created_at) OVER (ORDER BY id) AS before FROM ${table}) moments
          WHERE created_at < before`),
      ).toEqual([]);
  });

  it('has books without violations', async () => {
    const { ok, checks } = await commandLine.json<{ ok: boolean; checks: { ok: boolean }[] }>('audit');
    expect({ ok, wrong: checks.filter((check) => !check.ok) }).toEqual({ ok: true, wrong: [] });
  });

  it('has a margin of three to eight percent at each supplier', async () => {
    const days = ['--from', daysAgo(16), '--to', daysAgo(0)];
    const lines = await commandLine.json<Record<string, string | number>[]>(
      'report',
      'margin',
      '--by',
      'supplier',
      ...days,
    );
    expect(lines.map(({ supplier }) => supplier)).toEqual(['gamebank', 'lotus-topup']);
    for (const { margin_percent: percent, cost_unknown_units: unknown } of lines) {
      expect(Number(percent)).toBeGreaterThan(3);
      expect(Number(percent)).toBeLessThan(8);
      expect(unknown).toBe(0);
    }
  });

  it('has a daily report with each merchant, and a statement', async () => {
    const { merchants } = await commandLine.json<{ merchants: Record<string, unknown>[] }>(
      'report',
      'daily',
      '--date',
      daysAgo(3),
    );
    const shops = merchants.filter(({ orders }) => Number(orders) > 0).map(({ name }) => name);
    expect(SHOPS).toEqual(expect.arrayContaining(shops));
    expect(shops.length).toBeGreaterThan(0);
    const [[id]] = (await rows(`SELECT id FROM merchants WHERE name = '${SHOPS[0]}'`)) as [[number]];
    const { code, stdout } = await commandLine.run(
      'report',
      'statement',
      '--merchant',
      String(id),
      '--month',
      daysAgo(3).slice(0, 7),
    );
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringMatching(/TS-\d{5}/) });
  });

  it('is written once: another start does not change it', async () => {
    const counts = async (): Promise<unknown[][]> =>
      rows(`SELECT (SELECT count(*) FROM orders), (SELECT count(*) FROM merchants), (SELECT count(*) FROM transfers),
                   (SELECT count(*) FROM supplier_offers), (SELECT sum(available) FROM wallets)`);
    const before = await counts();
    const first = await prepare();
    expect(await counts()).toEqual(before);
    expect((await prepare()).apiKeys).toEqual(first.apiKeys);
  });
});

/** A day in Bangkok, such as 2026-11-24. */
const daysAgo = (days: number): string =>
  new Date(Date.now() + 7 * 3_600_000 - days * 86_400_000).toISOString().slice(0, 10);
