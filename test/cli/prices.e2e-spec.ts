import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { CommandLine } from './command-line.js';

type Row = Record<string, unknown>;

const directory = mkdtempSync(path.join(tmpdir(), 'topup-cli-'));
const file = path.join(directory, 'prices.csv');
let database: TestDatabase;
let commandLine: CommandLine;

beforeAll(async () => {
  database = await createTestDatabase();
  commandLine = new CommandLine({ DATABASE_URL: database.url });
  const supplier = ['--adapter', 'http', '--base-url', 'http://acme.test/v1'];
  await commandLine.json('supplier', 'set', '--code', 'acme', ...supplier);
  await commandLine.json('merchant', 'create', '--name', 'First');
  await commandLine.json('merchant', 'create', '--name', 'Second');
});

afterAll(async () => {
  await database.drop();
  rmSync(directory, { recursive: true });
});

/** Adds the products of one test. */
async function products(prices: Record<string, string>): Promise<void> {
  const lines = Object.entries(prices).map(([sku, price]) => `${sku},${sku},${price},acme\n`);
  const catalogue = path.join(directory, 'catalogue.csv');
  writeFileSync(catalogue, `sku,name,price,supplier\n${lines.join('')}`);
  await commandLine.json('product', 'import', catalogue);
}

async function imported<Value = Row[]>(lines: string, ...options: string[]): Promise<Value> {
  writeFileSync(file, `merchant_id,sku,price\n${lines}`);
  return commandLine.json<Value>('price', 'import', file, ...options);
}

const adjust = (...options: string[]): Promise<Row[]> => commandLine.json<Row[]>('price', 'adjust', ...options);

const listPrice = async (sku: string): Promise<unknown> =>
  (await commandLine.json<Row[]>('product', 'list')).find((each) => each.sku === sku)?.price;

const ownPrices = (...options: string[]): Promise<Row[]> => commandLine.json<Row[]>('price', 'list', ...options);

const newest = async (action: string): Promise<Row | undefined> =>
  (await commandLine.json<Row[]>('log', '--action', action, '--limit', '1'))[0];

describe('topup price list', () => {
  it('shows merchants’ own prices beside the list price, by merchant and by product', async () => {
    await products({ 'LIST-1': '35', 'LIST-2': '20' });
    await imported('2,LIST-1,30\n1,LIST-2,19.50\n1,LIST-1,31.50\n');
    const first = [
      { merchant_id: 1, sku: 'LIST-1', price: '31.50', list_price: '35.00' },
      { merchant_id: 1, sku: 'LIST-2', price: '19.50', list_price: '20.00' },
    ];
    const second = [{ merchant_id: 2, sku: 'LIST-1', price: '30.00', list_price: '35.00' }];
    const [all, ofFirst, ofSku, ofBoth] = await Promise.all([
      ownPrices(),
      ownPrices('--merchant', '1'),
      ownPrices('--sku', 'LIST-1'),
      ownPrices('--merchant', '2', '--sku', 'LIST-1'),
    ]);
    expect(all).toEqual([...first, ...second]);
    expect(ofFirst).toEqual(first);
    expect(ofSku).toEqual([first[0], second[0]]);
    expect(ofBoth).toEqual(second);
    await commandLine.refusedAll([
      [['price', 'list', '--merchant', '99'], /there is no merchant 99/],
      [['price', 'list', '--sku', 'NONE'], /there is no product NONE/],
    ]);
  });
});

describe('topup price import', () => {
  it('sets prices, and clears prices with an empty field', async () => {
    await products({ 'IN-1': '35', 'IN-2': '20' });
    expect(await imported('1,IN-1,31.50\n2,IN-1,\n', '--reason', 'contract')).toEqual([
      { merchant_id: 1, sku: 'IN-1', price: '31.50' },
      { merchant_id: 2, sku: 'IN-1', price: '35.00' },
    ]);
    expect(await newest('price.import')).toMatchObject({
      reason: 'contract',
      detail: {
        file: 'prices.csv',
        prices: 2,
        changes: [{ merchant_id: 1, sku: 'IN-1', old: null, new: '31.50' }],
      },
    });
    const difference = [
      { merchant_id: 1, sku: 'IN-1', old: '31.50', new: null },
      { merchant_id: 1, sku: 'IN-2', old: null, new: '0.00' },
    ];
    const lines = '1,IN-1,\n1,IN-2,0\n2,IN-2,\n';
    expect(await imported(lines, '--dry-run')).toEqual(difference);
    expect(await ownPrices('--sku', 'IN-1')).toHaveLength(1);
    await imported(lines);
    expect(await imported(lines, '--dry-run')).toEqual([]);
    expect(await ownPrices('--sku', 'IN-1')).toEqual([]);
    expect(await ownPrices('--sku', 'IN-2')).toMatchObject([{ merchant_id: 1, price: '0.00' }]);
    const before = await newest('price.import');
    await imported(lines);
    expect(await newest('price.import')).toEqual(before);
  });

  it('changes nothing if a line is wrong, and names every wrong line', async () => {
    await products({ BAD: '35' });
    writeFileSync(file, 'merchant_id,sku,price\n1,BAD,30\n99,BAD,30\n1,NONE,x\n2,BAD,35.01\n1,BAD,1\none,BAD,1\n');
    expect(await commandLine.refused('price', 'import', file)).toBe(
      'error: nothing of prices.csv was imported:\n' +
        '  line 3: there is no merchant 99: topup merchant list shows them\n' +
        '  line 4: price must be an amount in baht such as 35.00, not "x"\n' +
        "  line 5: a merchant's price of BAD may be at most its list price, 35.00\n" +
        '  line 6: the price of BAD for merchant 1 is on line 2 already\n' +
        '  line 7: merchant_id must be an id: a whole number such as 12, not "one"\n',
    );
    writeFileSync(file, 'merchant_id,sku\n1,BAD\n');
    expect(await commandLine.refused('price', 'import', file)).toMatch(/line 1: column price is missing/);
    expect(await ownPrices('--sku', 'BAD')).toEqual([]);
  });
});

describe('topup price adjust', () => {
  it('changes list prices by a percentage, rounded half up to satang', async () => {
    await products({ 'PCT-1': '35', 'PCT-2': '0.10', 'PCT-3': '0.01', PCTX: '10' });
    const options = ['--percent', '-3.5', '--match', 'PCT-*'];
    // 35.00 becomes 33.775; 0.10 becomes 0.0965 and 0.01 becomes 0.00965, which round to the old prices.
    const difference = [{ merchant_id: null, sku: 'PCT-1', old: '35.00', new: '33.78' }];
    expect(await adjust(...options, '--dry-run')).toEqual(difference);
    expect(await listPrice('PCT-1')).toBe('35.00');
    expect(await adjust(...options, '--yes', '--reason', 'season')).toEqual(difference);
    expect([await listPrice('PCT-1'), await listPrice('PCTX')]).toEqual(['33.78', '10.00']);
    expect(await newest('price.adjust')).toMatchObject({
      reason: 'season',
      merchant_id: null,
      detail: { percent: '-3.5', match: 'PCT-*', changes: difference },
    });
    expect(await adjust('--percent', '50', '--match', 'PCT-3', '--dry-run')).toEqual([
      { merchant_id: null, sku: 'PCT-3', old: '0.01', new: '0.02' },
    ]);
    expect(await adjust('--percent', '-50', '--match', 'PCT-3', '--dry-run')).toEqual([]);
  });

  it('has only * as a wildcard, for any text', async () => {
    await products({ 'W_1%': '10', 'WX1%': '10', 'W\\1': '10', AW_1: '10' });
    const matched = async (match: string): Promise<unknown[]> =>
      (await adjust('--percent', '10', '--match', match, '--dry-run')).map(({ sku }) => sku);
    const [underscore, percent, backslash, around] = await Promise.all(['W_1*', 'W*%', 'W\\*', '*W_1*'].map(matched));
    expect(underscore).toEqual(['W_1%']);
    expect(percent).toEqual(['WX1%', 'W_1%'].sort());
    expect(backslash).toEqual(['W\\1']);
    expect(around).toEqual(['AW_1', 'W_1%']);
  });

  it('caps merchants’ prices at a lower list price, until that rises again', async () => {
    await products({ CAP: '35' });
    await imported('1,CAP,31.50\n2,CAP,20\n');
    expect(await adjust('--percent', '-20', '--match', 'CAP', '--yes')).toEqual([
      { merchant_id: null, sku: 'CAP', old: '35.00', new: '28.00' },
      { merchant_id: 1, sku: 'CAP', old: '31.50', new: '28.00' },
    ]);
    expect(await ownPrices('--sku', 'CAP')).toMatchObject([
      { merchant_id: 1, price: '28.00', list_price: '28.00' },
      { merchant_id: 2, price: '20.00' },
    ]);
    await adjust('--percent', '25', '--match', 'CAP', '--yes');
    expect(await ownPrices('--sku', 'CAP', '--merchant', '1')).toMatchObject([{ price: '31.50' }]);
  });

  it('changes the prices of one merchant only, up to the list price', async () => {
    await products({ 'OWN-1': '35', 'OWN-2': '10', 'OWN-3': '5' });
    await imported('1,OWN-1,30\n1,OWN-2,9.99\n2,OWN-1,30\n');
    const options = ['--percent', '10', '--match', 'OWN-*', '--merchant', '1'];
    const difference = [
      { merchant_id: 1, sku: 'OWN-1', old: '30.00', new: '33.00' },
      { merchant_id: 1, sku: 'OWN-2', old: '9.99', new: '10.00' },
    ];
    expect(await adjust(...options, '--yes')).toEqual(difference);
    expect(await newest('price.adjust')).toMatchObject({ merchant_id: 1, detail: { changes: difference } });
    expect(await ownPrices('--sku', 'OWN-1')).toMatchObject([{ price: '33.00' }, { price: '30.00' }]);
    expect(await listPrice('OWN-1')).toBe('35.00');
  });

  it('needs --yes or --dry-run without a terminal, and prompts on one', async () => {
    await products({ TELL: '35' });
    const line = ['price', 'adjust', '--percent', '-10', '--match', 'TELL'];
    await commandLine.refusedAll([
      [line, 'error: give --dry-run to see what would change, or --yes to change it\n'],
      [[...line, '--merchant', '99', '--dry-run'], /there is no merchant 99/],
      [['price', 'adjust', '--percent', '-100', '--yes'], /must be a percentage above -100 such as -3\.5/],
      [['price', 'adjust', '--percent', 'ten', '--yes'], /must be a percentage above -100 such as -3\.5/],
    ]);
    expect(await listPrice('TELL')).toBe('35.00');
    const refused = await commandLine.prompted(line, 'n\n');
    expect(refused.screen).toMatch(/│ TELL │ 35\.00 │ 31\.50 │[^]+1 price changes by -10 %\. Go on\?/);
    expect(await listPrice('TELL')).toBe('35.00');
    expect(await commandLine.prompted(line, 'y\n')).toMatchObject({ code: 0 });
    expect(await listPrice('TELL')).toBe('31.50');
  });
});

describe('topup price list of more prices than one page has', () => {
  it('lists each price once, in order, and prints as it reads', async () => {
    const skus = Array.from({ length: 501 }, (_, index) => `MANY-${index}`);
    await products(Object.fromEntries(skus.map((sku) => [sku, '35'])));
    await imported([1, 2].flatMap((merchant) => skus.map((sku) => `${merchant},${sku},30\n`)).join(''));
    const [all, ofFirst, ofSecond] = await Promise.all([
      ownPrices(),
      ownPrices('--merchant', '1'),
      ownPrices('--merchant', '2'),
    ]);
    expect(all.length).toBeGreaterThan(1_000);
    expect(all).toEqual([...ofFirst, ...ofSecond]);
    const { stdout } = await commandLine.run('price', 'list');
    expect(stdout.match(/merchant_id/g)).toHaveLength(2);
  });
});
