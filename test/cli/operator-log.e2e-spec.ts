import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { MOMENT } from '../support/expectations.js';
import { CommandLine } from './command-line.js';

interface Entry {
  id: number;
  created_at: string;
  operator: string;
  source: string;
  ip: string | null;
  request_id: string | null;
  action: string;
  merchant_id: number | null;
  order_number: string | null;
  reference: string | null;
  reason: string | null;
  detail: Record<string, unknown>;
}

const directory = mkdtempSync(path.join(tmpdir(), 'topup-cli-'));
let database: TestDatabase;
let commandLine: CommandLine;

beforeAll(async () => {
  database = await createTestDatabase();
  commandLine = new CommandLine({
    DATABASE_URL: database.url,
    SECRETS_KEY: randomBytes(32).toString('base64'),
  });
});

afterAll(async () => {
  await database.drop();
  rmSync(directory, { recursive: true });
});

const log = (...options: string[]): Promise<Entry[]> => commandLine.json<Entry[]>('log', ...options);

/** Runs commands, and returns their entries in the audit log. Expects exactly one entry for each, in their order. */
async function logged(...commands: string[][]): Promise<Entry[]> {
  const before = (await log('--limit', '1'))[0]?.id ?? 0;
  for (const command of commands) await commandLine.json(...command);
  const entries = (await log()).filter(({ id }) => id > before).reverse();
  expect(entries).toHaveLength(commands.length);
  return entries;
}

const fund = (kind: string, amount: string, reference: string): string[] => [
  'wallet',
  kind,
  '--merchant',
  '1',
  '--amount',
  amount,
  '--reference',
  reference,
  '--note',
  'January',
];

const why = ['--operator', 'Malee', '--reason', 'its key was published'];

describe('topup log', () => {
  it('has operator and reason of changes of merchants and keys', async () => {
    const entries = await logged(
      ['merchant', 'create', '--name', 'Shop'],
      ['merchant', 'suspend', '1', ...why],
      ['merchant', 'resume', '1'],
      ['api-key', 'issue', '--merchant', '1', '--name', 'checkout'],
      ['api-key', 'rotate', '1', '--overlap', '60'],
      ['api-key', 'revoke', '1', ...why],
    );
    expect(entries[0]).toEqual({
      id: expect.any(Number) as unknown as number,
      created_at: expect.stringMatching(MOMENT) as unknown as string,
      operator: 'operator-1',
      source: 'cli',
      ip: null,
      request_id: null,
      action: 'merchant.create',
      merchant_id: 1,
      order_number: null,
      reference: null,
      reason: null,
      detail: { name: 'Shop' },
    });
    const malee = { operator: 'Malee', reason: 'its key was published' };
    expect(entries.slice(1)).toMatchObject([
      { action: 'merchant.suspend', ...malee, detail: {} },
      { action: 'merchant.resume', operator: 'operator-1', reason: null },
      { action: 'api_key.issue', detail: { id: 1, name: 'checkout' } },
      { action: 'api_key.rotate', detail: { id: 1, overlap_seconds: 60, successor: { id: 2 } } },
      { action: 'api_key.revoke', ...malee, detail: { id: 1 } },
    ]);
    for (const entry of entries) expect(entry.merchant_id).toBe(1);
    expect(JSON.stringify(entries)).not.toMatch(/topup_\w{20}/);
  });

  it('has every change of a weight, with the one before', async () => {
    const setWeight = (weight: string): string[] => ['merchant', 'set-weight', '--merchant', '1', '--weight', weight];
    // It has this weight, so nothing changes.
    await commandLine.json(...setWeight('1'));
    const entries = await logged(
      [...setWeight('3'), '--reason', 'it pays more'],
      [...setWeight('1'), '--operator', 'Malee'],
    );
    expect(entries).toMatchObject([
      { action: 'merchant.set_weight', merchant_id: 1, reason: 'it pays more', detail: { weight: 3, before: 1 } },
      { action: 'merchant.set_weight', operator: 'Malee', detail: { weight: 1, before: 3 } },
    ]);
  });

  it('has every movement of a wallet with its reference, and alerts', async () => {
    const entries = await logged(
      fund('credit', '1000', 'bank-1'),
      fund('debit', '0.05', 'back-1'),
      ['merchant', 'set-alert', '--merchant', '1', '--below', '500'],
      ['merchant', 'set-alert', '--merchant', '1', '--off'],
    );
    expect(entries).toMatchObject([
      { action: 'wallet.credit', reference: 'bank-1', reason: 'January', detail: { amount: '1000.00' } },
      { action: 'wallet.debit', reference: 'back-1', detail: { amount: '0.05' } },
      { action: 'merchant.set_alert', detail: { below: '500.00', before: null } },
      { action: 'merchant.set_alert', detail: { below: null, before: '500.00' } },
    ]);
  });

  it('has the old values of suppliers, products and prices', async () => {
    const supplier = ['--code', 'acme', '--adapter', 'http', '--base-url', 'http://acme.test'];
    const product = ['product', 'set', '--sku', 'A', '--name', 'A', '--supplier', 'acme', '--price'];
    const file = path.join(directory, 'catalogue.csv');
    writeFileSync(file, 'sku,name,price,supplier\nA,A,37,acme\nB,B,10,acme\n');
    const which = ['--merchant', '1', '--sku', 'A'];
    const entries = await logged(
      ['supplier', 'set', ...supplier, '--token', 's3cr3t'],
      [...product, '35'],
      [...product, '36', '--reason', 'dearer'],
      ['product', 'import', file],
      ['price', 'set', ...which, '--price', '31.50'],
      ['price', 'clear', ...which],
      ['secrets', 'rotate'],
    );
    const imported = {
      file: 'catalogue.csv',
      products: 2,
      added: ['B'],
      changes: [
        { sku: 'A', change: 'changed', changes: [{ member: 'price', old: '36.00', new: '37.00' }] },
        { sku: 'B', change: 'added' },
      ],
    };
    expect(entries).toMatchObject([
      { action: 'supplier.set', detail: { code: 'acme', credentials: { token: 'replaced' } } },
      { action: 'product.set', detail: { sku: 'A', price: '35.00', before: null } },
      { action: 'product.set', reason: 'dearer', detail: { price: '36.00', before: { price: '35.00' } } },
      { action: 'product.import', detail: imported },
      { action: 'price.set', merchant_id: 1, detail: { sku: 'A', price: '31.50', list_price: '37.00' } },
      { action: 'price.clear', merchant_id: 1 },
      { action: 'secrets.rotate', detail: { rotated: 1 } },
    ]);
    expect(JSON.stringify(entries)).not.toContain('s3cr3t');
  });

  it('has no entry of a command that changed nothing', async () => {
    const before = await log();
    await commandLine.json('merchant', 'resume', '1');
    await commandLine.json('api-key', 'revoke', '1');
    await commandLine.json(...fund('credit', '1000', 'bank-1'));
    await commandLine.json('price', 'clear', '--merchant', '1', '--sku', 'A');
    await commandLine.refusedAll([
      [['merchant', 'suspend', '1', '--operator', ' '], 'error: the operator must not be blank\n'],
      [['merchant', 'suspend', '1', '--reason', ''], 'error: the reason must have 1 to 500 characters\n'],
    ]);
    expect(await log()).toEqual(before);
    expect(await commandLine.json('merchant', 'show', '1')).toMatchObject({ status: 'active' });
  });

  it('prefers the operator of TOPUP_OPERATOR to the user who is logged in', async () => {
    const night = new CommandLine({ DATABASE_URL: database.url, TOPUP_OPERATOR: 'night shift' });
    await night.json('merchant', 'create', '--name', 'Second');
    const [entry] = await log('--limit', '1');
    expect(entry).toMatchObject({ operator: 'night shift', merchant_id: 2 });
  });

  it('lists the newest first, by time, operator, merchant, order and action', async () => {
    const all = await log();
    const ids = all.map(({ id }) => id);
    expect(ids).toEqual([...ids].sort((a, b) => b - a));
    const middle = all[5] as Entry;
    const [since, until, ofSecond, debits] = await Promise.all([
      log('--since', middle.created_at),
      log('--until', middle.created_at),
      log('--merchant', '2'),
      log('--action', 'wallet.debit'),
    ]);
    expect([...since, ...until].map(({ id }) => id)).toEqual(ids);
    expect(since.at(-1)?.created_at).toBe(middle.created_at);
    expect(ofSecond.map(({ action }) => action)).toEqual(['merchant.create']);
    expect(debits.map(({ reference }) => reference)).toEqual(['back-1']);
    const [ofNight, ofConsole, ofOrder] = await Promise.all([
      log('--operator', 'night shift', '--source', 'cli'),
      log('--source', 'console'),
      log('--order', 'ord_0000000000000000'),
    ]);
    expect(ofNight.map(({ merchant_id }) => merchant_id)).toEqual([2]);
    expect([ofConsole, ofOrder]).toEqual([[], []]);
    expect(await log('--limit', '2')).toEqual(all.slice(0, 2));
    expect((await commandLine.run('log', '--limit', '2')).stdout).toMatch(/^The newest 2; --limit shows more\.\n\n/);
    const { stdout } = await commandLine.run('log', '--action', 'wallet.debit');
    expect(stdout).not.toContain('The newest');
    expect(stdout).toMatch(/│ operator-1 │ cli +│ wallet\.debit │ 1 +│ +│ back-1 +│ January │ .*amount 0\.05/);
    await commandLine.refusedAll([
      [['log', '--merchant', '99'], /there is no merchant 99/],
      [['log', '--action', 'nothing'], /It must be one of merchant\.create, /],
      [['log', '--source', 'post'], /It must be one of cli, console/],
      [['log', '--since', 'yesterday'], /It must be a moment with its time zone/],
      [['log', '--since', '2026-01-02', '--until', '2026-01-01'], /--until must be later than --since/],
    ]);
  });

  it('has the reason of each change, also beside the note of a movement', async () => {
    const reason = ['--reason', 'ticket 4711'];
    const entries = await logged(
      ['merchant', 'create', '--name', 'Reasoned', ...reason],
      ['api-key', 'issue', '--merchant', '1', ...reason],
      [...fund('credit', '5', 'bank-2'), ...reason],
      ['wallet', 'debit', '--merchant', '1', '--amount', '5', '--reference', 'back-2', ...reason],
      ['secrets', 'rotate', ...reason],
    );
    expect(entries.map((entry) => entry.reason)).toEqual(Array(5).fill('ticket 4711'));
    expect(entries[2]?.detail).toMatchObject({ amount: '5.00', note: 'January' });
    await commandLine.refusedAll([
      [['merchant', 'create', '--name', 'X', '--reason', ''], /the reason must have 1 to 500 characters/],
      [[...fund('credit', '5', 'bank-3'), '--reason', ' '], /the reason must not be blank/],
    ]);
  });
});
