import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { MOMENT } from '../support/expectations.js';
import { FakeSupplier } from '../support/fake-supplier.js';
import { CommandLine } from './command-line.js';

interface SupplierJson {
  balance: object | null;
}

const secretsKey = randomBytes(32);
const directory = mkdtempSync(path.join(tmpdir(), 'topup-cli-'));

let database: TestDatabase;
let commandLine: CommandLine;
let client: pg.Client;
let supplier: FakeSupplier;

beforeAll(async () => {
  database = await createTestDatabase();
  commandLine = new CommandLine({ DATABASE_URL: database.url, SECRETS_KEY: secretsKey.toString('base64') });
  client = new pg.Client({ connectionString: database.url });
  await client.connect();
});

afterAll(async () => {
  await client.end();
  await database.drop();
  rmSync(directory, { recursive: true });
});

beforeEach(async () => {
  supplier = await new FakeSupplier().listen();
  await client.query('DELETE FROM suppliers');
});

afterEach(() => supplier.close());

const set = (...options: string[]): string[] => [
  'supplier', 'set', '--code', 'acme', '--adapter', 'http', '--base-url', supplier.url, ...options,
]; // prettier-ignore

const show = (): Promise<SupplierJson> => commandLine.json<SupplierJson>('supplier', 'show', 'acme');

describe('topup supplier balance', () => {
  const balance = (amount: string): void => {
    supplier.balance = { status: 200, body: { balance: amount, currency: 'THB' } };
  };
  const told = (amount: string, low: boolean): object => ({
    ...{ amount, currency: 'THB', low },
    at: expect.stringMatching(MOMENT) as unknown as string,
  });

  it('asks now, and keeps what it was told', async () => {
    await commandLine.json(...set('--low-balance', '1000.5'));
    const { rows } = await client.query('SELECT updated_at FROM suppliers');
    balance('1000.50');
    const row = { code: 'acme', ...told('1000.5', false) };
    expect(await commandLine.json('supplier', 'balance')).toEqual([row]);
    balance('1000.49');
    expect(await commandLine.json('supplier', 'balance', 'acme')).toEqual([
      { code: 'acme', ...told('1000.49', true) },
    ]);
    expect(await show()).toMatchObject({ currency: 'THB', balance: told('1000.49', true) });
    expect((await commandLine.run('supplier', 'list')).stdout).toContain('1000.49 THB (low)');
    // No setting was changed.
    expect((await client.query('SELECT updated_at FROM suppliers')).rows).toEqual(rows);
    await commandLine.json(...set());
    expect((await show()).balance).toEqual(told('1000.49', true));
    await commandLine.json(...set('--no-low-balance'));
    expect((await show()).balance).toEqual(told('1000.49', false));
  });

  it('may be below nothing', async () => {
    await commandLine.json(...set('--low-balance', '0'));
    balance('-250.25');
    expect(await commandLine.json('supplier', 'balance')).toEqual([
      { code: 'acme', ...told('-250.25', true) },
    ]);
  });

  it('of one that can’t be asked is the last one that it told, and the exit code is 1', async () => {
    await commandLine.json(...set());
    const [before] = await commandLine.json<object[]>('supplier', 'balance');
    supplier.balance = { status: 401 };
    const { code, stdout, stderr } = await commandLine.run('supplier', 'balance', '--json');
    expect({ code, rows: JSON.parse(stdout) as unknown }).toEqual({ code: 1, rows: [before] });
    expect(stderr).toMatch(
      /^acme: it refuses our credentials \(HTTP 401\): set them anew with topup supplier/,
    );
  });

  it('is nothing where the supplier does not tell', async () => {
    await commandLine.json(...set());
    supplier.balance = { status: 404 };
    const nothing = { code: 'acme', amount: null, currency: null, at: null, low: false };
    expect(await commandLine.json('supplier', 'balance')).toEqual([nothing]);
    const { code, stderr } = await commandLine.run('supplier', 'balance');
    expect(code).toBe(0);
    expect(stderr).toMatch(/^acme: it responds, and tells no balance \(HTTP 404\)/);
  });

  it('is forgotten when the supplier is moved', async () => {
    await commandLine.json(...set());
    await commandLine.json('supplier', 'balance');
    await commandLine.json(...set('--base-url', 'http://127.0.0.1:1'));
    expect(await show()).toMatchObject({ currency: null, balance: null });
  });

  it('of nobody is refused', async () => {
    expect(await commandLine.refused('supplier', 'balance', 'nobody')).toMatch(
      /there is no supplier nobody: topup supplier list shows them/,
    );
  });
});
