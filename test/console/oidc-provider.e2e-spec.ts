import { describe, expect, it } from '@jest/globals';
import { Company, type Faults } from '../support/company.js';
import { eventually } from '../support/eventually.js';
import type { Answer, ErrorBody } from '../support/http.js';
import {
  answer,
  begin,
  companyScene,
  isNotOver,
  outcome,
  RETURN_URL,
  settingsOf,
  whoAmI,
  type SessionBody,
} from './company-scene.js';
import { ConsoleStack, newAddress } from './console-stack.js';

const scene = companyScene();

describe('attempts to sign in with the company’s account', () => {
  it('are limited to 120 a minute from one address, begun and completed ones together, apart from passwords', async () => {
    const paths = ['company', 'company/answer'];
    const after120 = async (): Promise<{ first: number[]; answers: Answer<ErrorBody>[] }> => {
      const address = newAddress();
      const attempt = async (path: string): Promise<Answer<ErrorBody>> =>
        scene.stack.browser(address).post<ErrorBody>(`/api/session/${path}`, {});
      const statuses = new Set<number>();
      for (let each = 1; each <= 60; each++) for (const path of paths) statuses.add((await attempt(path)).status);
      const answers = await Promise.all(paths.map(attempt));
      const wrong = { email: 'nobody@shop.example', password: 'x' };
      expect((await scene.stack.browser(address).post('/api/session', wrong)).status).toBe(401);
      return { first: [...statuses].sort((one, other) => one - other), answers };
    };
    // Repeated if the machine was so slow that the minute was over, or that an attempt was made twice, after a 503.
    const { first, answers } = await eventually(
      after120,
      (each) => !each.first.includes(429) && each.answers.every(({ status }) => status === 429),
    );
    expect(first).toEqual([200, 400]);
    for (const { body, headers } of answers) {
      expect([body.code, headers.get('retry-after')]).toEqual(['TOO_MANY_REQUESTS', '60']);
      expect(body.message).toContain('More than 120 attempts a minute');
    }
    expect((await scene.stack.browser().post('/api/session/company', {})).status).toBe(200);
  });
});

describe('a provider', () => {
  it('that is down does not stop sign-ins with a password, or the start of the console', async () => {
    const away = await Company.make(RETURN_URL);
    const console = await ConsoleStack.start(settingsOf(away));
    try {
      const { browser } = await console.signedIn('support');
      expect((await browser.get('/api/orders')).status).toBe(200);
      expect((await browser.get('/api/session/ways')).body).toEqual({ company: true, company_name: null });
      const visitor = console.browser();
      const down = await visitor.post<SessionBody>('/api/session/company', {});
      expect(outcome(down)).toEqual([503, 'COMPANY_UNREACHABLE']);
      const comeThen = async (): Promise<Answer<SessionBody>> => {
        await away.listen();
        const query = await away.signIn(await begin(visitor), scene.hire({}, away));
        await away.close();
        return answer(visitor, query);
      };
      expect(outcome(await eventually(comeThen, isNotOver))).toEqual([503, 'COMPANY_UNREACHABLE']);
    } finally {
      await console.close();
      await away.close();
    }
  });

  it('that does not answer delays a sign-in by a few seconds at most', async () => {
    const slow = await (await Company.make(RETURN_URL)).listen();
    const console = await ConsoleStack.start(settingsOf(slow));
    try {
      const down = await slow.while({ silentAt: '/' }, () =>
        console.browser().post<SessionBody>('/api/session/company', {}),
      );
      expect(outcome(down)).toEqual([503, 'COMPANY_UNREACHABLE']);
    } finally {
      await console.close();
      await slow.close();
    }
  });

  const silences: [string, Faults][] = [
    ['never answers', { silentAt: '/token' }],
    ['stops in the middle of its answer', { silentAt: '/token', sendsHead: 'stops' }],
    ['breaks off its answer', { silentAt: '/token', sendsHead: 'breaks off' }],
  ];
  it.each(silences)(
    'that %s when the console redeems the code makes the sign-in fail within seconds',
    async (_what, faults) => {
      const browser = scene.stack.browser();
      const come = async (): Promise<Answer<SessionBody>> => {
        const query = await scene.company.signIn(await begin(browser), scene.hire());
        return scene.company.while(faults, () => answer(browser, query));
      };
      expect(outcome(await eventually(come, isNotOver))).toEqual([503, 'COMPANY_UNREACHABLE']);
      expect((await whoAmI(browser)).status).toBe(401);
      // The sign-in that was begun has ended, so a new one begins.
      expect((await scene.comeAs(scene.hire(), browser)).status).toBe(200);
    },
  );

  it('that does not know the console’s secret, or names itself otherwise, lets nobody in', async () => {
    const wrongSecret = await ConsoleStack.start({
      ...settingsOf(scene.company),
      CONSOLE_OIDC_CLIENT_SECRET: 'another secret',
    });
    const wrongName = await ConsoleStack.start({
      ...settingsOf(scene.company),
      CONSOLE_OIDC_ISSUER: scene.company.issuer.replace('localhost', '127.0.0.1'),
    });
    try {
      const invalid = [403, 'COMPANY_ANSWER_INVALID'];
      expect(outcome(await scene.comeAs(scene.hire(), wrongSecret.browser()))).toEqual(invalid);
      const begun = await wrongName.browser().post<SessionBody>('/api/session/company', {});
      expect(outcome(begun)).toEqual(invalid);
    } finally {
      await wrongSecret.close();
      await wrongName.close();
    }
  });

  it('is not there unless it is set up', async () => {
    const none = await ConsoleStack.start();
    try {
      const browser = none.browser();
      expect((await browser.get('/api/session/ways')).body).toEqual({ company: false, company_name: null });
      expect((await browser.post('/api/session/company', {})).status).toBe(404);
      expect(outcome(await answer(browser, 'code=x&state=y'))).toEqual([403, 'SIGN_IN_OVER']);
    } finally {
      await none.close();
    }
  });
});
