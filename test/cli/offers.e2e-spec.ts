import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { TestStack, unique } from '../support/stack.js';
import { CommandLine } from './command-line.js';

interface Offer {
  supplier: string;
  supplier_sku: string;
  priority: number;
  [member: string]: unknown;
}

let stack: TestStack;
let commandLine: CommandLine;
let directory: string;
let sku: string;

beforeAll(async () => {
  directory = mkdtempSync(path.join(tmpdir(), 'offers-'));
  stack = await TestStack.start({}, { worker: false });
  await stack.addSupplier('other', stack.supplier.url);
  commandLine = new CommandLine({
    DATABASE_URL: stack.config.DATABASE_URL,
    SECRETS_KEY: stack.config.secretsKey?.toString('base64') ?? '',
  });
});

afterAll(async () => {
  rmSync(directory, { recursive: true });
  await stack.close();
});

beforeEach(async () => {
  sku = unique('SKU');
  await commandLine.json('product', 'set', '--sku', sku, '--name', 'A product', '--price', '35.00');
});

const named = (supplier: string, supplierSku: string): string[] => [
  '--sku',
  sku,
  '--supplier',
  supplier,
  '--supplier-sku',
  supplierSku,
];

const set = (supplier: string, supplierSku: string, ...options: string[]): Promise<Offer> =>
  commandLine.json<Offer>('offer', 'set', ...named(supplier, supplierSku), ...options);

const remove = (supplier: string, supplierSku: string): Promise<Offer> =>
  commandLine.json<Offer>('offer', 'remove', ...named(supplier, supplierSku));

async function offers(): Promise<string[]> {
  const listed = await commandLine.json<Offer[]>('offer', 'list', '--sku', sku);
  return listed.map((each) => `${each.priority} ${each.supplier}/${each.supplier_sku}`);
}

async function product(): Promise<Record<string, unknown> | undefined> {
  const products = await commandLine.json<Record<string, unknown>[]>('product', 'list');
  return products.find((each) => each.sku === sku);
}

const newest = async (action: string): Promise<object | undefined> =>
  (await commandLine.json<object[]>('log', '--action', action))[0];

describe('topup offer set', () => {
  it('adds an offer, which is routable without a cost', async () => {
    const offer = {
      sku,
      supplier: 'fake',
      supplier_sku: 'X',
      priority: 1,
      cost: null,
      currency: null,
      cost_baht: null,
      margin_baht: null,
      player_template: null,
      guard_percent: 5,
      active: true,
      routable: true,
      why_not: null,
    };
    expect(await set('fake', 'X')).toEqual(offer);
    expect(await commandLine.json('offer', 'list', '--sku', sku)).toEqual([offer]);
    expect(Object.keys(offer)).toEqual([
      'sku',
      'supplier',
      'supplier_sku',
      'priority',
      'cost',
      'currency',
      'cost_baht',
      'margin_baht',
      'player_template',
      'guard_percent',
      'active',
      'routable',
      'why_not',
    ]);
  });

  it('changes only the given values of an existing offer', async () => {
    await set('fake', 'X', '--priority', '3', '--cost', '10.5', '--currency', 'thb', '--guard-percent', '2.5');
    await set('fake', 'X', '--player-template', '{user}({server})');
    const changed = await set('fake', 'X', '--cost', '11', '--reason', 'they raised it');
    expect(changed).toMatchObject({
      priority: 3,
      cost: '11',
      currency: 'THB',
      cost_baht: '11.00',
      margin_baht: '24.00',
      player_template: '{user}({server})',
      guard_percent: 2.5,
      active: true,
    });
    expect(await newest('offer.set')).toMatchObject({
      operator: 'operator-1',
      reason: 'they raised it',
      detail: { sku, supplier: 'fake', supplier_sku: 'X', cost: '11', before: { cost: '10.5', priority: 3 } },
    });
    expect(await set('fake', 'X', '--no-cost', '--no-player-template')).toMatchObject({
      cost: null,
      currency: null,
      player_template: null,
      priority: 3,
      guard_percent: 2.5,
    });
  });

  it('leaves unchanged values out of the audit log', async () => {
    await set('fake', 'X', '--priority', '2');
    const before = await newest('offer.set');
    await set('fake', 'X', '--priority', '2', '--active');
    expect(await newest('offer.set')).toEqual(before);
  });

  it('switches an offer off and on again, and shows why it is off', async () => {
    await set('fake', 'X');
    expect(await set('fake', 'X', '--inactive', '--reason', 'too dear')).toMatchObject({
      active: false,
      routable: false,
      why_not: 'it is off: too dear',
    });
    expect(await set('fake', 'X', '--priority', '2')).toMatchObject({ why_not: 'it is off: too dear' });
    expect(await set('fake', 'X', '--active')).toMatchObject({ active: true, routable: true, why_not: null });
    expect(await set('fake', 'X', '--inactive')).toMatchObject({ why_not: 'it is off' });
  });

  it('warns if the converted cost leaves too small a margin', async () => {
    const dear = ['offer', 'set', ...named('fake', 'X'), '--cost', '35.01', '--currency', 'THB', '--json'];
    const { code, stdout, stderr } = await commandLine.run(...dear);
    expect(code).toBe(0);
    expect(stderr).toMatch(/eats the margin/);
    expect(JSON.parse(stdout)).toMatchObject({
      cost: '35.01',
      cost_baht: '35.01',
      margin_baht: '-0.01',
      routable: false,
      why_not: 'its cost eats the margin',
    });
    expect(await set('fake', 'X', '--cost', '35')).toMatchObject({ margin_baht: '0.00', routable: true });
  });

  it('converts a cost at the exchange rate; without a rate, the offer is not routable', async () => {
    expect(await set('fake', 'X', '--cost', '10500', '--currency', 'IDR')).toMatchObject({
      cost: '10500',
      currency: 'IDR',
      cost_baht: null,
      margin_baht: null,
      routable: false,
      why_not: 'there is no exchange rate of IDR that is new enough',
    });
    await commandLine.json('fx', 'set', '--currency', 'IDR', '--rate', '0.0021');
    expect(await set('fake', 'X')).toMatchObject({
      cost: '10500',
      currency: 'IDR',
      cost_baht: '22.05',
      margin_baht: '12.95',
      routable: true,
    });
  });

  it('refuses invalid offers', async () => {
    await set('fake', 'X');
    const offer = (...options: string[]): string[] => ['offer', 'set', ...named('fake', 'X'), ...options];
    await commandLine.refusedAll([
      [offer('--cost', '1'), 'error: a cost needs its currency\n'],
      [offer('--currency', 'IDR'), 'error: a currency needs a cost\n'],
      [offer('--cost', '-1', '--currency', 'IDR'), /must be an amount such as 10000 or 23\.5/],
      [offer('--cost', '1', '--currency', 'RUPIAH'), /currency code of three letters/],
      [offer('--priority', '0'), /whole number from 1 to 1000/],
      [offer('--priority', '1001'), /whole number from 1 to 1000/],
      [offer('--guard-percent', '-1'), /must be a percentage/],
      [offer('--player-template', '{zone}'), /player_template must have no placeholders but \{user\}/],
      [offer('--active', '--inactive'), /cannot be used with/],
      [['offer', 'set', ...named('nobody', 'X')], /there is no supplier nobody: topup supplier list/],
      [['offer', 'set', ...named('fake', '')], /supplier_sku must have 1 to 128 characters/],
      [
        ['offer', 'set', '--sku', 'NONE', '--supplier', 'fake', '--supplier-sku', 'X'],
        /there is no product NONE: topup product list/,
      ],
    ]);
    expect(await offers()).toEqual(['1 fake/X']);
  });
});

describe('topup offer list and remove', () => {
  it('list offers in the order in which they are used, by product or by supplier', async () => {
    await set('fake', 'dear', '--cost', '20', '--currency', 'THB');
    await set('other', 'cheap', '--cost', '10', '--currency', 'THB');
    await set('fake', 'unknown');
    await set('other', 'last', '--priority', '2');
    expect(await offers()).toEqual(['1 other/cheap', '1 fake/dear', '1 fake/unknown', '2 other/last']);
    const byOther = await commandLine.json<Offer[]>('offer', 'list', '--supplier', 'other', '--sku', sku);
    expect(byOther.map(({ supplier_sku }) => supplier_sku)).toEqual(['cheap', 'last']);
    await commandLine.refusedAll([
      [['offer', 'list', '--sku', 'NONE'], /there is no product NONE/],
      [['offer', 'list', '--supplier', 'nobody'], /there is no supplier nobody/],
    ]);
  });

  it('remove an offer, and report if it was the last one', async () => {
    const added = await set('fake', 'X', '--priority', '7');
    await set('other', 'Y');
    expect(await remove('other', 'Y')).toMatchObject({ supplier: 'other' });
    const { code, stderr } = await commandLine.run('offer', 'remove', ...named('fake', 'X'));
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: `${sku} has no offer any more: it can’t be ordered.\n`,
    });
    expect(await offers()).toEqual([]);
    expect(await newest('offer.remove')).toMatchObject({
      detail: { sku, supplier_sku: 'X', priority: added.priority },
    });
    expect(await commandLine.refused('offer', 'remove', ...named('fake', 'X'))).toBe(
      `error: there is no offer X of fake for ${sku}: topup offer list shows them\n`,
    );
  });

  it('succeed although nobody reads their output', async () => {
    await set('fake', 'X');
    expect(await commandLine.runUnread('offer', 'remove', ...named('fake', 'X'))).toBe(0);
    expect(await offers()).toEqual([]);
  });

  it('can free a supplier with offers, which cannot be removed before', async () => {
    const code = unique('supplier');
    await stack.addSupplier(code, stack.supplier.url);
    await set(code, 'X', '--priority', '9');
    expect(await commandLine.refused('supplier', 'remove', code)).toMatch(/in use by 1 offer; remove its offers/);
    await remove(code, 'X');
    await commandLine.json('supplier', 'remove', code);
  });
});

describe('topup product', () => {
  const setProduct = (...options: string[]): Promise<object> =>
    commandLine.json('product', 'set', '--sku', sku, ...options);

  it('allows products without an offer', async () => {
    expect(await product()).toMatchObject({ sku, supplier: null, supplier_sku: null });
    expect(await commandLine.refused('product', 'set', '--sku', sku, '--supplier-sku', 'X')).toMatch(
      /has no supplier for its supplier_sku/,
    );
  });

  it('sets the offer of priority 1 by --supplier, and leaves the others unchanged', async () => {
    expect(await setProduct('--supplier', 'fake')).toMatchObject({ supplier: 'fake', supplier_sku: sku });
    await set('other', 'second', '--priority', '2');
    expect(await setProduct('--supplier', 'other', '--supplier-sku', 'first')).toMatchObject({
      supplier: 'other',
      supplier_sku: 'first',
    });
    expect(await offers()).toEqual(['1 other/first', '2 other/second']);
    expect(await product()).toMatchObject({ supplier: 'other', supplier_sku: 'first' });
  });

  it('never takes one supplier’s SKU to another supplier, where it may name another product', async () => {
    await setProduct('--supplier', 'fake', '--supplier-sku', '13');
    const file = path.join(directory, 'moved.csv');
    writeFileSync(file, `sku,supplier\n${sku},other\n`);
    const refusal = `${sku} is 13 at fake: name its supplier_sku at other`;
    await commandLine.refusedAll([
      [['product', 'set', '--sku', sku, '--supplier', 'other'], `error: ${refusal}\n`],
      [['product', 'import', file], `error: nothing of moved.csv was imported:\n  line 2: ${refusal}\n`],
    ]);
    expect(await offers()).toEqual(['1 fake/13']);
    expect(await setProduct('--supplier', 'fake')).toMatchObject({ supplier_sku: '13' });

    writeFileSync(file, `sku,supplier,supplier_sku\n${sku},other,14\n`);
    await commandLine.json('product', 'import', file);
    expect(await offers()).toEqual(['1 other/14']);
  });

  it('takes our own SKU to another supplier, as for a new offer', async () => {
    await setProduct('--supplier', 'fake');
    expect(await setProduct('--supplier', 'other')).toMatchObject({ supplier: 'other', supplier_sku: sku });
  });

  it('always shows the first offer, also after a change', async () => {
    await set('fake', 'X', '--priority', '5');
    expect(await product()).toMatchObject({ supplier: 'fake', supplier_sku: 'X' });
    await set('other', 'Y', '--priority', '4');
    expect(await product()).toMatchObject({ supplier: 'other', supplier_sku: 'Y' });
    await remove('other', 'Y');
    await remove('fake', 'X');
    expect(await product()).toMatchObject({ supplier: null, supplier_sku: null });
  });

  it('exports and imports products with any number of offers, without changing them', async () => {
    const other = sku;
    await set('fake', 'X', '--priority', '5');
    await set('other', 'Y', '--priority', '6');
    sku = unique('SKU');
    await setProduct('--name', 'None', '--price', '1');
    const file = path.join(directory, 'all.csv');
    await commandLine.json('product', 'export', file);
    expect(readFileSync(file, 'utf8')).toContain(`\n${sku},None,1.00,,,`);
    expect(await commandLine.json('product', 'import', file, '--dry-run')).toEqual([]);
    await commandLine.json('product', 'import', file);
    expect(await offers()).toEqual([]);
    sku = other;
    expect(await offers()).toEqual(['5 fake/X', '6 other/Y']);
    writeFileSync(file, `sku,supplier\n${sku},\n`);
    expect(await commandLine.refused('product', 'import', file)).toContain(
      `line 2: ${sku} has an offer of fake: remove that offer instead`,
    );
  });
});
