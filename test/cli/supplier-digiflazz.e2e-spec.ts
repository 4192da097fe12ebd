import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { DigiflazzBench, KEYS, USERNAME, type DigiflazzClient, type Json } from '../simulators/digiflazz-client.js';
import { MOMENT } from '../support/expectations.js';
import type { CommandLine } from './command-line.js';
import { SupplierScene } from './supplier-scene.js';

const bench = new DigiflazzBench();
let scene: SupplierScene;
let commandLine: CommandLine;
let client: DigiflazzClient;

beforeAll(async () => {
  scene = await SupplierScene.open();
  ({ commandLine } = scene);
});

afterAll(() => scene.close());

beforeEach(async () => {
  await scene.begin();
  client = await bench.start();
});

afterEach(async () => {
  await scene.end();
  await bench.clear();
});

const set = (...options: string[]): Promise<Json> =>
  commandLine.json('supplier', 'set', '--code', 'digi', '--adapter', 'digiflazz', ...options);

/** Sets the supplier with the simulator's address, and the key in a file. */
function setWithKey(key: string, ...options: string[]): Promise<Json> {
  const file = path.join(scene.directory, 'digi.key');
  writeFileSync(file, `${key}\n`);
  const values = [`username=${USERNAME}`, `key=@${file}`, 'webhook_secret=hook-secret-1'];
  const credentials = values.flatMap((value) => ['--credential', value]);
  return set('--base-url', `${client.url}/v1`, ...credentials, ...options);
}

/** The output and the exit code of a test of the supplier. */
async function test(): Promise<Json> {
  const { code, stdout } = await commandLine.run('supplier', 'test', 'digi', '--json');
  return { exit: code, ...(JSON.parse(stdout) as Json) };
}

describe('a supplier with the adapter digiflazz', () => {
  it('is listed with its credentials and options', async () => {
    const adapters = await commandLine.json<Json[]>('supplier', 'adapters');
    const credential = (name: string, secret: boolean, required: boolean) =>
      expect.objectContaining({ name, secret, required });
    expect(adapters).toContainEqual({
      adapter: 'digiflazz',
      name: 'Digiflazz (prepaid)',
      credentials: [
        credential('username', false, true),
        credential('key', true, true),
        credential('webhook_secret', true, false),
      ],
      options: [expect.objectContaining({ name: 'testing', values: ['true', 'false'] })],
      capabilities: ['deduplication', 'inquiry', 'balance', 'catalogue', 'callbacks', 'price_guard'],
    });
  });

  it('has the supplier’s address by default, and costs in rupiah', async () => {
    const values = ['username=me', 'key=mine', 'webhook_secret=hook'];
    const credentials = values.flatMap((value) => ['--credential', value]);
    expect(await set(...credentials, '--option', 'testing=true')).toMatchObject({
      base_url: 'https://api.digiflazz.com/v1',
      currency: 'IDR',
      credentials: ['username', 'key', 'webhook_secret'],
      options: { testing: 'true' },
    });
  });

  it('requires its credentials, and refuses unknown options', async () => {
    const given = ['supplier', 'set', '--code', 'digi', '--adapter', 'digiflazz'];
    expect(await commandLine.refused(...given, '--credential', 'username=me')).toMatch(
      /the adapter digiflazz requires the credentials key/,
    );
    const all = [...given, '--credential', 'username=me', '--credential', 'key=mine'];
    expect(await commandLine.refused(...all, '--option', 'testing=yes')).toMatch(
      /the option testing must be one of true, false/,
    );
    expect(await commandLine.refused(...all, '--credential', 'token=x')).toMatch(
      /has no credential token: it has username, key, webhook_secret/,
    );
  });

  it('is tested without a purchase, and without a reading of the whole price list', async () => {
    await setWithKey(KEYS.production);
    expect(await test()).toEqual({
      exit: 0,
      code: 'digi',
      ok: true,
      checks: [
        { name: 'settings', ok: true, detail: 'complete' },
        { name: 'balance', ok: true, detail: '1000000 IDR' },
        { name: 'catalogue', ok: true, detail: 'it can be read' },
      ],
    });
    expect(await client.sim('purchases')).toEqual([]);
    expect((await client.priceList()).data).toHaveLength(10);
  });

  it('that refuses our key gets a remedy in its test', async () => {
    await setWithKey('wrong');
    const refused = {
      ok: false,
      detail:
        'it refuses our credentials (rc 41: wrong signature): set them again with topup supplier set --credential',
    };
    expect(await test()).toMatchObject({
      exit: 1,
      ok: false,
      checks: [{ ok: true }, { name: 'balance', ...refused }, { name: 'catalogue', ...refused }],
    });
  });

  it('at a wrong address fails its test', async () => {
    await setWithKey(KEYS.production, '--base-url', client.url);
    expect(await test()).toMatchObject({
      exit: 1,
      checks: [{}, { ok: false, detail: expect.stringMatching(/HTTP 404 at .*: check --base-url/) }, {}],
    });
  });

  it('reports its balance in rupiah', async () => {
    await setWithKey(KEYS.production, '--low-balance', '1000000.5');
    expect(await commandLine.json('supplier', 'balance', 'digi')).toEqual([
      {
        code: 'digi',
        amount: '1000000',
        currency: 'IDR',
        low: true,
        lasts_hours: null,
        at: expect.stringMatching(MOMENT),
      },
    ]);
  });
});
