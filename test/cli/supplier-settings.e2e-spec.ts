import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type pg from 'pg';
import { SecretBox } from '../../src/core/secret-box.js';
import {
  NO_CREDENTIALS,
  SupplierCredentialsService,
  type CredentialColumns,
} from '../../src/suppliers/supplier-credentials.service.js';
import type { FakeSupplier } from '../support/fake-supplier.js';
import { CommandLine } from './command-line.js';
import { SECRET, SupplierScene } from './supplier-scene.js';

interface SupplierJson {
  credentials: string[];
}

let scene: SupplierScene;
let commandLine: CommandLine;
let client: pg.Client;
let supplier: FakeSupplier;
let secretFile: string;

beforeAll(async () => {
  scene = await SupplierScene.open();
  ({ commandLine, client } = scene);
  secretFile = path.join(scene.directory, 'acme.token');
  writeFileSync(secretFile, `${SECRET}\n`);
});

afterAll(() => scene.close());

beforeEach(async () => {
  supplier = await scene.begin();
});

afterEach(() => scene.end());

const set = (...options: string[]): string[] => scene.set(...options);
const show = (): Promise<SupplierJson> => scene.show<SupplierJson>();

/** A second credential, like those of suppliers' adapters. */
async function giveKey(): Promise<void> {
  const credentials = new SupplierCredentialsService(new SecretBox(scene.secretsKey));
  const { credentials_sealed: sealed } = credentials.change('acme', NO_CREDENTIALS, { key: 'its-key' });
  await client.query(`UPDATE suppliers SET credentials_sealed = $1, credential_names = '{key}' WHERE id > 0`, [sealed]);
}

/** The authorization that the supplier receives when `supplier balance` calls it. */
async function authorization(): Promise<string | undefined> {
  let received: string | undefined;
  supplier.balance = (authorization) => {
    received = authorization;
    return { status: 200, body: { balance: '1', currency: 'THB' } };
  };
  await commandLine.json('supplier', 'balance', 'acme');
  return received;
}

describe('topup supplier set', () => {
  it('reads a credential from the command line, a file or standard input', async () => {
    expect(await commandLine.json(...set('--credential', 'token=typed=it'))).toEqual({
      code: 'acme',
      adapter: 'http',
      base_url: supplier.url,
      currency: null,
      timeout_ms: 10_000,
      max_in_flight: null,
      low_balance: null,
      credentials: ['token'],
      options: {},
      status: 'active',
      pause_reason: null,
      callback_url: null,
      balance: null,
    });
    expect(await authorization()).toBe('Bearer typed=it');
    await commandLine.json(...set('--credential', `token=@${secretFile}`));
    expect(await authorization()).toBe(`Bearer ${SECRET}`);
    commandLine.input = 'piped\r\n';
    await commandLine.json(...set('--token', '-'));
    commandLine.input = '';
    expect(await authorization()).toBe('Bearer piped');
    await commandLine.json(...set());
    expect(await authorization()).toBe('Bearer piped');
  });

  it('shows its limits', async () => {
    const limits = { max_in_flight: 4, low_balance: '500.5' };
    expect(await commandLine.json(...set('--max-in-flight', '4', '--low-balance', '500.50'))).toMatchObject(limits);
    expect(await commandLine.json('supplier', 'list')).toMatchObject([limits]);
    const { stdout } = await commandLine.run('supplier', 'show', 'acme');
    expect(stdout).toMatch(/│ max_in_flight +│ 4 +│[^]+│ low_balance +│ 500\.5 +│/);
  });

  it('removes a credential by either of its options, and then sends none', async () => {
    for (const option of [['--no-token'], ['--remove-credential', 'token']]) {
      await commandLine.json(...set('--token', SECRET));
      expect(await commandLine.json(...set(...option))).toMatchObject({ credentials: [] });
      expect(await authorization()).toBeUndefined();
    }
  });

  it('uses a token that the previous version has set', async () => {
    await commandLine.json(...set('--token', SECRET));
    const sealed = new SecretBox(scene.secretsKey).sealUnbound('from-the-version-before');
    await client.query('UPDATE suppliers SET token_sealed = $1 WHERE id > 0', [sealed]);
    expect(await authorization()).toBe('Bearer from-the-version-before');
    await client.query('UPDATE suppliers SET token_sealed = NULL WHERE id > 0');
    expect(await show()).toMatchObject({ credentials: [] });
  });

  it('drops all credentials and options with another adapter, so that no supplier gets a secret of another', async () => {
    await commandLine.json(...set('--token', SECRET, '--low-balance', '10'));
    await giveKey();
    await client.query(`UPDATE suppliers SET adapter = 'vendor', options = '{"testing": "true"}' WHERE id > 0`);
    expect(await show()).toMatchObject({ credentials: ['token', 'key'], options: { testing: 'true' } });
    expect(await commandLine.json(...set())).toMatchObject({ credentials: [], options: {} });
    const { rows } = await client.query(
      'SELECT token_sealed, credentials_sealed, low_balance_micros FROM suppliers WHERE id > 0',
    );
    expect(rows).toEqual([{ token_sealed: null, credentials_sealed: null, low_balance_micros: null }]);
  });

  it('seals all credentials again under a new key', async () => {
    await commandLine.json(...set('--token', SECRET));
    await giveKey();
    const newKey = randomBytes(32);
    const renewed = new CommandLine({
      DATABASE_URL: scene.database.url,
      SECRETS_KEY: newKey.toString('base64'),
      SECRETS_PREVIOUS_KEYS: scene.secretsKey.toString('base64'),
    });
    expect(await renewed.json('secrets', 'rotate')).toEqual({ rotated: 2 });
    const { rows } = await client.query<CredentialColumns>('SELECT * FROM suppliers WHERE id > 0');
    const opened = new SupplierCredentialsService(new SecretBox(newKey)).open({
      ...(rows[0] ?? NO_CREDENTIALS),
      code: 'acme',
    });
    expect(opened).toEqual({ token: SECRET, key: 'its-key' });
  });

  it('replaces all credentials although the key that sealed them is lost', async () => {
    const digi = ['supplier', 'set', '--code', 'acme', '--adapter', 'digiflazz', '--credential', 'username=shop'];
    await commandLine.run(...digi, '--credential', 'key=old');
    const keyless = new CommandLine({
      DATABASE_URL: scene.database.url,
      SECRETS_KEY: randomBytes(32).toString('base64'),
    });
    expect(await keyless.refused(...digi)).toMatch(/sealed under another SECRETS_KEY/);
    const all = [...digi, '--credential', 'key=new', '--new-callback-url', '--json'];
    const { stdout, stderr } = await keyless.run(...all);
    expect((JSON.parse(stdout) as SupplierJson).credentials).toEqual(['username', 'key']);
    expect(stderr).toMatch(/^Supplier acme answers no inquiries .+ Set its webhook_secret\.\n$/);
  });

  it('keeps its callback address if all credentials are entered under a wrong key, until a new address is wanted', async () => {
    const digi = ['supplier', 'set', '--code', 'acme', '--adapter', 'digiflazz'];
    const all = ['username=shop', 'key=its-key', 'webhook_secret=its-secret'].flatMap((each) => ['--credential', each]);
    const withKey = (key: Buffer): CommandLine =>
      new CommandLine({
        DATABASE_URL: scene.database.url,
        SECRETS_KEY: key.toString('base64'),
        SUPPLIER_CALLBACK_BASE_URL: 'https://topup.example',
      });
    const urlOf = async (line: CommandLine, ...options: string[]): Promise<string | null> =>
      (await line.json<{ callback_url: string | null }>(...digi, ...options)).callback_url;
    const first = await urlOf(withKey(scene.secretsKey), ...all);
    expect(first).toMatch(/^https:/);
    expect(await urlOf(withKey(scene.secretsKey), ...all)).toBe(first);
    const keyless = withKey(randomBytes(32));
    await keyless.run(...digi, '--timeout-ms', '9000');
    expect(await urlOf(withKey(scene.secretsKey))).toBe(first);
    expect(await keyless.refused(...digi, ...all)).toBe(
      "error: the callback address of supplier acme can't be opened: start with the SECRETS_KEY that sealed it, or make a new one (--new-callback-url)\n",
    );
    expect(await urlOf(withKey(scene.secretsKey))).toBe(first);
    const second = await urlOf(keyless, ...all, '--new-callback-url');
    expect(second).toMatch(/^https:/);
    expect(second).not.toBe(first);
    expect(await urlOf(keyless)).toBe(second);
  });

  it('names the problem of a credential or an option, and the valid names, but never a value', async () => {
    const before = await commandLine.json('supplier', 'list');
    const lines: [string[], RegExp][] = [
      [['--credential', `key=${SECRET}`], /the adapter http has no credential key: it has token/],
      [['--option', `testing=${SECRET}`], /the adapter http has no option testing: it has none/],
      [['--remove-credential', 'key'], /has no credential key: it has token/],
      [['--credential', SECRET], /--credential must be a name, = and a value: --credential NAME=VALUE/],
      [['--credential', `${SECRET}==`], /--credential must be a name, = and a value/],
      [['--credential', `token=@${SECRET}`], /the value of --credential token cannot be read: ENOENT/],
      [['--credential', `token=${SECRET} ${SECRET}`], /token must be visible ASCII characters without spaces/],
      [['--token', `${SECRET}\u0007`], /token must not contain control characters/],
      [['--token', SECRET, '--credential', `token=${SECRET}`], /choose one: --token or --credential token/],
      [['--credential', `token=${SECRET}`, '--credential', 'token=x'], /--credential token is given twice/],
      [['--credential', `token=${SECRET}`, '--no-token'], /token can't be both given and removed/],
      [['--credential', 'token='], /the value of --credential token is empty/],
      [['--token', '-'], /the value of --token is empty/],
      [['--low-balance', '-1'], /It must be an amount such as 10000 or 23\.5/],
    ];
    for (const [options, message] of lines) {
      const said = await commandLine.refused(...set(...options));
      expect(said).toMatch(message);
      expect(said).not.toContain(SECRET);
    }
    expect(await commandLine.json('supplier', 'list')).toEqual(before);
  });

  it('needs a base URL if the adapter has none', async () => {
    expect(await commandLine.refused('supplier', 'set', '--code', 'acme', '--adapter', 'http')).toMatch(
      /a base URL is required: the adapter http has none/,
    );
  });

  it('leaves no secret in plain text in the database, the audit log or its output', async () => {
    const { stdout, stderr } = await commandLine.run(...set('--token', SECRET));
    await commandLine.run(...set('--credential', `token=@${secretFile}`, '--reason', 'rotated'));
    const printed = [];
    for (const words of [['list'], ['show', 'acme'], ['test', 'acme'], ['balance'], ['adapters']]) {
      printed.push(await commandLine.run('supplier', ...words));
      printed.push(await commandLine.run('supplier', ...words, '--json'));
    }
    const log = await commandLine.run('log', '--json');
    expect(log.stdout).toContain('"credentials":{"token":"replaced"}');
    const { rows } = await client.query<{ line: string }>(
      `SELECT to_jsonb(s)::text AS line FROM suppliers s
       UNION ALL SELECT to_jsonb(a)::text FROM operator_actions a`,
    );
    expect(rows.length).toBeGreaterThan(2);
    const everything = [
      stdout,
      stderr,
      log.stdout,
      log.stderr,
      ...printed.flatMap((run) => [run.stdout, run.stderr]),
      ...rows.map(({ line }) => line),
    ];
    const hidden = [SECRET, Buffer.from(SECRET).toString('hex'), Buffer.from(SECRET).toString('base64')];
    expect(everything.filter((text) => hidden.some((secret) => text.includes(secret)))).toEqual([]);
  });
});

describe('topup supplier adapters', () => {
  it('lists the settings of each adapter, without a database', async () => {
    const nowhere = new CommandLine({ DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none' });
    expect(await nowhere.json('supplier', 'adapters')).toContainEqual({
      adapter: 'http',
      name: 'Supplier protocol over HTTP',
      credentials: [
        {
          name: 'token',
          secret: true,
          required: false,
          help: 'Bearer token, if the supplier requires one',
        },
      ],
      options: [],
      capabilities: ['deduplication', 'inquiry', 'balance', 'purchases'],
    });
    const { stdout } = await nowhere.run('supplier', 'adapters');
    expect(stdout).toMatch(/│ http +│ token +│ +│ no +│ Bearer token/);
  });
});
