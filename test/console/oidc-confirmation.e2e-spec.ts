import { describe, expect, it } from '@jest/globals';
import type { Answer, ErrorBody } from '../support/http.js';
import {
  answer,
  begin,
  companyScene,
  outcome,
  settingsOf,
  untilJudged,
  whoAmI,
  type SessionBody,
} from './company-scene.js';
import { ConsoleStack, type Browser } from './console-stack.js';

const scene = companyScene();

type Body = SessionBody & { confirmed_until: string | null };
type IdToken = Record<string, unknown>;

const signedInAt =
  (minutesAgo: number | null) =>
  ({ auth_time: _said, ...claims }: IdToken): IdToken =>
    minutesAgo === null
      ? claims
      : { ...claims, auth_time: Math.floor(Date.now() / 1000) - Math.round(minutesAgo * 60) };

/** Signs in with the company, which reports how long ago the person signed in there; null: it reports no time. */
const come = (subject: string, browser: Browser, minutesAgo: number | null): Promise<Answer<Body>> =>
  untilJudged(async () => {
    const query = await scene.company.signIn(await begin(browser), subject);
    const answered = await scene.company.while({ says: signedInAt(minutesAgo) }, () => answer(browser, query));
    return answered as Answer<Body>;
  });

const offer = async (browser: Browser): Promise<unknown[]> => {
  const { status, body } = await browser.post<ErrorBody>('/api/me/second-factor');
  return [status, body.details?.[0]?.code];
};

describe('company sign-in', () => {
  it.each([
    [0, true],
    [9, true],
    [11, false],
    [null, false],
  ])('of %s minutes ago confirms a person’s identity: %s', async (minutesAgo, isConfirmed) => {
    const browser = scene.stack.browser();
    const { status, body } = await come(scene.hire(), browser, minutesAgo);
    expect([status, body.state, body.confirmed_until !== null]).toEqual([200, 'signed_in', isConfirmed]);
    expect(await offer(browser)).toEqual(isConfirmed ? [200, undefined] : [403, 'CONFIRMATION_REQUIRED']);
  });

  it('confirms also by a time that the provider reports without being asked', async () => {
    const { body } = await scene.comeAs(scene.hire());
    expect((body as Body).confirmed_until).not.toBeNull();
  });

  it('of a signed-in operator must be a new one at the provider, and is refused if it is older', async () => {
    const subject = scene.hire();
    const browser = scene.stack.browser();
    await come(subject, browser, 11);
    for (const minutesAgo of [11, null])
      expect(outcome(await come(subject, browser, minutesAgo))).toEqual([403, 'COMPANY_ANSWER_INVALID']);
    expect((await whoAmI(browser)).body).toMatchObject({ state: 'signed_in', confirmed_until: null });
    expect(await offer(browser)).toEqual([403, 'CONFIRMATION_REQUIRED']);
    expect((await come(subject, browser, 0)).body.confirmed_until).not.toBeNull();
    expect(await offer(browser)).toEqual([200, undefined]);
  });

  it('without a time lets a new session set up the second factor that its role requires', async () => {
    const strict = await ConsoleStack.start({ ...settingsOf(scene.company), CONSOLE_REQUIRE_2FA: 'money' });
    try {
      const browser = strict.browser();
      const { body } = await come(scene.hire({ groups: ['leads'] }), browser, null);
      expect([body.state, body.confirmed_until]).toEqual(['second_factor_required', null]);
      expect(await offer(browser)).toEqual([200, undefined]);
      await strict.sql(`UPDATE operator_sessions SET created_at = now() - interval '11 minutes'`);
      expect(await offer(browser)).toEqual([403, 'CONFIRMATION_REQUIRED']);
    } finally {
      await strict.close();
    }
  });
});
