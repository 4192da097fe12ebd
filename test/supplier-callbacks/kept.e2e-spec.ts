import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { SecretBox } from '../../src/core/secret-box.js';
import { CallbackRetentionService } from '../../src/fulfilment/callbacks/callback-retention.service.js';
import { supplierPlace } from '../../src/suppliers/supplier.entity.js';
import { CommandLine } from '../cli/command-line.js';
import { openManagementPort, Scrape } from '../ops/management.js';
import { WEBHOOK_SECRET, useCallingAdapters } from '../support/calling-supplier.js';
import { eventually } from '../support/eventually.js';
import { fetchServed } from '../support/until-served.js';
import { CallbackScene, openedBody, type StoredCallback } from './scene.js';

useCallingAdapters();

const PRIVATE = 'serial-4711-of-the-buyer';
const log: string[] = [];
let scene: CallbackScene;

beforeAll(async () => {
  scene = await CallbackScene.start(
    { WEBHOOK_LOG_DAYS: '30', LOG_LEVEL: 'trace' },
    { logTo: { write: (line) => void log.push(line) } },
  );
});

afterAll(() => scene.stack.close());

const ping = (code: string): Promise<unknown> => scene.call(code, { kind: 'ping', private: PRIVATE });
const ids = async (code: string): Promise<bigint[]> => (await scene.stored(code)).map(({ id }) => id);
const opened = (callback: StoredCallback, box = scene.stack.api.get(SecretBox)): string =>
  openedBody(callback, box).toString();

describe('a stored callback', () => {
  it('is sealed, and has the address of its sender', async () => {
    await ping('signing');
    const [callback] = (await scene.stored('signing')) as [StoredCallback];
    expect(callback).toMatchObject({ verdict: 'ping', remote_address: '127.0.0.1' });
    expect(callback.body_sealed?.toString('latin1')).not.toContain(PRIVATE);
    expect(JSON.parse(opened(callback))).toEqual({ kind: 'ping', private: PRIVATE });
  });

  it('contains the query if the request has no body', async () => {
    await fetchServed(`${scene.stack.url}${await scene.path('plain')}?reference=A1&sn=${PRIVATE}`);
    const [callback] = (await scene.stored('plain')) as [StoredCallback];
    expect(opened(callback)).toBe(`reference=A1&sn=${PRIVATE}`);
  });

  it('is sealed again under a new key, and so are the tokens', async () => {
    await ping('signing');
    const newKey = randomBytes(32);
    const { secretsKey, DATABASE_URL } = scene.stack.config;
    const oldKey = secretsKey?.toString('base64') ?? '';
    const rotate = (key: string, previous: string): Promise<unknown> =>
      new CommandLine({ DATABASE_URL, SECRETS_KEY: key, SECRETS_PREVIOUS_KEYS: previous }).json('secrets', 'rotate');
    await rotate(newKey.toString('base64'), oldKey);
    const box = new SecretBox(newKey);
    const tokens = await scene.stack.sql<{ code: string; token: Buffer }>(
      'SELECT code, callback_token_sealed AS token FROM suppliers WHERE callback_token_sealed IS NOT NULL',
    );
    expect(tokens.map(({ code, token }) => box.open(token, supplierPlace('callback_token_sealed', code)))).toHaveLength(
      3,
    );
    expect((await scene.stored('signing')).map((each) => opened(each, box))).toContainEqual(
      expect.stringContaining(PRIVATE),
    );
    await rotate(oldKey, newKey.toString('base64'));
    expect(await scene.token('signing')).toMatch(/^[0-9a-f]{32}$/);
  });

  it('is removed at the same age as the webhook log', async () => {
    for (let count = 0; count < 3; count++) await ping('patient');
    const [old, young, fresh] = (await ids('patient')) as [bigint, bigint, bigint];
    await scene.stack.sql(
      `UPDATE supplier_callbacks SET received_at = received_at - make_interval(days => CASE id WHEN $1 THEN 31 ELSE 29 END)
       WHERE id IN ($1, $2)`,
      [old, young],
    );
    // A worker removes nothing before it knows that the clock of PostgreSQL was not set forward.
    const retention = (await scene.stack.startWorker()).get(CallbackRetentionService);
    const leftAfterRound = async (): Promise<bigint[]> => {
      await retention.removeOld(new AbortController().signal, 30);
      return ids('patient');
    };
    await eventually(leftAfterRound, ({ length }) => length < 3);
    expect(await ids('patient')).toEqual([young, fresh]);
  });

  it('does not stop an operator from removing a supplier without purchases', async () => {
    await scene.set('passing', 'calling');
    await ping('passing');
    const { DATABASE_URL } = scene.stack.config;
    await new CommandLine({ DATABASE_URL }).json('supplier', 'remove', 'passing', '--yes');
    const left = await scene.stack.sql(
      'SELECT 1 FROM supplier_callbacks WHERE supplier_id NOT IN (SELECT id FROM suppliers)',
    );
    expect(left).toEqual([]);
  });
});

describe('logs and metrics of callbacks', () => {
  it('have the effect of each callback', async () => {
    const unit = await scene.openUnit('signing');
    await scene.succeed('signing', unit.reference);
    await scene.call('signing', { kind: 'about', reference: `reference-${PRIVATE}` });
    const lines = log.filter((line) => line.includes('supplier callback received'));
    const said = lines.slice(-2).map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(said[0]).toMatchObject({
      level: 'info',
      supplier: 'signing',
      verdict: 'settled',
      reference: unit.reference,
      orderNumber: unit.order.order_number,
    });
    expect(said[1]).toMatchObject({ supplier: 'signing', verdict: 'unknown_reference' });
    const scrape = await Scrape.of(await openManagementPort(scene.stack.api));
    const count = (verdict: string): number | undefined =>
      scrape.value('topup_supplier_callbacks_total', { supplier: 'signing', verdict });
    expect([count('settled'), count('unknown_reference')]).toEqual([1, 1]);
    expect(
      scrape.valuesOf('http_request_duration_seconds_count', 'route').has('/supplier-callbacks/:code/:token'),
    ).toBe(true);
  });

  it('contain no body, no token and no secret, at any level', async () => {
    const path = await scene.path('signing');
    await scene.call('signing', `{"broken": "${PRIVATE}"`);
    await fetch(`${scene.stack.url}${path}?sn=${PRIVATE}`, { method: 'POST', body: PRIVATE });
    await fetch(`${scene.stack.url}${path}/more?sn=${PRIVATE}`);
    await fetch(`${scene.stack.url}${path.toUpperCase()}`);
    await fetch(`${scene.stack.url}/v1${path}`);
    const tokens = await Promise.all(['signing', 'plain', 'patient'].map((code) => scene.token(code)));
    await eventually(
      () => log.filter((line) => line.includes('/supplier-callbacks/…')).length,
      (count) => count >= 5,
    );
    const all = log.join('').toLowerCase();
    for (const secret of [PRIVATE, WEBHOOK_SECRET, ...tokens]) expect(all).not.toContain(secret);
  });
});
