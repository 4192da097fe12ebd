import { describe, expect, it } from '@jest/globals';
import { Company, type Faults } from '../support/company.js';
import { eventually } from '../support/eventually.js';
import type { Answer } from '../support/http.js';
import {
  answer,
  begin,
  companyScene,
  emailOf,
  isJudged,
  outcome,
  RETURN_URL,
  settingsOf,
  untilJudged,
  whoAmI,
  type SessionBody,
} from './company-scene.js';
import { ConsoleStack } from './console-stack.js';

const scene = companyScene();

/** A company whose ID tokens have no claims about a person, and a console with its sign-in. */
async function atThinCompany(work: (thin: Company, console: ConsoleStack) => Promise<void>): Promise<void> {
  const thin = await (await Company.make(RETURN_URL, { isThin: true })).listen();
  const console = await ConsoleStack.start(settingsOf(thin));
  try {
    await work(thin, console);
  } finally {
    await console.close();
    await thin.close();
  }
}

describe('company sign-in', () => {
  it('signs in a person with a role, creates an account for them, and leads to the requested page', async () => {
    const browser = scene.stack.browser();
    let subject = '';
    const { status, body } = await untilJudged(async () => {
      subject = scene.hire({ groups: ['helpers', 'leads', 'readers'] });
      return answer(browser, await scene.company.signIn(await begin(browser, '/orders?status=failed'), subject));
    });
    expect([status, body]).toEqual([
      200,
      expect.objectContaining({
        state: 'signed_in',
        next: '/orders?status=failed',
        has_password: false,
        // The first matching entry of the map counts, not the first group.
        operator: expect.objectContaining({ email: emailOf(subject), name: 'Mali Suksai', role: 'finance' }),
      }),
    ]);
    expect((await whoAmI(browser)).body.operator?.email).toBe(emailOf(subject));
    expect(await scene.logOf(emailOf(subject))).toEqual([
      { action: 'operator.create', detail: { operator: emailOf(subject), role: 'finance', by: 'company' } },
      { action: 'session.sign_in', detail: { by: 'company' } },
    ]);
    const again = await scene.comeAs(subject);
    expect(again.body.operator?.id).toBe(body.operator?.id);
  });

  it('recognises people by the issuer’s identifier, even if their address changes', async () => {
    const subject = scene.hire();
    const { body: first } = await scene.comeAs(subject);
    scene.company.people.set(subject, {
      groups: ['helpers'],
      email: 'other@acme.example',
      email_verified: false,
    });
    const { status, body } = await scene.comeAs(subject);
    expect([status, body.operator?.id, body.operator?.email]).toEqual([200, first.operator?.id, emailOf(subject)]);
  });

  it('creates one account for two sign-ins of a person at the same moment', async () => {
    const comeTogether = async (): Promise<Answer<SessionBody>[]> => {
      const subject = scene.hire();
      const browsers = [scene.stack.browser(), scene.stack.browser(), scene.stack.browser()];
      const queries = await Promise.all(
        browsers.map(async (browser) => scene.company.signIn(await begin(browser), subject)),
      );
      return Promise.all(browsers.map((browser, index) => answer(browser, queries[index] ?? '')));
    };
    const answers = await eventually(comeTogether, (all) => all.every(isJudged));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(new Set(answers.map(({ body }) => body.operator?.id)).size).toBe(1);
  });

  it('reads claims that the ID token lacks from the provider’s userinfo endpoint', () =>
    atThinCompany(async (thin, console) => {
      const subject = scene.hire({ groups: 'leads' }, thin);
      const { status, body } = await scene.comeAs(subject, console.browser(), thin);
      expect([status, body.operator?.role, body.operator?.email]).toEqual([200, 'finance', emailOf(subject)]);
      expect(thin.requests).toContain('GET /me');
    }));

  it('takes an address and its verification from the same place', () =>
    atThinCompany(async (thin, console) => {
      const subject = scene.hire({ email_verified: false }, thin);
      const says = (claims: object): Record<string, unknown> => ({ ...claims, groups: 'leads', email_verified: true });
      const come = async (): Promise<unknown> => outcome(await scene.comeAs(subject, console.browser(), thin));
      expect(await thin.while({ says }, come)).toEqual([403, 'EMAIL_NOT_VERIFIED']);
    }));

  it('needs no userinfo endpoint for a person whom the console knows, and otherwise says that it does not answer', () =>
    atThinCompany(async (thin, console) => {
      const [known, unknown] = [scene.hire({}, thin), scene.hire({}, thin)];
      const come = async (subject: string): Promise<unknown> =>
        outcome(await scene.comeAs(subject, console.browser(), thin));
      expect(await come(known)).toEqual([200, undefined]);
      const says = (claims: object): Record<string, unknown> => ({ ...claims, groups: 'leads' });
      const broken = { says, silentAt: '/me', sendsHead: 'breaks off' } as const;
      expect(await thin.while(broken, () => come(known))).toEqual([200, undefined]);
      const browser = console.browser();
      const query = await thin.signIn(await begin(browser), unknown);
      const down = await thin.while(broken, () => answer(browser, query));
      expect(outcome(down)).toEqual([503, 'COMPANY_UNREACHABLE']);
    }));

  it('starts a new session: the cookie from before and a foreign cookie become worthless', async () => {
    const subject = scene.hire();
    const { browser } = await scene.stack.signedIn('viewer');
    const before = browser.cookies.get('console') ?? '';
    expect((await scene.comeAs(subject, browser)).status).toBe(200);
    expect(browser.cookies.get('console')).not.toBe(before);
    expect((await whoAmI(browser)).body.operator?.email).toBe(emailOf(subject));
    const thief = scene.stack.browser();
    thief.cookies.set('console', before);
    expect((await whoAmI(thief)).status).toBe(401);
  });

  it('leads only to pages of the console', async () => {
    const browser = scene.stack.browser();
    for (const next of ['//evil.example/', 'https://evil.example/', '/\\evil.example', '/\u0000', '/\t/x', 'orders'])
      expect((await browser.post('/api/session/company', { next })).status).toBe(400);
  });

  it('starts only at the host to which the provider returns, and otherwise names that host', async () => {
    const { status, body } = await scene.stack
      .browser()
      .post<SessionBody>('/api/session/company', {}, { headers: { origin: 'http://localhost:3100' } });
    expect([status, body.message]).toEqual([400, expect.stringContaining(new URL(RETURN_URL).origin)]);
  });

  it('stores neither the cookie nor the values that it sends to the provider', async () => {
    const browser = scene.stack.browser();
    const url = new URL(await begin(browser));
    const kept = JSON.stringify(await scene.stack.sql('SELECT row_to_json(c)::text FROM company_sign_ins c'));
    for (const secret of [browser.cookies.get('console-company') ?? '-', url.searchParams.get('state') ?? '-'])
      expect(kept).not.toContain(secret);
    expect(url.searchParams.get('code_challenge_method')).toBe('S256');
    expect(url.searchParams.get('nonce')).toMatch(/^.{43}$/);
  });
});

describe('an answer of the provider', () => {
  const over = [403, 'SIGN_IN_OVER'];

  it('is accepted once, in the browser that started it, within ten minutes, and with its state', async () => {
    const subject = scene.hire();
    const browser = scene.stack.browser();
    let [query, cookie] = ['', ''];
    const accepted = await untilJudged(async () => {
      query = await scene.company.signIn(await begin(browser), subject);
      cookie = browser.cookies.get('console-company') ?? '';
      expect(outcome(await answer(scene.stack.browser(), query))).toEqual(over);
      const otherState = new URLSearchParams(query);
      otherState.set('state', 'x'.repeat(43));
      expect(outcome(await answer(browser, otherState.toString()))).toEqual(over);
      expect(outcome(await answer(browser, 'code=x'))).toEqual(over);
      return answer(browser, query);
    });
    expect(accepted.status).toBe(200);
    expect(browser.cookies.has('console-company')).toBe(false);
    browser.cookies.set('console-company', cookie);
    const codes = scene.company.requests.filter((each) => each === 'POST /token').length;
    expect(outcome(await answer(browser, query))).toEqual(over);
    expect(scene.company.requests.filter((each) => each === 'POST /token')).toHaveLength(codes);

    const comeTwice = async (): Promise<Answer<SessionBody>[]> => {
      const hasty = scene.stack.browser();
      const hastyQuery = await scene.company.signIn(await begin(hasty), subject);
      return Promise.all([answer(hasty, hastyQuery), answer(hasty, hastyQuery)]);
    };
    const both = await eventually(comeTwice, (all) => all.some(isJudged));
    expect(both.map(({ status }) => status).sort((one, other) => one - other)).toEqual([200, 403]);

    const late = scene.stack.browser();
    const lateQuery = await scene.company.signIn(await begin(late), subject);
    await scene.stack.sql(`UPDATE company_sign_ins SET expires_at = now() - interval '1 second'`);
    expect(outcome(await answer(late, lateQuery))).toEqual(over);
  });

  it('is refused in another sign-in, because a stolen code lacks the verifier', async () => {
    const [mine, stolen] = [scene.stack.browser(), scene.stack.browser()];
    const refused = await untilJudged(async () => {
      const url = new URL(await begin(mine));
      const theirs = new URLSearchParams(await scene.company.signIn(await begin(stolen), scene.hire()));
      theirs.set('state', url.searchParams.get('state') ?? '');
      return answer(mine, theirs.toString());
    });
    expect(outcome(refused)).toEqual([403, 'COMPANY_ANSWER_INVALID']);
    expect((await whoAmI(mine)).status).toBe(401);
  });

  it('that names another issuer is refused before its code is used', async () => {
    const browser = scene.stack.browser();
    const codes = scene.company.requests.filter((each) => each === 'POST /token').length;
    const refused = await untilJudged(async () => {
      const query = new URLSearchParams(await scene.company.signIn(await begin(browser), scene.hire()));
      query.set('iss', 'https://evil.example');
      return answer(browser, query.toString());
    });
    expect(outcome(refused)).toEqual([403, 'COMPANY_ANSWER_INVALID']);
    expect(scene.company.requests.filter((each) => each === 'POST /token')).toHaveLength(codes);
  });

  const hour = 3600;
  const now = (): number => Math.floor(Date.now() / 1000);
  const badTokens: [string, Faults][] = [
    ['was changed after it was signed', { forges: (claims) => ({ ...claims, groups: ['bosses'] }) }],
    ['has the nonce of another sign-in', { says: (claims) => ({ ...claims, nonce: 'another' }) }],
    ['has no nonce', { says: ({ nonce: _nonce, ...claims }) => claims }],
    ['is another issuer’s', { says: (claims) => ({ ...claims, iss: 'https://evil.example' }) }],
    ['is for another client', { says: (claims) => ({ ...claims, aud: 'another' }) }],
    ['is over', { says: (claims) => ({ ...claims, iat: now() - 2 * hour, exp: now() - hour }) }],
  ];
  it.each(badTokens)('is refused if its ID token %s', async (_what, faults) => {
    const subject = scene.hire();
    const browser = scene.stack.browser();
    const refused = await scene.company.while(faults, () => scene.comeAs(subject, browser));
    expect(outcome(refused)).toEqual([403, 'COMPANY_ANSWER_INVALID']);
    expect((await whoAmI(browser)).status).toBe(401);
    expect(await scene.stack.sql('SELECT id FROM operators WHERE email = $1', [emailOf(subject)])).toEqual([]);
    expect((await scene.comeAs(subject, browser)).status).toBe(200);
  });

  it('that is a refusal is shown in the provider’s words', async () => {
    const { status, body } = await scene.comeAs('-');
    expect([status, body.details]).toEqual([
      403,
      [
        expect.objectContaining({
          code: 'COMPANY_REFUSED',
          message: expect.stringContaining('access_denied'),
        }),
      ],
    ]);
    expect(body.message).toContain('nobody <b>signed in</b>');
  });
});
