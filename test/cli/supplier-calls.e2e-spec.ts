import { randomBytes } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { MOMENT } from '../support/expectations.js';
import type { FakeSupplier } from '../support/fake-supplier.js';
import { CommandLine } from './command-line.js';
import { SECRET, SupplierScene } from './supplier-scene.js';

interface SupplierJson {
  balance: object | null;
}

interface TestJson {
  code: string;
  ok: boolean;
  checks: { name: string; ok: boolean; detail: string }[];
}

let scene: SupplierScene;
let commandLine: CommandLine;
let supplier: FakeSupplier;

beforeAll(async () => {
  scene = await SupplierScene.open();
  ({ commandLine } = scene);
});

afterAll(() => scene.close());

beforeEach(async () => {
  supplier = await scene.begin();
});

afterEach(() => scene.end());

const set = (...options: string[]): string[] => scene.set(...options);
const show = (): Promise<SupplierJson> => scene.show<SupplierJson>();

describe('topup supplier balance', () => {
  const balance = (amount: string): void => {
    supplier.balance = { status: 200, body: { balance: amount, currency: 'THB' } };
  };
  const reported = (amount: string, low: boolean): object => ({
    amount,
    currency: 'THB',
    low,
    at: expect.stringMatching(MOMENT) as unknown as string,
  });

  it('is queried now, and its result is kept', async () => {
    await commandLine.json(...set('--low-balance', '1000.5'));
    const { rows } = await scene.client.query('SELECT updated_at FROM suppliers');
    balance('1000.50');
    const row = { code: 'acme', ...reported('1000.5', false) };
    expect(await commandLine.json('supplier', 'balance')).toEqual([{ ...row, lasts_hours: null }]);
    balance('1000.49');
    expect(await commandLine.json('supplier', 'balance', 'acme')).toEqual([
      { code: 'acme', ...reported('1000.49', true), lasts_hours: null },
    ]);
    expect(await show()).toMatchObject({ currency: 'THB', balance: reported('1000.49', true) });
    expect((await commandLine.run('supplier', 'list')).stdout).toContain('1000.49 THB (low)');
    // No setting was changed.
    expect((await scene.client.query('SELECT updated_at FROM suppliers')).rows).toEqual(rows);
    await commandLine.json(...set());
    expect((await show()).balance).toEqual(reported('1000.49', true));
    await commandLine.json(...set('--no-low-balance'));
    expect((await show()).balance).toEqual(reported('1000.49', false));
  });

  it('may be negative', async () => {
    await commandLine.json(...set('--low-balance', '0'));
    balance('-250.25');
    expect(await commandLine.json('supplier', 'balance')).toEqual([
      { code: 'acme', ...reported('-250.25', true), lasts_hours: null },
    ]);
  });

  it('of a supplier that can’t be queried is the last reported one, with exit code 1', async () => {
    await commandLine.json(...set());
    const [before] = await commandLine.json<object[]>('supplier', 'balance');
    supplier.balance = { status: 401 };
    const { code, stdout, stderr } = await commandLine.run('supplier', 'balance', '--json');
    expect({ code, rows: JSON.parse(stdout) as unknown }).toEqual({ code: 1, rows: [before] });
    expect(stderr).toMatch(/^acme: it refuses our credentials \(HTTP 401\): set them again with topup supplier/);
  });

  it('is null if the supplier reports no balance', async () => {
    await commandLine.json(...set());
    supplier.balance = { status: 404 };
    const nothing = { code: 'acme', amount: null, currency: null, at: null, low: false, lasts_hours: null };
    expect(await commandLine.json('supplier', 'balance')).toEqual([nothing]);
    const { code, stderr } = await commandLine.run('supplier', 'balance');
    expect(code).toBe(0);
    expect(stderr).toMatch(/^acme: it responds without a balance \(HTTP 404\)/);
  });

  it('is removed when the supplier’s address changes', async () => {
    await commandLine.json(...set());
    await commandLine.json('supplier', 'balance');
    await commandLine.json(...set('--base-url', 'http://127.0.0.1:1'));
    expect(await show()).toMatchObject({ currency: null, balance: null });
  });

  it('of an unknown supplier is refused', async () => {
    expect(await commandLine.refused('supplier', 'balance', 'nobody')).toMatch(
      /there is no supplier nobody: topup supplier list shows them/,
    );
  });
});

describe('topup supplier test', () => {
  const test = async (line = commandLine): Promise<TestJson & { exit: number | null }> => {
    const { code: exit, stdout } = await line.run('supplier', 'test', 'acme', '--json');
    return { exit, ...(JSON.parse(stdout) as TestJson) };
  };

  it('succeeds, and buys nothing', async () => {
    await commandLine.json(...set('--token', SECRET));
    expect(await test()).toEqual({
      exit: 0,
      code: 'acme',
      ok: true,
      checks: [
        { name: 'settings', ok: true, detail: 'complete' },
        { name: 'balance', ok: true, detail: '123456 THB' },
      ],
    });
    expect((await commandLine.run('supplier', 'test', 'acme')).stdout).toMatch(/Supplier acme can be used\./);
    expect(supplier.requests).toEqual([]);
  });

  it.each([
    [401, /it refuses our credentials \(HTTP 401\): set them again with topup supplier set --credential/],
    [429, /it wants fewer requests \(HTTP 429\): try again later/],
    [302, /it answers HTTP 302 at http:.+: check --base-url/],
    [503, /it has an internal error \(HTTP 503\): try again later, or ask the supplier/],
  ])('names the remedy for HTTP %s', async (status, words) => {
    supplier.balance = { status };
    await commandLine.json(...set());
    const { exit, ok, checks } = await test();
    expect({ exit, ok }).toEqual({ exit: 1, ok: false });
    expect(checks).toMatchObject([{ ok: true }, { name: 'balance', ok: false }]);
    expect(checks[1]?.detail).toMatch(words);
  });

  it('succeeds for a supplier that reports no balance', async () => {
    supplier.balance = { status: 404 };
    await commandLine.json(...set());
    expect(await test()).toMatchObject({
      exit: 0,
      checks: [{ ok: true }, { ok: true, detail: expect.stringMatching(/responds without a balance \(HTTP 404\)/) }],
    });
  });

  it('names the remedy for a supplier that can’t be reached, or does not answer', async () => {
    await commandLine.json(...set('--base-url', 'http://127.0.0.1:1'));
    const [, refused] = (await test()).checks;
    expect(refused?.detail).toMatch(/^nothing responds at http:\/\/127\.0\.0\.1:1: check --base-url/);
    supplier.balance = 'hang';
    await commandLine.json(...set('--timeout-ms', '100'));
    const [, silent] = (await test()).checks;
    expect(silent?.detail).toMatch(/^no answer within 100 ms: raise --timeout-ms/);
  });

  it('reports a missing or wrong SECRETS_KEY', async () => {
    await commandLine.json(...set('--token', SECRET));
    const other = new CommandLine({
      DATABASE_URL: scene.database.url,
      SECRETS_KEY: randomBytes(32).toString('base64'),
    });
    const keyless = new CommandLine({ DATABASE_URL: scene.database.url, TOPUP_DATA_DIR: scene.directory });
    for (const line of [other, keyless]) {
      const { exit, checks } = await test(line);
      expect(exit).toBe(1);
      expect(checks).toMatchObject([{ name: 'settings', ok: false }]);
      expect(checks[0]?.detail).toMatch(/SECRETS_KEY.*run this with the service’s key/);
    }
  });
});

describe('while the supplier bans us', () => {
  it.each([['test', 'acme'], ['balance', 'acme'], ['balance']])(
    'supplier %s warns before it prolongs the ban',
    async (...args) => {
      await commandLine.json(...set('--token', SECRET));
      await scene.client.query(
        `UPDATE suppliers SET pause_reason = 'ban', paused_at = now(), probe_at = now() + interval '1 hour' WHERE code = 'acme'`,
      );
      const { code, stdout, stderr } = await commandLine.run('supplier', ...args, '--json');
      expect(stderr).toMatch(/^acme bans us, and this call prolongs the ban/);
      expect(code).toBe(0);
      expect(JSON.parse(stdout)).toBeTruthy();
      // The supplier has answered, which ended the pause in the case of `balance`.
      await scene.client.query(
        `UPDATE suppliers SET pause_reason = NULL, paused_at = NULL, probe_at = NULL WHERE code = 'acme'`,
      );
      expect((await commandLine.run('supplier', ...args)).stderr).not.toContain('bans us');
    },
  );
});
