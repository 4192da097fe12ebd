import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { MOMENT } from '../support/expectations.js';
import { CommandLine } from './command-line.js';

interface IssuedKey {
  id: number;
  merchant_id: number;
  prefix: string;
  key: string;
  expires_at?: string;
}

let database: TestDatabase;
let commandLine: CommandLine;
let client: pg.Client;

beforeAll(async () => {
  database = await createTestDatabase();
  commandLine = new CommandLine({ DATABASE_URL: database.url });
  client = new pg.Client({ connectionString: database.url });
  await client.connect();
  await commandLine.json('merchant', 'create', '--name', 'Somchai Game Shop');
});

afterAll(async () => {
  await client.end();
  await database.drop();
});

const moment = expect.stringMatching(MOMENT) as unknown as string;

describe('topup merchant', () => {
  const merchant = {
    id: 1,
    name: 'Somchai Game Shop',
    status: 'active',
    sandbox: false,
    weight: 1,
    created_at: moment,
  };

  it('shows, lists, suspends and resumes', async () => {
    expect(await commandLine.json('merchant', 'show', '1')).toEqual(merchant);
    expect(await commandLine.json('merchant', 'list')).toEqual([merchant]);
    expect(await commandLine.json('merchant', 'suspend', '1')).toEqual({ ...merchant, status: 'suspended' });
    expect(await commandLine.json('merchant', 'resume', '1')).toEqual(merchant);
  });

  it('reads as a table without --json', async () => {
    const { code, stdout, stderr } = await commandLine.run('merchant', 'list');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/│ id │ name +│ status │ created_at +│\n├[─┼]+┤\n│ 1 +│ Somchai Game Shop │ active │/);
    // Without escape sequences, so without colours.
    expect(stdout).not.toContain('\u001b');
  });

  it('refuses unknown merchants and invalid values', async () => {
    await commandLine.refusedAll([
      [['merchant', 'create', '--name', ''], "error: the merchant's name must have 1 to 128 characters\n"],
      [['merchant', 'suspend', '99'], /there is no merchant 99/],
    ]);
  });
});

describe('topup api-key', () => {
  it('shows a key once, and keeps only its hash', async () => {
    const issued = await commandLine.json<IssuedKey>('api-key', 'issue', '--merchant', '1');
    expect(Object.keys(issued)).toEqual(['id', 'merchant_id', 'prefix', 'key']);
    expect(issued).toMatchObject({ id: expect.any(Number), merchant_id: 1 });
    expect(issued.key).toMatch(/^topup_[0-9A-Za-z]{43}$/);
    expect(issued.key.startsWith(issued.prefix)).toBe(true);
    const { rows } = await client.query('SELECT * FROM api_keys WHERE id = $1', [issued.id]);
    expect(rows).toMatchObject([{ key_hash: createHash('sha256').update(issued.key).digest() }]);
    expect(JSON.stringify(rows)).not.toContain(issued.key);
  });

  it('fails if the key cannot be written, and says that the key was issued', async () => {
    const args = ['api-key', 'issue', '--merchant', '1', '--name', 'lost'];
    for (const json of [[], ['--json']]) {
      const { code, stderr } = await commandLine.runProcessInto('/dev/full', ...args, ...json);
      expect({ code, stderr }).toEqual({
        code: 1,
        stderr:
          'error: ENOSPC: no space left on device, write: the command was carried out, but its output was not written\n',
      });
    }
    const keys = await commandLine.json<{ name: string }[]>('api-key', 'list', '--merchant', '1');
    expect(keys.filter(({ name }) => name === 'lost')).toHaveLength(2);
  });

  it('gives a rotated key the settings of the old one, which ends after the overlap', async () => {
    const options = ['--name', 'checkout', '--allow-ip', '203.0.113.0/24, 2001:db8::1', '--expires-at', '2090-01-31'];
    const issued = await commandLine.json<IssuedKey>('api-key', 'issue', '--merchant', '1', ...options);
    const next = await commandLine.json<IssuedKey>('api-key', 'rotate', String(issued.id), '--overlap', '3600');
    expect(next).toMatchObject({
      merchant_id: 1,
      key: expect.stringMatching(/^topup_/) as unknown as string,
    });
    expect(next.key).not.toBe(issued.key);
    const keys = await commandLine.json<Record<string, unknown>[]>('api-key', 'list', '--merchant', '1');
    const kept = {
      name: 'checkout',
      allowed_ips: ['203.0.113.0/24', '2001:db8::1'],
      revoked_at: null,
      created_at: moment,
    };
    const row = { merchant_id: 1, ...kept };
    const [old, successor] = keys.slice(-2);
    expect(successor).toEqual({
      id: next.id,
      prefix: next.prefix,
      ...row,
      expires_at: '2090-01-31T00:00:00.000Z',
    });
    expect(old).toEqual({ id: issued.id, prefix: issued.prefix, ...row, expires_at: moment });
    const hoursLeft = (Date.parse(String(old?.expires_at)) - Date.now()) / 3_600_000;
    expect(hoursLeft).toBeGreaterThan(0.9);
    expect(hoursLeft).toBeLessThan(1.1);
  });

  it('never gives a successor the end that an earlier rotation set, and names the successor to rotate instead', async () => {
    const end = '2090-01-31T00:00:00.000Z';
    const { id } = await commandLine.json<IssuedKey>('api-key', 'issue', '--merchant', '1', '--expires-at', end);
    const rotate = (key: number): string[] => ['api-key', 'rotate', String(key), '--overlap', '3600'];
    const lost = await commandLine.json<IssuedKey>(...rotate(id));
    await commandLine.refusedAll([
      [rotate(id), `error: API key ${id} was rotated before: rotate its successor, API key ${lost.id}, instead\n`],
    ]);
    const next = await commandLine.json<IssuedKey>(...rotate(lost.id));
    expect([lost.expires_at, next.expires_at]).toEqual([end, end]);
  });

  it('ends a key at once, and then refuses to rotate it', async () => {
    const { id } = await commandLine.json<IssuedKey>('api-key', 'issue', '--merchant', '1');
    expect(await commandLine.json('api-key', 'revoke', String(id))).toMatchObject({ id, revoked_at: moment });
    await commandLine.refusedAll([
      [['api-key', 'rotate', String(id)], /has ended already/],
      [['api-key', 'revoke', '999'], /there is no API key 999/],
    ]);
  });

  it('refuses an expiry in the past, and an unknown merchant', async () => {
    const issue = ['api-key', 'issue', '--merchant'];
    const past = '2020-01-01T00:00:00+07:00';
    await commandLine.refusedAll([
      [[...issue, '1', '--expires-at', past], 'error: the expiry 2019-12-31T17:00:00.000Z is in the past\n'],
      [[...issue, '99'], /there is no merchant 99/],
    ]);
  });
});

describe('topup wallet', () => {
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

  it('counts a reference once', async () => {
    const after = { merchant_id: 1, available_amount: '1000.00', held_amount: '0.00' };
    expect(await commandLine.json(...fund('credit', '1000', 'bank-1'))).toEqual(after);
    expect(await commandLine.json(...fund('credit', '1000.00', 'bank-1'))).toEqual(after);
    expect(await commandLine.refused(...fund('credit', '1000.01', 'bank-1'))).toBe(
      'error: reference bank-1 was already used for a credit of 1000.00 THB\n',
    );
    expect(await commandLine.json('wallet', 'show', '--merchant', '1')).toEqual(after);
  });

  it('debits no more than the available balance, and stores the operator', async () => {
    expect(await commandLine.json(...fund('debit', '0.05', 'back-1'), '--note', 'typo', '--operator', 'Malee')).toEqual(
      {
        merchant_id: 1,
        available_amount: '999.95',
        held_amount: '0.00',
      },
    );
    expect(await commandLine.refused(...fund('debit', '1000', 'back-2'))).toBe(
      'error: merchant 1 has only 999.95 THB available\n',
    );
    const { rows } = await client.query('SELECT kind, amount, note, operator FROM transfers ORDER BY id');
    expect(rows).toEqual([
      { kind: 'credit', amount: '100000', note: null, operator: 'operator-1' },
      { kind: 'debit', amount: '5', note: 'typo', operator: 'Malee' },
    ]);
  });
});

const setWeight = (merchant: string, option?: string): string[] =>
  ['merchant', 'set-weight', '--merchant', merchant].concat(option ?? []);

describe('topup merchant set-alert', () => {
  const setAlert = (...options: string[]): string[] => ['merchant', 'set-alert', '--merchant', '1', ...options];

  it('stores the threshold, which merchants show until it is removed', async () => {
    expect(await commandLine.json(...setAlert('--below', '500'))).toEqual({
      merchant_id: 1,
      alert_below: '500.00',
      available_amount: '999.95',
    });
    await commandLine.json('merchant', 'create', '--name', 'Without');
    const shown = { id: 1, status: 'active', alert_below: '500.00' };
    expect(await commandLine.json('merchant', 'show', '1')).toMatchObject(shown);
    expect(await commandLine.json('merchant', 'resume', '1')).toMatchObject(shown);
    expect(await commandLine.json(...setWeight('1', '--weight=1'))).toMatchObject(shown);
    const [first, second] = await commandLine.json<object[]>('merchant', 'list');
    expect(first).toMatchObject(shown);
    expect(Object.keys(second ?? {})).toEqual(['id', 'name', 'status', 'sandbox', 'weight', 'created_at']);
    const { stdout } = await commandLine.run('merchant', 'list');
    expect(stdout).toMatch(/│ created_at +│ alert_below │\n[^]+│ 500\.00 +│\n│ 2 [^]+Z │ {13}│\n/);
    expect(await commandLine.json(...setAlert('--off'))).toMatchObject({ alert_below: null });
    expect(await commandLine.json('merchant', 'show', '1')).not.toHaveProperty('alert_below');
  });

  it('refuses invalid thresholds', async () => {
    await commandLine.refusedAll([
      [setAlert(), /give either --below with an amount, or --off/],
      [setAlert('--off', '--below', '5'), /give either --below with an amount, or --off/],
      [setAlert('--below', '0'), 'error: the threshold must be more than 0.00, and at most 1000000000000.00\n'],
      [['merchant', 'set-alert', '--merchant', '99', '--off'], /there is no merchant 99/],
    ]);
  });
});

describe('topup merchant set-weight', () => {
  it('keeps the weight, which merchants show', async () => {
    const { id } = await commandLine.json<{ id: number }>('merchant', 'create', '--name', 'Weighty');
    const shown = { id, name: 'Weighty', status: 'active', sandbox: false, weight: 7 };
    expect(await commandLine.json('merchant', 'show', String(id))).toMatchObject({ ...shown, weight: 1 });
    expect(await commandLine.json(...setWeight(String(id), '--weight=7'))).toMatchObject(shown);
    expect(await commandLine.json('merchant', 'show', String(id))).toMatchObject(shown);
    expect(await commandLine.json<object[]>('merchant', 'list')).toContainEqual(expect.objectContaining(shown));
    const { stdout } = await commandLine.run('merchant', 'list');
    expect(stdout).toMatch(/│ weight +│[^]+│ Weighty +│ active +│[^]*│ 7 +│/);
  });

  it('refuses a weight that is none, and a merchant that there is not', async () => {
    const range = /It must be a whole number from 1 to 100\./;
    await commandLine.refusedAll([
      ...['0', '101', '1.5', '-1', 'heavy', ''].map((weight): [string[], RegExp] => [
        setWeight('1', `--weight=${weight}`),
        range,
      ]),
      [setWeight('1'), /--weight/],
      [setWeight('99', '--weight=2'), /there is no merchant 99/],
    ]);
  });
});
