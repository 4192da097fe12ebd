import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DigiflazzBench, KEYS, USERNAME, type Json } from '../simulators/digiflazz-client.js';
import { unique } from '../support/stack.js';
import type { CommandLine } from './command-line.js';
import { SupplierScene } from './supplier-scene.js';

const bench = new DigiflazzBench();
let scene: SupplierScene;
let commandLine: CommandLine;

beforeAll(async () => {
  scene = await SupplierScene.open();
  ({ commandLine } = scene);
  const { url } = await bench.start();
  await commandLine.json('fx', 'set', '--currency', 'IDR', '--rate', '0.0021');
  await commandLine.json(
    'supplier',
    'set',
    '--code',
    'digi',
    '--adapter',
    'digiflazz',
    '--base-url',
    `${url}/v1`,
    '--credential',
    `username=${USERNAME}`,
    '--credential',
    `key=${KEYS.production}`,
    '--credential',
    'webhook_secret=hook-secret-1',
  );
  await commandLine.json('supplier', 'sync', 'digi');
});

afterAll(async () => {
  await scene.close();
  await bench.clear();
});

const set = (sku: string, ...options: string[]): Promise<Json> =>
  commandLine.json('product', 'set', '--sku', sku, ...options);

const define = (sku: string): Promise<Json> =>
  set(sku, '--name', 'Diamonds', '--price', '50.00', '--supplier', 'digi', '--supplier-sku', 'ml86');

async function importProduct(sku: string): Promise<void> {
  const file = path.join(scene.directory, `${sku}.csv`);
  writeFileSync(file, `sku,name,price,supplier,supplier_sku\n${sku},Diamonds,50.00,digi,ml86\n`);
  await commandLine.json('product', 'import', file);
}

const offers = (sku: string): Promise<Json[]> => commandLine.json<Json[]>('offer', 'list', '--sku', sku);

describe('the offer of a new product whose supplier has a catalogue', () => {
  it.each([
    ['set', define],
    ['imported', importProduct],
  ])('has the cost of the catalogue as soon as the product is %s', async (_how, enter) => {
    const sku = unique('NEW');
    await enter(sku);
    const cost = { cost: '20000', currency: 'IDR', cost_baht: '42.00', margin_baht: '8.00' };
    expect(await offers(sku)).toMatchObject([{ ...cost, routable: true }]);
  });

  it('stays without a cost if an operator chose that, even if its product changes', async () => {
    const sku = unique('NEW');
    await define(sku);
    const names = ['--sku', sku, '--supplier', 'digi', '--supplier-sku', 'ml86'];
    await commandLine.json('offer', 'set', ...names, '--no-cost');
    await set(sku, '--price', '51.00');
    expect(await offers(sku)).toMatchObject([{ cost: null }]);
  });
});
