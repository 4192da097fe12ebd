import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '../support/eventually.js';
import type { ErrorBody } from '../support/http.js';
import { codeOf, ConsoleStack, newAddress, PASSWORD, type Browser } from './console-stack.js';

let console: ConsoleStack;
beforeAll(async () => {
  console = await ConsoleStack.start();
});
afterAll(() => console.close());

interface SessionBody {
  state: string;
  operator: { email: string; role: string } | null;
  permissions: string[];
}

const whoAmI = (browser: Browser): Promise<{ status: number; body: SessionBody }> =>
  browser.get<SessionBody>('/api/session');

describe('signing in', () => {
  it('needs address and password, and answers with the operator and the permissions', async () => {
    const { browser, email } = await console.operator('viewer');
    expect((await whoAmI(browser)).status).toBe(401);
    const { status, body } = await browser.post<SessionBody>('/api/session', {
      email: ` ${email.toUpperCase()} `,
      password: PASSWORD,
    });
    expect([status, body]).toEqual([
      200,
      expect.objectContaining({
        state: 'signed_in',
        operator: expect.objectContaining({ email, role: 'viewer', timezone: 'Asia/Bangkok' }),
      }),
    ]);
    expect(body.permissions).toContain('orders.read');
    expect(body.permissions).not.toContain('players.read');
    expect((await whoAmI(browser)).body.operator?.email).toBe(email);
  });

  it('lasts until signing out, which also ends a stolen cookie', async () => {
    const { browser } = await console.signedIn();
    const thief = console.browser();
    for (const [name, value] of browser.cookies) thief.cookies.set(name, value);
    expect((await whoAmI(thief)).status).toBe(200);
    expect((await browser.send('DELETE', '/api/session')).status).toBe(200);
    expect((await whoAmI(browser)).status).toBe(401);
    expect((await whoAmI(thief)).status).toBe(401);
  });

  it('never uses a session identifier that an attacker chose, and changes it with every step', async () => {
    const { browser, email, secret = '' } = await console.withSecondFactor();
    await browser.send('DELETE', '/api/session');
    const seen = new Set<string | undefined>();
    const cookie = (): string | undefined => browser.cookies.get('console');
    browser.cookies.set('console', 's%3Achosen.by-somebody-else');
    seen.add(cookie());
    await browser.post('/api/session', { email, password: PASSWORD });
    const halfSignedIn = cookie();
    seen.add(halfSignedIn);
    const thief = console.browser();
    thief.cookies.set('console', halfSignedIn ?? '');
    await browser.post('/api/session/code', { code: await codeOf(secret) });
    seen.add(cookie());
    const before = cookie();
    const change = { password: PASSWORD, new_password: 'a quite different passphrase' };
    expect((await browser.post('/api/me/password', change)).status).toBe(200);
    seen.add(cookie());
    expect(seen.size).toBe(4);
    expect((await whoAmI(thief)).status).toBe(401);
    thief.cookies.set('console', before ?? '');
    expect((await whoAmI(thief)).status).toBe(401);
    expect((await whoAmI(browser)).status).toBe(200);
  });

  it('refuses the current password as a new one, in any notation', async () => {
    const { browser, email, id } = await console.signedIn();
    const change = { password: PASSWORD, new_password: PASSWORD.replace('c', 'ｃ') };
    const { status, body } = await browser.post<ErrorBody>('/api/me/password', change);
    expect([status, body.details?.[0]?.field]).toEqual([400, 'new_password']);
    expect((await whoAmI(browser)).body.operator?.email).toBe(email);
    const changes = await console.sql(
      `SELECT id FROM operator_actions WHERE operator_id = $1 AND detail->>'by' = 'operator'`,
      [id],
    );
    expect(changes).toEqual([]);
  });

  it('stores neither the cookie’s value nor the password', async () => {
    const { browser, id } = await console.signedIn();
    const value =
      decodeURIComponent(browser.cookies.get('console') ?? '')
        .slice(2)
        .split('.')[0] ?? '-';
    const rows = await console.sql(
      `SELECT row_to_json(s)::text AS kept FROM operator_sessions s WHERE operator_id = $1
       UNION ALL SELECT row_to_json(o)::text FROM operators o WHERE id = $1
       UNION ALL SELECT row_to_json(a)::text FROM operator_actions a WHERE operator_id = $1`,
      [id],
    );
    expect(rows.length).toBeGreaterThan(3);
    expect(JSON.stringify(rows)).not.toContain(value);
    expect(JSON.stringify(rows)).not.toContain(PASSWORD);
    expect(JSON.stringify(rows)).toContain('$argon2id$v=19$m=19456,t=2,p=1$');
  });

  it('sets cookies that scripts and other sites can’t use', async () => {
    const https = await ConsoleStack.start({ CONSOLE_URL: 'https://console.example.com' });
    try {
      const { browser, email } = await https.operator();
      const { headers } = await browser.post('/api/session', { email, password: PASSWORD });
      const cookies = headers.getSetCookie();
      const names = new Set(cookies.map((cookie) => cookie.split('=')[0]));
      expect(names).toEqual(new Set(['__Host-console', '__Host-console-device']));
      for (const cookie of cookies) {
        for (const attribute of ['HttpOnly', 'Secure', 'SameSite=Strict', 'Path=/'])
          expect(cookie).toContain(attribute);
        expect(cookie).not.toContain('Domain');
      }
    } finally {
      await https.close();
    }
  });

  it('is not extended by requests of a page without input by an operator', async () => {
    const { id, browser } = await console.signedIn();
    await console.sql(`UPDATE operator_sessions SET seen_at = now() - interval '50 minutes' WHERE operator_id = $1`, [
      id,
    ]);
    const minutesAgo = async (): Promise<number> => {
      const [row] = await console.sql<{ ago: number }>(
        `SELECT extract(epoch FROM now() - seen_at)::float8 / 60 AS ago FROM operator_sessions WHERE operator_id = $1`,
        [id],
      );
      return row?.ago ?? -1;
    };
    const unattended = { headers: { 'x-unattended': 'true' } };
    expect((await browser.get('/api/orders', unattended)).status).toBe(200);
    expect(await minutesAgo()).toBeGreaterThan(49);
    expect((await browser.get('/api/orders')).status).toBe(200);
    expect(await minutesAgo()).toBeLessThan(49);
  });

  it('ends an hour after the last request, and after twelve hours in any case', async () => {
    const [idle, old] = [await console.signedIn(), await console.signedIn()];
    await console.sql(`UPDATE operator_sessions SET seen_at = now() - interval '61 minutes' WHERE operator_id = $1`, [
      idle.id,
    ]);
    await console.sql(`UPDATE operator_sessions SET expires_at = now() - interval '1 second' WHERE operator_id = $1`, [
      old.id,
    ]);
    expect((await whoAmI(idle.browser)).status).toBe(401);
    expect((await whoAmI(old.browser)).status).toBe(401);
    const [lasting] = await console.sql<{ hours: string }>(
      `SELECT round(extract(epoch FROM expires_at - created_at) / 3600) AS hours FROM operator_sessions
       WHERE operator_id = $1`,
      [idle.id],
    );
    expect(Number(lasting?.hours)).toBe(12);
  });
});

describe('wrong passwords', () => {
  const tryWith = (browser: Browser, email: string, password: string): Promise<{ status: number; body: ErrorBody }> =>
    browser.post<ErrorBody>('/api/session', { email, password });

  it('lock the account at the fifth; the answer is the same for every reason, and for an unknown address', async () => {
    const { email } = await console.operator();
    const answers = [];
    for (let attempt = 1; attempt <= 5; attempt++)
      answers.push(await tryWith(console.browser(), email, `wrong ${attempt}`));
    answers.push(await tryWith(console.browser(), email, PASSWORD));
    answers.push(await tryWith(console.browser(), 'nobody@shop.example', PASSWORD));
    expect(answers.map(({ status }) => status)).toEqual(Array(7).fill(401));
    expect(new Set(answers.map(({ body }) => JSON.stringify(body))).size).toBe(1);
    await console.operators.unlock(email);
    expect((await tryWith(console.browser(), email, PASSWORD)).status).toBe(200);
  });

  it('lock for a quarter of an hour, and twice as long at each further one, up to a day', async () => {
    const { email } = await console.operator();
    const minutes: number[] = [];
    for (let attempt = 1; attempt <= 13; attempt++) {
      await tryWith(console.browser(), email, 'wrong');
      const [{ locked = 0 } = {}] = await console.sql<{ locked: number }>(
        `SELECT ceil(extract(epoch FROM locked_until - now()) / 60)::int AS locked FROM operators WHERE email = $1`,
        [email],
      );
      minutes.push(locked);
      await console.sql(`UPDATE operators SET locked_until = now() WHERE email = $1 AND locked_until IS NOT NULL`, [
        email,
      ]);
    }
    expect(minutes).toEqual([null, null, null, null, 15, 30, 60, 120, 240, 480, 960, 1440, 1440]);
  });

  it('are counted one by one, even if they come at the same moment', async () => {
    const { email } = await console.operator();
    await Promise.all(Array.from({ length: 12 }, () => tryWith(console.browser(), email, 'wrong')));
    const [row] = await console.sql<{ failed_logins: number }>('SELECT failed_logins FROM operators WHERE email = $1', [
      email,
    ]);
    expect(row?.failed_logins).toBe(5);
  });

  it('of a stranger don’t lock out a browser in which the operator has signed in', async () => {
    const { browser, email } = await console.signedIn();
    await browser.send('DELETE', '/api/session');
    for (let attempt = 1; attempt <= 5; attempt++) await tryWith(console.browser(), email, 'wrong');
    expect((await tryWith(console.browser(), email, PASSWORD)).status).toBe(401);
    expect((await tryWith(browser, email, PASSWORD)).status).toBe(200);
    await browser.send('DELETE', '/api/session');
    for (let attempt = 1; attempt <= 5; attempt++) await tryWith(browser, email, 'wrong');
    expect((await tryWith(browser, email, PASSWORD)).status).toBe(401);
  });

  it('are limited to ten attempts a minute from one address; the eleventh is not checked', async () => {
    const { email } = await console.operator();
    const eleven = async (): Promise<number[]> => {
      const address = newAddress();
      const statuses: number[] = [];
      for (let attempt = 1; attempt <= 10; attempt++)
        statuses.push((await tryWith(console.browser(address), `nobody-${attempt}@shop.example`, 'x')).status);
      return [...statuses, (await tryWith(console.browser(address), email, PASSWORD)).status];
    };
    // Repeated if the machine was so slow that the minute was over, or that an attempt was made twice, after a 503.
    await eventually(eleven, (statuses) => statuses.join() === [...Array<number>(10).fill(401), 429].join());
    expect((await tryWith(console.browser(), email, PASSWORD)).status).toBe(200);
  });

  it('take as long to check for an unknown address', async () => {
    const { email } = await console.operator();
    const timeOf = async (address: string): Promise<number> => {
      const startedAt = performance.now();
      await tryWith(console.browser(), address, 'wrong');
      return performance.now() - startedAt;
    };
    const [known, unknown] = [await timeOf(email), await timeOf('nobody@shop.example')];
    expect(Math.min(known, unknown)).toBeGreaterThan(99);
  });

  it('of existing accounts are in the audit log, with the address of the sender', async () => {
    const { email, id } = await console.operator();
    const browser = console.browser();
    await tryWith(browser, email, 'wrong');
    const rows = await console.sql(
      `SELECT operator, source, ip, request_id IS NOT NULL AS has_request, detail FROM operator_actions
       WHERE operator_id = $1 AND action = 'session.refused'`,
      [id],
    );
    expect(rows).toEqual([
      {
        operator: email,
        source: 'console',
        ip: browser.address,
        has_request: true,
        detail: { what: 'password' },
      },
    ]);
  });
});
