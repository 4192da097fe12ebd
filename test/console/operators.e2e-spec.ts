import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { ErrorBody } from '../support/http.js';
import { ConsoleStack, PASSWORD, type TestOperator } from './console-stack.js';

interface Account {
  id: number;
  email: string;
  role: string;
  state: string;
  second_factor: boolean;
  last_sign_in_at: string | null;
  locked_until: string | null;
  link_until: string | null;
}

interface Invitation {
  operator: Account;
  link: string;
}

let console: ConsoleStack;
let admin: TestOperator;

beforeAll(async () => {
  console = await ConsoleStack.start();
  admin = await console.signedIn('admin');
});
afterAll(() => console.close());

const accountOf = async (id: number): Promise<Account> =>
  (await admin.browser.get<Account>(`/api/operators/${id}`)).body;

const patch = (id: number, body: object, { browser } = admin) =>
  browser.send<Account & ErrorBody>('PATCH', `/api/operators/${id}`, body);

const actions = async (): Promise<{ action: string; operator: string; detail: object }[]> =>
  console.sql('SELECT action, operator, detail FROM operator_actions ORDER BY id');

describe('operators', () => {
  let nok: TestOperator;
  beforeEach(async () => {
    nok = await console.signedIn('support');
  });

  it('are invited with a link that works once, and cannot sign in before', async () => {
    const email = 'mali@shop.example';
    const given = { email: ` ${email.toUpperCase()} `.trim(), name: 'Mali', role: 'catalog' };
    const { status, body } = await admin.browser.post<Invitation>('/api/operators', given);
    expect([status, body.operator]).toMatchObject([201, { email, role: 'catalog', state: 'invited' }]);
    expect(body.operator.link_until).toEqual(expect.any(String));
    const again = await admin.browser.post<ErrorBody>('/api/operators', given);
    expect([again.status, again.body.message]).toEqual([409, `there is an operator with the address ${email}`]);
    const token = body.link.split('#')[1];
    const browser = console.browser();
    expect((await browser.post('/api/set-up', { token, password: PASSWORD })).status).toBe(200);
    expect((await browser.post('/api/session', { email, password: PASSWORD })).status).toBe(200);
    expect(await accountOf(body.operator.id)).toMatchObject({ state: 'active', link_until: null });
    const { body: list } = await admin.browser.get<{ data: Account[] }>('/api/operators');
    expect(list.data.map((each) => each.email)).toContain(email);
    expect(JSON.stringify(list)).not.toMatch(/argon2|set_up|hash/);
    for (const wrong of [
      { ...given, role: 'king' },
      { ...given, email: 'nobody' },
      { ...given, name: '' },
    ])
      expect((await admin.browser.post('/api/operators', wrong)).status).toBe(400);
  });

  it('have a new role from their next request on; the change is refused if the role changed meanwhile', async () => {
    expect((await patch(nok.id, { role: 'viewer', expected_role: 'support', reason: 'left' })).body).toMatchObject({
      role: 'viewer',
    });
    expect((await nok.browser.get('/api/log')).status).toBe(403);
    const late = await patch(nok.id, { role: 'finance', expected_role: 'support' });
    expect([late.status, late.body.details?.[0]]).toMatchObject([409, { code: 'CHANGED_MEANWHILE' }]);
    expect((await patch(nok.id, {})).status).toBe(400);
    expect((await patch(nok.id, { role: 'viewer', active: true })).status).toBe(400);
    expect((await patch(999_999, { role: 'viewer' })).status).toBe(404);
    expect((await actions()).at(-1)).toEqual({
      action: 'operator.set_role',
      operator: admin.email,
      detail: { operator: nok.email, role: 'viewer', role_before: 'support', reason: 'left' },
    });
  });

  it('are disabled at once and enabled again', async () => {
    expect((await patch(nok.id, { active: false })).body.state).toBe('disabled');
    expect((await nok.browser.get('/api/orders')).status).toBe(401);
    expect((await patch(nok.id, { active: true })).body.state).toBe('active');
    await console.signIn(nok);
    expect((await nok.browser.get('/api/orders')).status).toBe(200);
  });

  it('are unlocked, and reset with a new link', async () => {
    const stranger = console.browser();
    for (let tries = 0; tries < 5; tries++)
      await stranger.post('/api/session', { email: nok.email, password: 'not the password at all' });
    expect((await accountOf(nok.id)).locked_until).toEqual(expect.any(String));
    const unlocked = await admin.browser.post<Account>(`/api/operators/${nok.id}/unlock`, {});
    expect([unlocked.status, unlocked.body.locked_until]).toEqual([200, null]);
    const reset = await admin.browser.post<Invitation>(`/api/operators/${nok.id}/reset`, { reason: 'phone' });
    expect([reset.status, reset.body.operator.state]).toEqual([200, 'invited']);
    expect(reset.body.link).toMatch(/\/set-up#.{20,}/);
    expect((await nok.browser.get('/api/orders')).status).toBe(401);
    const { status } = await stranger.post('/api/session', { email: nok.email, password: PASSWORD });
    expect(status).toBe(401);
  });

  it('are signed out if an administrator ends their sessions', async () => {
    const elsewhere: TestOperator = { ...nok, browser: console.browser() };
    await console.signIn(elsewhere);
    const path = `/api/operators/${nok.id}/sessions`;
    const { body } = await admin.browser.get<{ data: { id: number; is_current: boolean }[] }>(path);
    expect(body.data.map(({ is_current }) => is_current)).toEqual([false, false]);
    const [newest] = body.data;
    expect((await admin.browser.send('DELETE', `/api/operators/${admin.id}/sessions/${newest?.id}`)).status).toBe(404);
    expect((await admin.browser.send('DELETE', `${path}/${newest?.id}`)).status).toBe(200);
    expect((await elsewhere.browser.get('/api/me')).status).toBe(401);
    expect((await nok.browser.get('/api/me')).status).toBe(200);
    expect((await admin.browser.send('DELETE', path)).status).toBe(200);
    expect((await nok.browser.get('/api/me')).status).toBe(401);
    expect((await actions()).slice(-2).map(({ action, detail }) => [action, detail])).toEqual([
      ['session.end', { operator: nok.email, session: newest?.id }],
      ['session.end', { operator: nok.email, ended: 1 }],
    ]);
  });
});

describe('a change of access', () => {
  it('must be confirmed again, and changes nothing before', async () => {
    const late = await console.signedIn('admin');
    const other = await console.operator('support');
    await console.sql(
      `UPDATE operator_sessions SET confirmed_at = now() - interval '11 minutes' WHERE operator_id = $1`,
      [late.id],
    );
    const before = (await actions()).length;
    const path = `/api/operators/${other.id}`;
    const sent: [string, string, object?][] = [
      ['POST', '/api/operators', { email: 'x@shop.example', name: 'X', role: 'admin' }],
      ['PATCH', path, { role: 'admin' }],
      ['PATCH', path, { active: false }],
      ['POST', `${path}/reset`, {}],
      ['POST', `${path}/unlock`, {}],
      ['DELETE', `${path}/sessions`],
    ];
    for (const [method, address, body] of sent) {
      const answer = await late.browser.send<ErrorBody>(method, address, body);
      expect([method, address, answer.status, answer.body.details?.[0]?.code]).toEqual([
        method,
        address,
        403,
        'CONFIRMATION_REQUIRED',
      ]);
    }
    expect((await actions()).length).toBe(before);
  });

  it('of the last administrator is refused, even by that administrator', async () => {
    await console.sql(`UPDATE operators SET active = false WHERE role = 'admin' AND id <> $1`, [admin.id]);
    for (const change of [{ active: false }, { role: 'viewer' }]) {
      const { status, body } = await patch(admin.id, change);
      expect([status, body.message]).toEqual([
        409,
        'this is the last administrator: make another operator an administrator first',
      ]);
    }
    expect((await admin.browser.get('/api/operators')).status).toBe(200);
  });
});
