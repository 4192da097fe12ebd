import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Database } from '../../src/database/database.js';
import type { ErrorBody } from '../support/http.js';
import { codeOf, ConsoleStack, PASSWORD, type Browser, type TestOperator } from './console-stack.js';
import { everyOperation, fill } from './operations.js';

let console: ConsoleStack;
beforeAll(async () => {
  console = await ConsoleStack.start();
});
afterAll(() => console.close());

const giveCode = async (browser: Browser, code: string): Promise<number> =>
  (await browser.post('/api/session/code', { code })).status;

/** A session after the password only. */
async function halfSignedIn({ email }: TestOperator): Promise<Browser> {
  const browser = console.browser();
  await browser.post('/api/session', { email, password: PASSWORD });
  return browser;
}

describe('the second factor', () => {
  it('is asked for after the password, and its code signs in', async () => {
    const operator = await console.withSecondFactor();
    const browser = await halfSignedIn(operator);
    const half = await browser.get<{ state: string; operator: null; permissions: string[] }>('/api/session');
    expect(half.body).toMatchObject({ state: 'code_required', operator: null, permissions: [] });
    expect(await giveCode(browser, await codeOf(operator.secret ?? ''))).toBe(200);
    expect((await browser.get('/api/session')).body).toMatchObject({ state: 'signed_in' });
  });

  it('accepts each code once, of this half minute, the one before and the one after', async () => {
    const operator = await console.withSecondFactor();
    const { secret = '' } = operator;
    expect(await giveCode(await halfSignedIn(operator), await codeOf(secret, 3))).toBe(401);
    expect(await giveCode(await halfSignedIn(operator), await codeOf(secret, -3))).toBe(401);
    const code = await codeOf(secret);
    expect(await giveCode(await halfSignedIn(operator), code)).toBe(200);
    expect(await giveCode(await halfSignedIn(operator), code)).toBe(401);
    // The code before it is no longer accepted, either.
    expect(await giveCode(await halfSignedIn(operator), await codeOf(secret, -1))).toBe(401);
  });

  it('accepts a code once, even if it comes many times at the same moment', async () => {
    const operator = await console.withSecondFactor();
    const code = await codeOf(operator.secret ?? '');
    const browsers = [await halfSignedIn(operator), await halfSignedIn(operator), await halfSignedIn(operator)];
    const statuses = await Promise.all(browsers.map((browser) => giveCode(browser, code)));
    expect(statuses.filter((status) => status === 200)).toHaveLength(1);
  });

  it('accepts each recovery code once, in any notation', async () => {
    const operator = await console.withSecondFactor();
    expect(operator.recoveryCodes).toHaveLength(10);
    const [code = ''] = operator.recoveryCodes;
    expect(await giveCode(await halfSignedIn(operator), ` ${code.toUpperCase().replaceAll('-', ' ')} `)).toBe(200);
    expect(await giveCode(await halfSignedIn(operator), code)).toBe(401);
    const { body } = await operator.browser.get<{ recovery_codes: number }>('/api/me');
    expect(body.recovery_codes).toBe(9);
  });

  it('locks the account after five wrong codes, and the right password does not reset the count', async () => {
    const operator = await console.withSecondFactor();
    for (let attempt = 1; attempt <= 5; attempt++)
      expect(await giveCode(await halfSignedIn(operator), '000000')).toBe(401);
    expect(await giveCode(await halfSignedIn(operator), await codeOf(operator.secret ?? ''))).toBe(401);
  });

  it('cannot be avoided by any other route', async () => {
    const operator = await console.withSecondFactor();
    const browser = await halfSignedIn(operator);
    for (const { method, path, access } of everyOperation(console.app)) {
      if (access === 'anyone' || access === 'half') continue;
      const { status, body } = await browser.send<ErrorBody>(method, fill(path), method === 'GET' ? undefined : {});
      expect([method, path, status, body.details?.[0]?.code]).toEqual([method, path, 401, 'CODE_REQUIRED']);
    }
  });

  it('is set up with a code of the app, and removed, only shortly after a confirmation', async () => {
    const { browser, id } = await console.signedIn();
    await console.sql(
      `UPDATE operator_sessions SET confirmed_at = now() - interval '11 minutes' WHERE operator_id = $1`,
      [id],
    );
    const refused = await browser.post<ErrorBody>('/api/me/second-factor');
    expect([refused.status, refused.body.details?.[0]?.code]).toEqual([403, 'CONFIRMATION_REQUIRED']);
    expect((await browser.post('/api/session/confirm', { password: 'wrong' })).status).toBe(401);
    expect((await browser.post('/api/session/confirm', { password: PASSWORD })).status).toBe(200);
    const { body } = await browser.post<{ secret: string; uri: string }>('/api/me/second-factor');
    expect(body.uri).toContain(body.secret);
    expect((await browser.send('PUT', '/api/me/second-factor', { code: '000000' })).status).toBe(400);
    const code = await codeOf(body.secret);
    expect((await browser.send('PUT', '/api/me/second-factor', { code })).status).toBe(200);
    expect((await browser.send('PUT', '/api/me/second-factor', { code })).status).toBe(409);
    // With a second factor, the password alone confirms nothing.
    expect((await browser.post('/api/session/confirm', { password: PASSWORD })).status).toBe(400);
    expect((await browser.send('DELETE', '/api/me/second-factor')).body).toMatchObject({
      second_factor: false,
    });
    const kept = await console.sql<{ action: string }>(
      `SELECT action FROM operator_actions WHERE operator_id = $1 AND action LIKE 'second_factor.%' ORDER BY id`,
      [id],
    );
    expect(kept.map(({ action }) => action)).toEqual(['second_factor.set', 'second_factor.remove']);
  });

  it('confirms for ten minutes by the console’s clock, even while the clock of PostgreSQL is ahead of it', async () => {
    const { browser } = await console.signedIn();
    await console.sql('CREATE SCHEMA clock');
    await console.sql(`CREATE FUNCTION clock.statement_timestamp() RETURNS timestamptz LANGUAGE sql STABLE
                       AS $$ SELECT pg_catalog.statement_timestamp() + interval '5 minutes' $$`);
    const setPath = async (path: string): Promise<void> => {
      await console.sql(`DO $$ BEGIN
        EXECUTE format('ALTER DATABASE %I SET search_path = ${path}', current_database()); END $$`);
      console.app.get(Database).reconnect();
    };
    await setPath('clock, pg_catalog, public');
    try {
      const confirmed = await browser.post<{ confirmed_until: string }>('/api/session/confirm', { password: PASSWORD });
      expect(confirmed.status).toBe(200);
      expect(Date.now() + 600_000).toBeGreaterThanOrEqual(Date.parse(confirmed.body.confirmed_until));
    } finally {
      await setPath('DEFAULT');
    }
  });

  it('is asked for before a change of the password, which does not count as a confirmation', async () => {
    const { browser, id, secret = '' } = await console.withSecondFactor();
    const minutesAgo = (minutes: number): Promise<unknown> =>
      console.sql(
        `UPDATE operator_sessions SET confirmed_at = now() - $2 * interval '1 minute' WHERE operator_id = $1`,
        [id, minutes],
      );
    const change = { password: PASSWORD, new_password: 'a quite different passphrase' };
    await minutesAgo(11);
    const refused = await browser.post<ErrorBody>('/api/me/password', change);
    expect([refused.status, refused.body.details?.[0]?.code]).toEqual([403, 'CONFIRMATION_REQUIRED']);
    const confirmed = await browser.post('/api/session/confirm', { code: await codeOf(secret) });
    expect(confirmed.status).toBe(200);
    await minutesAgo(9);
    const before = await browser.get<{ confirmed_until: string }>('/api/session');
    const { status, body } = await browser.post<{ confirmed_until: string }>('/api/me/password', change);
    expect([status, body.confirmed_until]).toEqual([200, before.body.confirmed_until]);
    await minutesAgo(11);
    expect((await browser.send('DELETE', '/api/me/second-factor')).status).toBe(403);
  });

  it('ends all other sessions when it is set, replaced or removed, and gives this session a new cookie', async () => {
    const operator = await console.signedIn();
    const { browser, id } = operator;
    const factorOf = async (change: () => Promise<{ status: number }>): Promise<void> => {
      const other = await halfSignedIn(operator);
      await console.sql('UPDATE operator_sessions SET awaits_code = false WHERE operator_id = $1', [id]);
      const half = await halfSignedIn(operator);
      const thief = console.browser();
      for (const [name, value] of browser.cookies) thief.cookies.set(name, value);
      expect((await change()).status).toBe(200);
      for (const left of [other, half, thief]) {
        expect((await left.get('/api/session')).status).toBe(401);
        expect((await left.send('DELETE', '/api/me/second-factor')).status).toBe(401);
      }
      expect((await browser.get('/api/session')).body).toMatchObject({ state: 'signed_in' });
    };
    for (let time = 1; time <= 2; time++) {
      const { body } = await browser.post<{ secret: string }>('/api/me/second-factor');
      await factorOf(async () => browser.send('PUT', '/api/me/second-factor', { code: await codeOf(body.secret) }));
    }
    await factorOf(() => browser.send('DELETE', '/api/me/second-factor'));
  });

  it('that is removed leaves the earlier confirmation valid for no longer than before', async () => {
    const { browser, id } = await console.withSecondFactor();
    await console.sql(
      `UPDATE operator_sessions SET confirmed_at = now() - interval '9 minutes' WHERE operator_id = $1`,
      [id],
    );
    const before = await browser.get<{ confirmed_until: string }>('/api/session');
    expect((await browser.send('DELETE', '/api/me/second-factor')).status).toBe(200);
    const after = await browser.get<{ confirmed_until: string }>('/api/session');
    expect(after.body.confirmed_until).toBe(before.body.confirmed_until);
  });

  it('is stored sealed', async () => {
    const { id, secret = '-' } = await console.withSecondFactor();
    const [row] = await console.sql<{ totp_sealed: Buffer }>('SELECT totp_sealed FROM operators WHERE id = $1', [id]);
    expect(row?.totp_sealed.includes(secret)).toBe(false);
  });
});

describe('CONSOLE_REQUIRE_2FA', () => {
  let strict: ConsoleStack;
  beforeAll(async () => {
    strict = await ConsoleStack.start({ CONSOLE_REQUIRE_2FA: 'money' });
  });
  afterAll(() => strict.close());

  it('demands a second factor of roles that move money or change access', async () => {
    const states: Record<string, string> = {};
    for (const role of ['viewer', 'support', 'catalog', 'finance', 'admin'] as const) {
      const { browser } = await strict.signedIn(role);
      states[role] = (await browser.get<{ state: string }>('/api/session')).body.state;
    }
    expect(states).toEqual({
      viewer: 'signed_in',
      catalog: 'signed_in',
      support: 'second_factor_required',
      finance: 'second_factor_required',
      admin: 'second_factor_required',
    });
    const { browser } = await strict.withSecondFactor('finance');
    expect((await browser.get('/api/session')).body).toMatchObject({ state: 'signed_in' });
  });

  it('leaves an operator without one the own account only: every other route is closed', async () => {
    const { browser } = await strict.signedIn('admin');
    for (const { method, path } of everyOperation(strict.app)) {
      if (/^\/api\/(session|me|set-up)(\/|$)/.test(path)) continue;
      const { status, body } = await browser.send<ErrorBody>(method, fill(path), method === 'GET' ? undefined : {});
      expect([method, path, status, body.details?.[0]?.code]).toEqual([method, path, 403, 'SECOND_FACTOR_REQUIRED']);
    }
    for (const path of ['/api/me', '/api/me/sessions', '/api/session'])
      expect([path, (await browser.get(path)).status]).toEqual([path, 200]);
  });
});
