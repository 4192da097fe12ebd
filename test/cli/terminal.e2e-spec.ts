import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { CommandLine } from './command-line.js';

const directory = mkdtempSync(path.join(tmpdir(), 'topup-cli-'));
let database: TestDatabase;
let commandLine: CommandLine;

beforeAll(async () => {
  database = await createTestDatabase();
  commandLine = new CommandLine({ DATABASE_URL: database.url });
  await commandLine.json('merchant', 'create', '--name', 'Shop');
  await commandLine.json(...fund('credit', '100', 'bank-1'));
});

afterAll(async () => {
  await database.drop();
  rmSync(directory, { recursive: true });
});

const fund = (kind: string, amount: string, reference: string): string[] => [
  'wallet',
  kind,
  '--merchant',
  '1',
  '--amount',
  amount,
  '--reference',
  reference,
];

const available = async (): Promise<string> =>
  (await commandLine.json<{ available_amount: string }>('wallet', 'show', '--merchant', '1')).available_amount;

describe('topup on a terminal', () => {
  it.each(['n\n', '\n', '\u0004', 'yes please\n'])('does nothing when the answer is %j', async (answer) => {
    const { code, screen } = await commandLine.onTerminal(fund('debit', '10', 'back-1'), answer);
    expect(screen).toContain('10.00 THB leave the wallet of merchant 1, which has 100.00 available. Go on? [y/N] ');
    expect(screen).toContain('nothing was changed: the answer was not y');
    expect(code).toBe(1);
    expect(await available()).toBe('100.00');
  });

  it('goes on if the answer is y, and does not prompt with --yes', async () => {
    expect(await commandLine.onTerminal(fund('debit', '10', 'back-1'), 'y\n')).toMatchObject({ code: 0 });
    expect(await available()).toBe('90.00');
    const { code, screen } = await commandLine.onTerminal([...fund('debit', '10', 'back-2'), '--yes']);
    expect({ code, asked: screen.includes('[y/N]') }).toEqual({ code: 0, asked: false });
    expect(await available()).toBe('80.00');
  });

  it('never prompts without a terminal', async () => {
    const { code, stderr } = await commandLine.runProcess(...fund('debit', '5', 'back-3'));
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  });

  it('prompts before a key ends, and before a file changes many products', async () => {
    const { id } = await commandLine.json<{ id: number }>('api-key', 'issue', '--merchant', '1', '--name', 'till');
    const kept = await commandLine.prompted(['api-key', 'revoke', String(id)], 'n\n');
    expect(kept.screen).toMatch(/API key \d+ \(topup_\w+…, till\) of merchant 1 stops working within 5 seconds, for/);
    const supplier = ['--code', 'acme', '--adapter', 'http', '--base-url', 'http://acme.test'];
    await commandLine.json('supplier', 'set', ...supplier);
    const file = path.join(directory, 'catalogue.csv');
    const lines = (price: number): string =>
      Array.from({ length: 11 }, (_each, index) => `SKU-${index},Name,${price},acme\n`).join('');
    writeFileSync(file, `sku,name,price,supplier\n${lines(10)}`);
    const first = await commandLine.prompted(['product', 'import', file]);
    expect({ code: first.code, asked: first.screen.includes('[y/N]') }).toEqual({ code: 0, asked: false });
    writeFileSync(file, `sku,name,price,supplier\n${lines(11)}NEW,New,5,acme\n`);
    const second = await commandLine.prompted(['product', 'import', file], 'n\n');
    expect(second.screen).toContain('11 products change, 11 of them their price, and 1 is added. Go on?');
    expect(await commandLine.json('product', 'list')).toHaveLength(11);
    expect(await commandLine.json('product', 'import', file)).toHaveLength(12);
  });

  it('shows its progress, and clears it at the end', async () => {
    const { code, screen } = await commandLine.onTerminal(['audit']);
    expect(code).toBe(0);
    // oxlint-disable-next-line no-control-regex
    expect(screen).toMatch(/\r\u001b\[KChecking the books: 0 of \d+, \w+[^]*\r\u001b\[K┌/);
    const piped = await commandLine.runProcess('audit');
    expect(piped.stderr).toBe('');
  });

  it('colours important words, but not with NO_COLOR', async () => {
    const coloured = await commandLine.onTerminal(['audit']);
    expect(coloured.screen).toContain('\u001b[32mok\u001b[39m');
    const plain = await commandLine.onTerminal(['audit'], '', { NO_COLOR: '1' });
    expect(plain.screen).toContain('│ ok ');
    // oxlint-disable-next-line no-control-regex
    expect(plain.screen).not.toMatch(/\u001b\[\d+m/);
    const failed = await commandLine.onTerminal(['merchant', 'show', '99']);
    expect(failed.screen).toContain('\u001b[31merror:\u001b[39m there is no merchant 99');
  });
});
