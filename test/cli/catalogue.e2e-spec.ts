import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { SecretBox } from '../../src/core/secret-box.js';
import { supplierPlace } from '../../src/suppliers/supplier.entity.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { CommandLine } from './command-line.js';

const secretsKey = randomBytes(32);
const directory = mkdtempSync(path.join(tmpdir(), 'topup-cli-'));

let database: TestDatabase;
let commandLine: CommandLine;
let client: pg.Client;

beforeAll(async () => {
  database = await createTestDatabase();
  commandLine = new CommandLine({ DATABASE_URL: database.url, SECRETS_KEY: secretsKey.toString('base64') });
  client = new pg.Client({ connectionString: database.url });
  await client.connect();
  await commandLine.json(
    'supplier',
    'set',
    '--code',
    'acme',
    '--adapter',
    'http',
    '--base-url',
    'http://acme.test/v1/',
  );
});

afterAll(async () => {
  await client.end();
  await database.drop();
  rmSync(directory, { recursive: true });
});

describe('topup supplier', () => {
  const set = (...options: string[]): string[] => [
    'supplier',
    'set',
    '--code',
    'acme',
    '--adapter',
    'http',
    '--base-url',
    'http://acme.test/v1',
    ...options,
  ];
  const acme = {
    code: 'acme',
    adapter: 'http',
    base_url: 'http://acme.test/v1',
    currency: null,
    timeout_ms: 10_000,
    max_in_flight: null,
    low_balance: null,
    credentials: [] as string[],
    options: {},
    status: 'active',
    pause_reason: null,
    callback_url: null,
    balance: null,
  };
  const withToken = { ...acme, credentials: ['token'] };

  async function storedToken(key = secretsKey): Promise<string | null> {
    const { rows } = await client.query<{ token_sealed: Buffer | null }>(
      'SELECT token_sealed FROM suppliers WHERE id > 0',
    );
    const sealed = rows[0]?.token_sealed ?? null;
    return sealed && new SecretBox(key).open(sealed, supplierPlace('token_sealed', acme.code));
  }

  it('keeps the token until it is replaced or removed', async () => {
    expect(await commandLine.json(...set('--token', 's3cr3t'))).toEqual(withToken);
    expect(await commandLine.json(...set('--timeout-ms', '2500'))).toEqual({
      ...withToken,
      timeout_ms: 2500,
    });
    expect(await storedToken()).toBe('s3cr3t');
    expect(await commandLine.json(...set('--no-token'))).toEqual(acme);
    expect(await storedToken()).toBeNull();
    expect(await commandLine.json('supplier', 'list')).toEqual([acme]);
  });

  it('seals the token again under a new key', async () => {
    await commandLine.json(...set('--token', 's3cr3t'));
    const newKey = randomBytes(32);
    const renewed = new CommandLine({
      DATABASE_URL: database.url,
      SECRETS_KEY: newKey.toString('base64'),
      SECRETS_PREVIOUS_KEYS: secretsKey.toString('base64'),
    });
    expect(await renewed.json('secrets', 'rotate')).toEqual({ rotated: 1 });
    expect(await storedToken(newKey)).toBe('s3cr3t');
  });

  it('needs SECRETS_KEY only for a token, and to seal it again', async () => {
    const keyless = new CommandLine({ DATABASE_URL: database.url, TOPUP_DATA_DIR: directory });
    expect(await keyless.json(...set())).toEqual(withToken);
    expect(await keyless.refused(...set('--token', 's3cr3t'))).toMatch(/SECRETS_KEY must be set/);
    expect(await keyless.refused('secrets', 'rotate')).toMatch(/SECRETS_KEY must be set/);
  });

  it('refuses invalid settings', async () => {
    const unlike = (adapter: string, url: string): string[] => [
      'supplier',
      'set',
      '--code',
      'x',
      '--adapter',
      adapter,
      '--base-url',
      url,
    ];
    await commandLine.refusedAll([
      [unlike('soap', 'http://x'), /It must be one of http, /],
      [unlike('http', 'http://user@x'), /the base URL must be an http or https URL without credentials/],
    ]);
  });
});

describe('topup product', () => {
  const set = ['product', 'set', '--sku', 'MLBB-86', '--name', '86 Diamonds', '--price', '35', '--supplier', 'acme'];
  const product = {
    sku: 'MLBB-86',
    name: '86 Diamonds',
    price: '35.00',
    supplier: 'acme',
    supplier_sku: 'MLBB-86',
    requires_server: false,
    requires_character: false,
    max_quantity: 100,
    active: true,
    kind: 'topup',
    player_check: null,
  };

  it('has defaults for absent options of a new product', async () => {
    expect(await commandLine.json(...set)).toEqual(product);
    expect(await commandLine.json('product', 'list')).toEqual([product]);
    expect(await commandLine.refused(...set, '--supplier', 'nobody')).toMatch(/there is no supplier nobody/);
  });

  it('keeps the validator of players until it is removed', async () => {
    const check = (...options: string[]): Promise<unknown> =>
      commandLine.json('product', 'set', '--sku', 'MLBB-86', ...options);
    expect(await check('--player-check', 'g2bulk:mlbb')).toEqual({ ...product, player_check: 'g2bulk:mlbb' });
    expect(await check('--max-quantity', '100')).toEqual({ ...product, player_check: 'g2bulk:mlbb' });
    for (const wrong of ['mlbb', 'g2bulk:', 'g2bulk:m l', 'acme:mlbb'])
      expect(await commandLine.refused('product', 'set', '--sku', 'MLBB-86', '--player-check', wrong)).toMatch(
        /It must be a validator and its code of the game, such as g2bulk:mlbb/,
      );
    expect(await check('--no-player-check')).toEqual(product);
  });

  it('imports a whole file, or nothing of it', async () => {
    const file = path.join(directory, 'catalogue.csv');
    writeFileSync(file, 'sku,name,price,supplier,active\nMLBB-86,Changed,1.00,acme,no\n"B\n",Bad,x,acme,\n,,1,nobody,');
    expect(await commandLine.refused('product', 'import', file)).toBe(
      'error: nothing of catalogue.csv was imported:\n' +
        '  line 3: price must be an amount in baht such as 35.00, not "x"\n' +
        '  line 5: sku is required\n' +
        '  line 5: name is required\n' +
        '  line 5: supplier must be one that topup supplier list shows, not "nobody"\n',
    );
    expect(await commandLine.json('product', 'list')).toEqual([product]);

    writeFileSync(file, '\ufeffname,price,sku,supplier,requires_server\r\n"Pass, ""weekly""",59,WEEKLY,acme,Yes\r\n');
    const weekly = {
      ...product,
      sku: 'WEEKLY',
      supplier_sku: 'WEEKLY',
      name: 'Pass, "weekly"',
      price: '59.00',
    };
    expect(await commandLine.json('product', 'import', file)).toEqual([{ ...weekly, requires_server: true }]);
    expect(await commandLine.json('product', 'list')).toHaveLength(2);
    expect(await commandLine.refused('product', 'import', `${file}.gone`)).toMatch(/the file cannot be read: ENOENT/);
  });
});

describe('topup price', () => {
  it('gives a merchant its own price, up to the list price, and removes it', async () => {
    await commandLine.json('merchant', 'create', '--name', 'Shop');
    const which = ['--merchant', '1', '--sku', 'MLBB-86'];
    const price = (price: string): object => ({ merchant_id: 1, sku: 'MLBB-86', price });
    expect(await commandLine.json('price', 'set', ...which, '--price', '0')).toEqual(price('0.00'));
    expect(await commandLine.json('price', 'set', ...which, '--price', '31.50')).toEqual(price('31.50'));
    const above = await commandLine.refused('price', 'set', ...which, '--price', '35.01');
    expect(above).toMatch(/at most its list price/);
    const { rows } = await client.query('SELECT merchant_id, price FROM merchant_prices');
    expect(rows).toEqual([{ merchant_id: 1, price: '3150' }]);
    expect(await commandLine.json('price', 'clear', ...which)).toEqual(price('35.00'));
    expect((await client.query('SELECT FROM merchant_prices')).rowCount).toBe(0);
  });

  it('refuses an unknown merchant or product', async () => {
    const unknown = ['price', 'set', '--price', '1', '--merchant'];
    await commandLine.refusedAll([
      [[...unknown, '99', '--sku', 'MLBB-86'], /there is no merchant 99/],
      [[...unknown, '1', '--sku', 'NONE'], /there is no product NONE/],
    ]);
  });
});
