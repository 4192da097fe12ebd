import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { keptPort } from '../support/kept-port.js';
import { eventually } from '../support/eventually.js';
import { refused } from '../support/fake-supplier.js';
import { TestStack, unique } from '../support/stack.js';
import { BuiltSdk, compile, inCheckout, PACKAGE } from './built-sdk.js';

const run = promisify(execFile);
const read = (file: string): string => readFileSync(inCheckout(file), 'utf8');
const EXAMPLE = 'sdk/typescript/examples/express-shop.ts';

let sdk: BuiltSdk;

beforeAll(async () => {
  sdk = await BuiltSdk.make();
});

afterAll(() => sdk.remove());

interface Manifest {
  version: string;
  dependencies?: object;
  exports: object;
}
const manifest = JSON.parse(read('sdk/typescript/package.json')) as Manifest;

describe('the package of the SDK', () => {
  it('has the types of openapi.json, which npm run openapi writes', async () => {
    const directory = mkdtempSync(path.join(tmpdir(), 'sdk-types-'));
    try {
      const file = path.join(directory, 'schema.ts');
      await run(process.execPath, [inCheckout('scripts/sdk-types.mjs'), file]);
      expect(read('sdk/typescript/src/schema.ts')).toBe(readFileSync(file, 'utf8'));
    } finally {
      rmSync(directory, { recursive: true, force: true });
    }
  });

  it('has the major version of the API, also in its user agent, and needs no other package', () => {
    const { info } = JSON.parse(read('openapi.json')) as { info: { version: string } };
    expect(manifest.version.split('.')[0]).toBe(info.version);
    expect(read('sdk/typescript/src/transport.ts')).toContain(`const VERSION = '${manifest.version}'`);
    expect(manifest.dependencies).toBeUndefined();
  });

  it('compiles without the types of Node', () => compile('-p', inCheckout('sdk/typescript/tsconfig.web.json')));

  it('is imported by name, with its types', async () => {
    writeFileSync(sdk.path('package.json'), '{ "type": "module" }');
    writeFileSync(
      sdk.path('use.ts'),
      `import { Topup, type Order } from 'order-topup-sdk';
       const topup = new Topup({ apiKey: 'a', baseUrl: 'http://127.0.0.1' });
       export const make = (): Promise<Order> =>
         topup.orders.create({ reference_id: 'a', user_id: 'b', items: [{ sku: 'c' }] });
       // @ts-expect-error: an order has items
       export const wrong = () => topup.orders.create({ reference_id: 'a', user_id: 'b' });`,
    );
    const options = ['--ignoreConfig', '--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2022'];
    await compile(...options, sdk.path('use.ts'));
    const program = `import * as sdk from 'order-topup-sdk'; console.log(Object.keys(sdk).sort().join())`;
    writeFileSync(sdk.path('names.mjs'), program);
    const { stdout } = await run(process.execPath, [sdk.path('names.mjs')]);
    expect(stdout.trim()).toBe(
      'ApiError,ConnectionError,List,Topup,TopupError,WebhookVerificationError,WebhookVerifier,isEvent',
    );
  });
});

describe('the packages that the API serves', () => {
  let stack: TestStack;
  let project: string;
  beforeAll(async () => {
    stack = await TestStack.start({}, { worker: false });
    project = mkdtempSync(path.join(tmpdir(), 'shop-'));
  });
  afterAll(async () => {
    rmSync(project, { recursive: true });
    await stack.close();
  });

  it('are installed by npm from their address alone', async () => {
    writeFileSync(path.join(project, 'package.json'), '{ "private": true, "type": "module" }');
    // Without a registry: the package needs no other.
    const options = [
      '--no-audit',
      '--no-fund',
      `--cache=${path.join(project, 'cache')}`,
      '--registry=http://127.0.0.1:9',
    ];
    await run('npm', ['install', `${stack.url}/sdk/${PACKAGE}`, ...options], { cwd: project });
    const program = `import { Topup } from 'order-topup-sdk';
      const topup = new Topup({ baseUrl: '${stack.url}', apiKey: '${(await stack.merchant('7.00')).key}' });
      console.log((await topup.wallet.get()).available_amount);`;
    writeFileSync(path.join(project, 'try.mjs'), program);
    expect((await run(process.execPath, ['try.mjs'], { cwd: project })).stdout).toBe('7.00\n');
    const { stdout } = await run('npx', ['--no-install', 'order-topup-sdk', '--help'], { cwd: project });
    expect(stdout).toContain('Usage: order-topup-sdk listen');
  });

  it('have the whole library for PHP, in a folder of its own', async () => {
    const response = await fetch(`${stack.url}/sdk/order-topup-sdk-php.tgz`);
    writeFileSync(path.join(project, 'php.tgz'), Buffer.from(await response.arrayBuffer()));
    await run('tar', ['-xzf', 'php.tgz'], { cwd: project });
    const from = inCheckout('sdk/php');
    const files = readdirSync(from, { recursive: true, encoding: 'utf8' }).filter(
      (name) => /\.\w+$/.test(name) && !name.startsWith('examples'),
    );
    expect(files).toEqual(expect.arrayContaining(['composer.json', 'README.md', 'src/Client.php']));
    for (const name of files)
      expect(readFileSync(path.join(project, 'order-topup-sdk-php', name), 'utf8')).toBe(read(`sdk/php/${name}`));
  });

  it('are asked for again and sent again only when they changed', async () => {
    const { headers } = await fetch(`${stack.url}/sdk/${PACKAGE}`);
    expect([headers.get('cache-control'), headers.get('content-encoding')]).toEqual(['no-cache', null]);
    const conditions = { 'if-none-match': headers.get('etag') ?? '', 'cache-control': 'max-age=0' };
    expect((await fetch(`${stack.url}/sdk/${PACKAGE}`, { headers: conditions })).status).toBe(304);
    const gone = await fetch(`${stack.url}/sdk/order-topup-sdk-0.0.1.tgz`);
    expect([gone.status, await gone.json()]).toEqual([404, expect.objectContaining({ code: 'NOT_FOUND' })]);
  });
});

describe('the example shop', () => {
  let stack: TestStack;
  let shop: ChildProcess;
  let url: string;

  beforeAll(async () => {
    stack = await TestStack.start();
    stack.supplier.script('unlucky', ({ reference }) => refused(reference, 'OUT_OF_STOCK', 'Sold out'));
    const { key } = await stack.merchant('100.00');
    const file = sdk.path('shop.mjs');
    const { transform } = await import('@swc/core');
    const { code } = await transform(read(EXAMPLE), {
      jsc: { target: 'es2022', parser: { syntax: 'typescript' } },
    });
    writeFileSync(file, code);
    const port = await keptPort();
    url = `http://127.0.0.1:${port}`;
    const env = {
      ...process.env,
      TOPUP_URL: stack.url,
      TOPUP_API_KEY: key,
      SHOP_URL: url,
      PORT: String(port),
    };
    const open = (): Promise<unknown[]> => {
      const child = spawn(process.execPath, [file], { env, stdio: ['ignore', 'pipe', 'inherit'] });
      shop = child;
      return Promise.race([once(createInterface(child.stdout), 'line'), once(child, 'exit')]);
    };
    // Opened again if the service was too busy to register its webhook.
    await eventually(open, ([line]) => line === 'The shop is open');
  });

  afterAll(async () => {
    shop.kill();
    await stack.close();
  });

  const buyOnce = async (player: string, sku: string, reference: string): Promise<{ result: string }> => {
    const response = await fetch(`${url}/buy`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ reference, sku, player }),
    });
    return response.json() as Promise<{ result: string }>;
  };
  /** Buys again while the shop could not ask the service. */
  const buy = (player: string, sku: string, reference = unique('sale')): Promise<{ result: string }> =>
    eventually(
      () => buyOnce(player, sku, reference),
      ({ result }) => result !== 'not known yet',
    );

  it('is short', () => {
    expect(read(EXAMPLE).trimEnd().split('\n').length).toBeLessThanOrEqual(60);
  });

  it('delivers bought products, pays failed ones back, and shows refusals', async () => {
    const sku = await stack.product('35.00');
    expect(await buy('lucky', sku)).toEqual({ result: 'delivered', price: '35.00' });
    expect(await buy('unlucky', sku)).toEqual({
      result: 'paid back',
      why: 'Sold out',
    });
    expect(await buy('lucky', 'NONE')).toMatchObject({
      result: 'refused',
      why: expect.stringContaining('NONE'),
    });
  });

  it('answers each time that a sale is bought again, at once and after its end', async () => {
    const [sku, reference] = [await stack.product('1.00'), unique('sale')];
    const delivered = { result: 'delivered', price: '1.00' };
    const both = await Promise.all([buy('lucky', sku, reference), buy('lucky', sku, reference)]);
    expect(both).toEqual([delivered, delivered]);
    expect(await buy('lucky', sku, reference)).toEqual(delivered);
  });

  it('keeps a sale whose order may exist, until it is bought again', async () => {
    const [sku, reference] = [await stack.product('1.00'), unique('sale')];
    await stack.sql('ALTER TABLE merchant_prices RENAME TO merchant_prices_away');
    try {
      expect(await buyOnce('lucky', sku, reference)).toMatchObject({ result: 'not known yet' });
    } finally {
      await stack.sql('ALTER TABLE merchant_prices_away RENAME TO merchant_prices');
    }
    expect(await buy('lucky', sku, reference)).toEqual({ result: 'delivered', price: '1.00' });
  });

  it('refuses forged webhooks', async () => {
    const response = await fetch(`${url}/webhooks/topup`, { method: 'POST', body: '{}' });
    expect(response.status).toBe(400);
  });
});
