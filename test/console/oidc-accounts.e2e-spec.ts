import { describe, expect, it } from '@jest/globals';
import type { Claims } from '../support/company.js';
import { companyScene, emailOf, outcome, settingsOf, whoAmI, type SessionBody } from './company-scene.js';
import { codeOf, ConsoleStack, enrolled, PASSWORD } from './console-stack.js';

const scene = companyScene();

describe('roles', () => {
  it('are those of the company at each sign-in, and a change is in the audit log', async () => {
    const subject = scene.hire({ groups: ['helpers'] });
    expect((await scene.comeAs(subject)).body.operator?.role).toBe('support');
    scene.company.people.set(subject, { groups: ['everybody'] });
    const browser = scene.stack.browser();
    expect((await scene.comeAs(subject, browser)).body.operator?.role).toBe('viewer');
    expect((await whoAmI(browser)).body.permissions).not.toContain('orders.resolve');
    expect(await scene.logOf(emailOf(subject))).toContainEqual({
      action: 'operator.set_role',
      detail: { operator: emailOf(subject), role: 'viewer', role_before: 'support', by: 'company' },
    });
  });

  it('are required: a person without a role is refused and gets no account', async () => {
    for (const groups of [[], ['strangers'], undefined, 'helper', ['HELPERS'], [['helpers']] as never]) {
      const subject = scene.hire();
      scene.company.people.set(subject, {
        email: emailOf(subject),
        email_verified: true,
        ...(groups ? { groups } : {}),
      });
      const browser = scene.stack.browser();
      expect(outcome(await scene.comeAs(subject, browser))).toEqual([403, 'NO_ROLE']);
      expect((await whoAmI(browser)).status).toBe(401);
      expect(await scene.stack.sql('SELECT id FROM operators WHERE email = $1', [emailOf(subject)])).toEqual([]);
    }
  });

  it('that the company removes keep their person out, which is in the audit log', async () => {
    const subject = scene.hire();
    await scene.comeAs(subject);
    scene.company.people.set(subject, { groups: [] });
    expect(outcome(await scene.comeAs(subject))).toEqual([403, 'NO_ROLE']);
    expect((await scene.logOf(emailOf(subject))).at(-1)).toEqual({
      action: 'session.refused',
      detail: { what: 'company', why: 'NO_ROLE' },
    });
  });

  it('of the last administrator stay, so that the console always has one', async () => {
    const alone = await ConsoleStack.start(settingsOf(scene.company));
    try {
      const subject = scene.hire({ groups: ['bosses'] });
      expect((await scene.comeAs(subject, alone.browser())).body.operator?.role).toBe('admin');
      scene.company.people.set(subject, { groups: ['everybody'] });
      expect(outcome(await scene.comeAs(subject, alone.browser()))).toEqual([403, 'LAST_ADMINISTRATOR']);
      await alone.operator('admin');
      expect((await scene.comeAs(subject, alone.browser())).body.operator?.role).toBe('viewer');
    } finally {
      await alone.close();
    }
  });
});

describe('accounts', () => {
  it('that are disabled stay disabled at a company sign-in', async () => {
    const subject = scene.hire();
    await scene.comeAs(subject);
    await scene.stack.operators.disable(emailOf(subject));
    expect(outcome(await scene.comeAs(subject))).toEqual([403, 'ACCOUNT_DISABLED']);
    await scene.stack.operators.enable(emailOf(subject));
    expect((await scene.comeAs(subject)).status).toBe(200);
  });

  it('are not created for an address that the company has not verified', async () => {
    for (const claims of [{ email_verified: false }, { email: undefined }, { email: 'not an address' }])
      expect(outcome(await scene.comeAs(scene.hire(claims as Claims)))).toEqual([403, 'EMAIL_NOT_VERIFIED']);
    const unsaid = { email_verified: undefined } as unknown as Claims;
    expect(outcome(await scene.comeAs(scene.hire(unsaid)))).toEqual([403, 'EMAIL_NOT_VERIFIED']);
    const trusting = await ConsoleStack.start({
      ...settingsOf(scene.company),
      CONSOLE_OIDC_TRUST_EMAIL: 'true',
    });
    try {
      expect((await scene.comeAs(scene.hire(unsaid), trusting.browser())).status).toBe(200);
      expect(outcome(await scene.comeAs(scene.hire({ email_verified: false }), trusting.browser()))).toEqual([
        403,
        'EMAIL_NOT_VERIFIED',
      ]);
    } finally {
      await trusting.close();
    }
  });

  it('with a password are not linked to a person with the same address, until an administrator allows it, once', async () => {
    const local = await scene.stack.signedIn('viewer');
    const [owner, other] = [scene.hire({ email: local.email }), scene.hire({ email: local.email.toUpperCase() })];
    expect(outcome(await scene.comeAs(owner))).toEqual([403, 'ACCOUNT_NOT_LINKED']);
    expect((await scene.logOf(local.email)).at(-1)?.detail).toEqual({
      what: 'company',
      why: 'ACCOUNT_NOT_LINKED',
    });
    const admin = await scene.stack.signedIn('admin');
    const allow = `/api/operators/${local.id}/company-sign-in`;
    const allowed = await admin.browser.post<Record<string, unknown>>(allow, { reason: 'ticket 4711' });
    expect([allowed.status, allowed.body]).toEqual([
      200,
      expect.objectContaining({ company_sign_in: false, company_link_until: expect.any(String) }),
    ]);
    const unverified = scene.hire({ email: local.email, email_verified: false });
    expect(outcome(await scene.comeAs(unverified))).toEqual([403, 'EMAIL_NOT_VERIFIED']);
    expect(outcome(await scene.comeAs(scene.hire({ email: local.email, groups: [] })))).toEqual([403, 'NO_ROLE']);
    const { status, body } = await scene.comeAs(owner);
    expect([status, body.operator?.id, body.operator?.role]).toEqual([200, local.id, 'support']);
    expect((await scene.logOf(local.email)).map(({ action }) => action)).toEqual(
      expect.arrayContaining(['operator.set_role', 'operator.link_company']),
    );
    expect(outcome(await scene.comeAs(other))).toEqual([403, 'ACCOUNT_NOT_LINKED']);
    // The password stays as the way in for emergencies.
    await scene.stack.signIn({ ...local, browser: scene.stack.browser() });
  });

  it('cannot be linked a day after an administrator allowed it, or while they are disabled', async () => {
    const local = await scene.stack.operator('viewer');
    await scene.stack.operators.allowCompany(local.email);
    const subject = scene.hire({ email: local.email });
    await scene.stack.sql(`UPDATE operators SET company_link_until = now() - interval '1 second' WHERE id = $1`, [
      local.id,
    ]);
    expect(outcome(await scene.comeAs(subject))).toEqual([403, 'ACCOUNT_NOT_LINKED']);
    await scene.stack.operators.allowCompany(local.email);
    await scene.stack.operators.disable(local.email);
    expect(outcome(await scene.comeAs(subject))).toEqual([403, 'ACCOUNT_DISABLED']);
    await scene.stack.operators.enable(local.email);
    expect(outcome(await scene.comeAs(subject))).toEqual([403, 'ACCOUNT_NOT_LINKED']);
    await expect(
      scene.stack.operators.disable(local.email).then(() => scene.stack.operators.allowCompany(local.email)),
    ).rejects.toThrow('disabled');
  });

  it('that are reset are unlinked, and linked again to the next person with their address', async () => {
    const [before, after] = [scene.hire(), scene.hire()];
    const email = emailOf(before);
    await scene.comeAs(before);
    scene.company.people.set(after, { groups: ['helpers'], email, email_verified: true });
    expect(outcome(await scene.comeAs(after))).toEqual([403, 'ACCOUNT_NOT_LINKED']);
    await scene.stack.operators.reset(email);
    expect((await scene.comeAs(after)).body.operator?.email).toBe(email);
    expect(outcome(await scene.comeAs(before))).toEqual([403, 'ACCOUNT_NOT_LINKED']);
  });

  it('without a password cannot be signed in to with one', async () => {
    const subject = scene.hire();
    await scene.comeAs(subject);
    for (const password of ['null', PASSWORD])
      expect((await scene.stack.browser().post('/api/session', { email: emailOf(subject), password })).status).toBe(
        401,
      );
  });
});

describe('the second factor', () => {
  it('is asked for as after a password, and can be set up after the first sign-in', async () => {
    const subject = scene.hire();
    const browser = scene.stack.browser();
    await scene.comeAs(subject, browser);
    const { status, body: offer } = await browser.post<{ secret: string }>('/api/me/second-factor');
    expect(status).toBe(200);
    expect((await enrolled(browser, offer.secret)).status).toBe(200);
    const next = scene.stack.browser();
    const half = await scene.comeAs(subject, next);
    expect([half.status, half.body.state, half.body.operator, half.body.permissions]).toEqual([
      200,
      'code_required',
      null,
      [],
    ]);
    expect((await next.get('/api/orders')).status).toBe(401);
    expect((await next.post('/api/session/code', { code: '000000' })).status).toBe(401);
    const whole = await next.post<SessionBody>('/api/session/code', { code: await codeOf(offer.secret) });
    expect([whole.status, whole.body.state]).toEqual([200, 'signed_in']);
    expect((await scene.logOf(emailOf(subject))).at(-1)).toEqual({
      action: 'session.sign_in',
      detail: { by: 'code' },
    });
  });

  it('must be set up by the roles of CONSOLE_REQUIRE_2FA', async () => {
    const strict = await ConsoleStack.start({ ...settingsOf(scene.company), CONSOLE_REQUIRE_2FA: 'money' });
    try {
      const [helper, reader] = [scene.hire(), scene.hire({ groups: ['everybody'] })];
      expect((await scene.comeAs(helper, strict.browser())).body.state).toBe('second_factor_required');
      expect((await scene.comeAs(reader, strict.browser())).body.state).toBe('signed_in');
    } finally {
      await strict.close();
    }
  });
});
