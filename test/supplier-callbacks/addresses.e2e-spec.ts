import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { CommandLine } from '../cli/command-line.js';
import { SupplierScene } from '../cli/supplier-scene.js';
import { useCallingAdapters } from '../support/calling-supplier.js';

useCallingAdapters();

const BASE_URL = 'https://topup.example/api/';

interface SupplierJson {
  code: string;
  callback_url: string | null;
}

let scene: SupplierScene;
let withBaseUrl: CommandLine;

beforeAll(async () => {
  scene = await SupplierScene.open();
  withBaseUrl = commandLine({ SUPPLIER_CALLBACK_BASE_URL: BASE_URL });
});

afterAll(() => scene.close());

beforeEach(() => scene.client.query('DELETE FROM suppliers'));

const commandLine = (env: Record<string, string>): CommandLine =>
  new CommandLine({
    DATABASE_URL: scene.database.url,
    SECRETS_KEY: scene.secretsKey.toString('base64'),
    ...env,
  });

const set = (code: string, adapter: string, by = withBaseUrl): Promise<SupplierJson> =>
  by.json('supplier', 'set', '--code', code, '--adapter', adapter, '--base-url', 'http://127.0.0.1:1');
const show = (by: CommandLine): Promise<SupplierJson> => by.json('supplier', 'show', 'acme');

describe('callback_url', () => {
  it('is the address for the supplier’s callbacks, and stays the same when its settings change', async () => {
    const first = await set('acme', 'calling');
    expect(first.callback_url).toMatch(/^https:\/\/topup\.example\/api\/supplier-callbacks\/acme\/[0-9a-f]{32}$/);
    expect((await set('acme', 'calling')).callback_url).toBe(first.callback_url);
    expect((await show(withBaseUrl)).callback_url).toBe(first.callback_url);
    expect(await withBaseUrl.json('supplier', 'list')).toEqual([
      expect.objectContaining({ code: 'acme', callback_url: first.callback_url }),
    ]);
  });

  it('differs between suppliers, and changes with the adapter', async () => {
    const urls = [
      (await set('acme', 'calling')).callback_url,
      (await set('other', 'calling')).callback_url,
      (await set('acme', 'patient')).callback_url,
    ];
    expect(new Set(urls.map((url) => url?.split('/').at(-1))).size).toBe(3);
  });

  it('changes when an operator requests a new one; then the old one no longer works', async () => {
    const { callback_url: before } = await set('acme', 'calling');
    const change = ['supplier', 'set', '--code', 'acme', '--base-url', 'http://127.0.0.1:1', '--new-callback-url'];
    const { callback_url: after } = await withBaseUrl.json<SupplierJson>(...change, '--adapter', 'calling');
    expect(after).not.toBe(before);
    expect(await show(withBaseUrl)).toMatchObject({ callback_url: after });
    const log = await withBaseUrl.json<{ action: string; detail: object }[]>('log');
    expect(log.find(({ detail }) => 'callback_url' in detail)?.detail).toMatchObject({
      callback_url: 'replaced',
    });
    expect(JSON.stringify(log)).not.toContain(after?.split('/').at(-1));
    const { stderr } = await withBaseUrl.run(...change, '--adapter', 'http');
    expect(stderr).toContain('the adapter http takes no callbacks');
  });

  it('is null if the configuration has no address for suppliers', async () => {
    await set('acme', 'calling');
    expect((await show(scene.commandLine)).callback_url).toBeNull();
  });

  it('is null if the adapter reads no callbacks', async () => {
    expect((await set('acme', 'http')).callback_url).toBeNull();
    await set('acme', 'calling');
    expect((await set('acme', 'http')).callback_url).toBeNull();
    const { rows } = await scene.client.query('SELECT callback_token_sealed FROM suppliers WHERE id > 0');
    expect(rows).toEqual([{ callback_token_sealed: null }]);
  });

  it('is null if the key is missing or wrong, and the command still works', async () => {
    await set('acme', 'calling');
    for (const key of ['', Buffer.alloc(32, 1).toString('base64')]) {
      const other = commandLine({ SUPPLIER_CALLBACK_BASE_URL: BASE_URL, SECRETS_KEY: key });
      expect(await show(other)).toMatchObject({ code: 'acme', callback_url: null });
    }
  });

  it('contains the supplier’s code, encoded for a URL', async () => {
    const { callback_url: url } = await set('a/b c?', 'calling');
    expect(url).toContain('/supplier-callbacks/a%2Fb%20c%3F/');
  });

  it.each(['topup.example', 'ftp://topup.example', 'https://topup.example/?a=1', 'https://me:pw@topup.example'])(
    'can’t begin with %s',
    async (url) => {
      const { code, stderr } = await commandLine({ SUPPLIER_CALLBACK_BASE_URL: url }).run('supplier', 'list');
      expect(code).not.toBe(0);
      expect(stderr).toContain('SUPPLIER_CALLBACK_BASE_URL must be an http or https URL');
      expect(stderr).not.toContain('pw@');
    },
  );
});
