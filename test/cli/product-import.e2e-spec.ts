import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { CommandLine } from './command-line.js';

type Product = Record<string, unknown>;

interface LogEntry {
  action: string;
  reason: string | null;
  detail: Record<string, unknown>;
}

const directory = mkdtempSync(path.join(tmpdir(), 'topup-cli-'));
const file = path.join(directory, 'catalogue.csv');
let database: TestDatabase;
let commandLine: CommandLine;

beforeAll(async () => {
  database = await createTestDatabase();
  commandLine = new CommandLine({ DATABASE_URL: database.url });
  const supplier = ['--adapter', 'http', '--base-url', 'http://acme.test/v1'];
  await commandLine.json('supplier', 'set', '--code', 'acme', ...supplier);
});

afterAll(async () => {
  await database.drop();
  rmSync(directory, { recursive: true });
});

const set = (sku: string, ...options: string[]): string[] => ['product', 'set', '--sku', sku, ...options];
const defined = (price: string): string[] => ['--name', '86 Diamonds', '--price', price, '--supplier', 'acme'];
const strict = [
  '--requires-server',
  '--requires-character',
  '--max-quantity',
  '5',
  '--supplier-sku',
  'A-86',
  '--kind',
  'code',
  '--player-check',
  'g2bulk:mlbb',
];

/** The product that {@link strict} and {@link defined} make. */
const product = (sku: string, price: string): Product => ({
  sku,
  name: '86 Diamonds',
  price,
  supplier: 'acme',
  supplier_sku: 'A-86',
  requires_server: true,
  requires_character: true,
  max_quantity: 5,
  active: true,
  kind: 'code',
  player_check: 'g2bulk:mlbb',
});

async function imported<Value = Product[]>(text: string, ...options: string[]): Promise<Value> {
  writeFileSync(file, text);
  return commandLine.json<Value>('product', 'import', file, ...options);
}

const find = async (sku: string): Promise<Product | undefined> =>
  (await commandLine.json<Product[]>('product', 'list')).find((each) => each.sku === sku);

const newest = async (action: string): Promise<LogEntry | undefined> =>
  (await commandLine.json<LogEntry[]>('log', '--action', action, '--limit', '1'))[0];

describe('topup product import', () => {
  it('leaves values unchanged for which the file has no column', async () => {
    await commandLine.json(...set('KEEP', ...defined('35'), ...strict));
    expect(await imported('sku,name,price,supplier\nKEEP,86 Diamonds,36,acme\n')).toEqual([product('KEEP', '36.00')]);
    expect(await imported('sku,price\nKEEP,37\n')).toEqual([product('KEEP', '37.00')]);
    expect(await find('KEEP')).toEqual(product('KEEP', '37.00'));
  });

  it('takes an empty field as the default', async () => {
    await commandLine.json(...set('EMPTY', ...defined('35'), ...strict, '--inactive'));
    const text =
      'sku,supplier_sku,requires_server,requires_character,max_quantity,active,kind,player_check\nEMPTY,,,,,,,\n';
    expect(await imported(text)).toEqual([
      {
        ...product('EMPTY', '35.00'),
        supplier_sku: 'EMPTY',
        requires_server: false,
        requires_character: false,
        max_quantity: 100,
        kind: 'topup',
        player_check: null,
      },
    ]);
  });

  it('requires name and price of a new product, and changes nothing if a line is wrong', async () => {
    await commandLine.json(...set('OLD', ...defined('35')));
    writeFileSync(file, 'sku,price\nOLD,1\nNEW-1,5\nNEW-2,\n');
    expect(await commandLine.refused('product', 'import', file)).toBe(
      'error: nothing of catalogue.csv was imported:\n' +
        '  line 3: NEW-1 is a new product: it needs name\n' +
        '  line 4: price is required\n' +
        '  line 4: NEW-2 is a new product: it needs name\n',
    );
    writeFileSync(file, 'sku,price,colour\nOLD,1,red\n');
    expect(await commandLine.refused('product', 'import', file)).toMatch(/there is no column "colour"/);
    expect(await find('OLD')).toMatchObject({ price: '35.00' });
    expect(await find('NEW-1')).toBeUndefined();
  });

  it('with --dry-run, shows the changes and makes none', async () => {
    await commandLine.json(...set('DRY', ...defined('35'), ...strict));
    await commandLine.json(...set('SAME', ...defined('35')));
    const text =
      'sku,name,price,supplier,max_quantity\nSAME,86 Diamonds,35.0,acme,\nDRY,Gems,36,acme,6\nDRIED,New,1,acme,\n';
    const difference = [
      {
        sku: 'DRY',
        change: 'changed',
        changes: [
          { member: 'name', old: '86 Diamonds', new: 'Gems' },
          { member: 'price', old: '35.00', new: '36.00' },
          { member: 'max_quantity', old: 5, new: 6 },
        ],
      },
      {
        sku: 'DRIED',
        change: 'added',
        changes: [
          { member: 'name', old: null, new: 'New' },
          { member: 'price', old: null, new: '1.00' },
          { member: 'supplier', old: null, new: 'acme' },
          { member: 'supplier_sku', old: null, new: 'DRIED' },
          { member: 'requires_server', old: null, new: false },
          { member: 'requires_character', old: null, new: false },
          { member: 'max_quantity', old: null, new: 100 },
          { member: 'active', old: null, new: true },
          { member: 'kind', old: null, new: 'topup' },
        ],
      },
    ];
    const before = await newest('product.import');
    expect(await imported(text, '--dry-run')).toEqual(difference);
    const { stdout } = await commandLine.run('product', 'import', file, '--dry-run');
    expect(stdout).toMatch(/│ DRY +│ changed │ price +│ 35\.00 +│ 36\.00 +│/);
    expect(stdout).not.toContain('SAME');
    expect(await find('DRY')).toEqual(product('DRY', '35.00'));
    expect(await find('DRIED')).toBeUndefined();
    expect(await newest('product.import')).toEqual(before);

    expect(await imported(text, '--reason', 'new season')).toHaveLength(3);
    expect(await newest('product.import')).toMatchObject({
      reason: 'new season',
      detail: { file: 'catalogue.csv', products: 3, added: ['DRIED'], changes: difference },
    });
    expect(await imported(text, '--dry-run')).toEqual([]);
    const nothing = await commandLine.run('product', 'import', file, '--dry-run');
    expect(nothing.stdout).toBe('The file changes nothing.\n');
  });

  it('shows the changes before it prompts on a terminal', async () => {
    const lines = Array.from({ length: 11 }, (_each, index) => `ASK-${index},86 Diamonds,35,acme\n`);
    await imported(`sku,name,price,supplier\n${lines.join('')}`);
    writeFileSync(file, `sku,price\n${lines.map((line) => `${line.split(',')[0] ?? ''},36\n`).join('')}`);
    const { code, screen } = await commandLine.prompted(['product', 'import', file], 'n\n');
    expect(code).toBe(1);
    expect(screen).toMatch(
      /│ ASK-10 +│ changed │ price +│ 35\.00 │ 36\.00 │[^]+11 products change, 11 of them their price, and 0 are added\. Go on\?/,
    );
    expect(await find('ASK-3')).toMatchObject({ price: '35.00' });
  });

  it('of two files at once makes only the changes of each', async () => {
    await commandLine.json(...set('BOTH', ...defined('35')));
    writeFileSync(path.join(directory, 'names.csv'), 'sku,name\nBOTH,Renamed\n');
    writeFileSync(path.join(directory, 'prices.csv'), 'sku,price\nBOTH,99\n');
    await Promise.all(
      ['names.csv', 'prices.csv'].map((name) => commandLine.json('product', 'import', path.join(directory, name))),
    );
    expect(await find('BOTH')).toMatchObject({ name: 'Renamed', price: '99.00' });
  });

  it('reads standard input to its end, also if its writer is slower than the command', async () => {
    // A pipe holds only a part of this at a time.
    const blankLines = '\n'.repeat(2 ** 21);
    commandLine.input = `sku,name,price\n${blankLines}PIPED,Piped,5\n`;
    const { code, stdout, stderr } = await commandLine.runProcess('product', 'import', '-', '--json');
    commandLine.input = '';
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(JSON.parse(stdout)).toMatchObject([{ sku: 'PIPED', price: '5.00' }]);
  });

  it('names standard input as such in its problems', async () => {
    commandLine.input = 'sku,name,price\nTYPED,,5\n';
    const refused = await commandLine.refused('product', 'import', '-');
    commandLine.input = '';
    expect(refused).toMatch(/^error: nothing of standard input was imported:\n/);
  });

  it('does not prompt on a terminal from which the file was read to its end', async () => {
    const skus = Array.from({ length: 11 }, (_each, index) => `TYPED-${index}`);
    const priced = (price: string): string => `sku,name,price\n${skus.map((sku) => `${sku},X,${price}\n`).join('')}`;
    await imported(priced('35'));
    const { code, screen } = await commandLine.prompted(['product', 'import', '-'], priced('36'));
    expect(code).toBe(1);
    expect(screen).toContain('nothing was changed: standard input has ended, so that no answer can be read: add --yes');
    expect(await find('TYPED-0')).toMatchObject({ price: '35.00' });
  });
});

describe('topup product export', () => {
  it('writes the format of the import, and importing it changes nothing', async () => {
    const names = ['=HYPERLINK("http://evil","x")', "'=1", ' two  blanks ', 'a,"b";c', '-35.00', 'ไดมอนด์ 💎'];
    await Promise.all(
      names.map((name, index) => {
        const options = index % 2 === 0 ? [...strict, '--inactive'] : [];
        const needed = ['--name', name, '--price', '0.07', '--supplier', 'acme'];
        return commandLine.json(...set(`@X-${index}`, ...needed, ...options));
      }),
    );
    const products = await commandLine.json<Product[]>('product', 'list');
    const exported = path.join(directory, 'exported.csv');
    expect(await commandLine.json('product', 'export', exported)).toEqual({
      file: exported,
      products: products.length,
    });
    const { stdout } = await commandLine.run('product', 'export', '-');
    expect(stdout).toBe(readFileSync(exported, 'utf8'));
    expect(stdout).toMatch(
      /^sku,name,price,supplier,supplier_sku,requires_server,requires_character,max_quantity,active,kind,player_check\n/,
    );
    expect(stdout).toContain(
      `'@X-0,"'=HYPERLINK(""http://evil"",""x"")",0.07,acme,A-86,true,true,5,false,code,g2bulk:mlbb\n`,
    );
    expect(await commandLine.json('product', 'import', exported, '--dry-run')).toEqual([]);
    const before = await newest('product.import');
    expect(await commandLine.json('product', 'import', exported)).toEqual(products);
    expect(await newest('product.import')).toEqual(before);
  });

  it('gives the reason why it cannot write', async () => {
    await commandLine.refusedAll([
      [['product', 'export', path.join(directory, 'none', 'x.csv')], /the file cannot be written: ENOENT/],
      [['product', 'export', '-'], 'error: choose one: - or --json\n'],
    ]);
  });
});

describe('topup product set', () => {
  it('changes only the given values of an existing product', async () => {
    await commandLine.json(...set('PART', ...defined('35'), ...strict));
    expect(await commandLine.json(...set('PART', '--price', '36'))).toEqual(product('PART', '36.00'));
    expect(await commandLine.json(...set('PART', '--inactive'))).toMatchObject({
      active: false,
      max_quantity: 5,
    });
    expect(await commandLine.json(...set('PART', '--name', 'Gems'))).toMatchObject({
      name: 'Gems',
      active: false,
    });
    const off = ['--no-requires-server', '--no-requires-character', '--active'];
    expect(await commandLine.json(...set('PART', ...off))).toEqual({
      ...product('PART', '36.00'),
      name: 'Gems',
      requires_server: false,
      requires_character: false,
    });
    expect(await newest('product.set')).toMatchObject({
      detail: { before: { requires_server: true, requires_character: true, active: false } },
    });
  });

  it('leaves unchanged values out of the audit log', async () => {
    await commandLine.json(...set('IDLE', ...defined('35')));
    const before = await newest('product.set');
    await commandLine.json(...set('IDLE', '--price', '35.00', '--active'));
    expect(await newest('product.set')).toEqual(before);
  });

  it('refuses a new product without required values, and contradictory options', async () => {
    await commandLine.refusedAll([
      [set('NONE', '--price', '1'), 'error: NONE is a new product: it needs name\n'],
      [set('PART', '--active', '--inactive'), /'--active' cannot be used with option '--inactive'/],
    ]);
    expect(await find('NONE')).toBeUndefined();
  });
});
