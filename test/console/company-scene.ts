import { afterAll, beforeAll, expect } from '@jest/globals';
import { Company, CLIENT, type Claims } from '../support/company.js';
import { eventually } from '../support/eventually.js';
import type { Answer, ErrorBody } from '../support/http.js';
import { unique } from '../support/stack.js';
import { ConsoleStack, type Browser } from './console-stack.js';

export const RETURN_URL = 'http://127.0.0.1:3100/login/company';

/** A console's settings for a company's sign-in. */
export const settingsOf = ({ issuer }: Company): Record<string, string> => ({
  CONSOLE_OIDC_ISSUER: issuer,
  CONSOLE_OIDC_CLIENT_ID: CLIENT.id,
  CONSOLE_OIDC_CLIENT_SECRET: CLIENT.secret,
  CONSOLE_OIDC_ROLES: 'leads=finance, helpers=support, everybody=viewer, bosses=admin',
});

export interface SessionBody extends ErrorBody {
  state: string;
  next: string;
  operator: { id: number; email: string; name: string; role: string } | null;
  permissions: string[];
  has_password: boolean;
}

export const emailOf = (subject: string): string => `${subject}@acme.example`;

/** Begins a sign-in, maybe after the company answered too late. */
export const begin = async (browser: Browser, next?: string): Promise<string> => {
  const send = (): Promise<Answer<{ url: string }>> => browser.post<{ url: string }>('/api/session/company', { next });
  const { status, body } = await eventually(send, (begun) => begun.status !== 503);
  expect([status, body]).toEqual([200, { url: expect.stringContaining(`client_id=${CLIENT.id}`) }]);
  return body.url;
};

export const answer = (browser: Browser, query: string): Promise<Answer<SessionBody>> =>
  browser.post<SessionBody>('/api/session/company/answer', { answer: query });

/** The status of a sign-in, and the reason for a refusal. */
export const outcome = ({ status, body }: Answer<SessionBody>): unknown[] => [status, body.details?.[0]?.code];

/** An answer is accepted only once: if the console was busy with it, its repetition finds the sign-in over. */
export const isNotOver = (answered: Answer<SessionBody>): boolean => outcome(answered)[1] !== 'SIGN_IN_OVER';

/** Whether the person was let in or refused. The company may also have answered too late. */
export const isJudged = (answered: Answer<SessionBody>): boolean =>
  isNotOver(answered) && outcome(answered)[1] !== 'COMPANY_UNREACHABLE';

/** Signs in, and again from the beginning until the person is let in or refused. */
export const untilJudged = <Body extends SessionBody>(come: () => Promise<Answer<Body>>): Promise<Answer<Body>> =>
  eventually(come, isJudged);

export const whoAmI = (browser: Browser): Promise<Answer<SessionBody>> => browser.get<SessionBody>('/api/session');

/** A company's provider, and a console with its sign-in. They last for all tests of a file. */
export function companyScene(): CompanyScene {
  const scene = new CompanyScene();
  beforeAll(() => scene.open());
  afterAll(() => scene.close());
  return scene;
}

class CompanyScene {
  company!: Company;
  stack!: ConsoleStack;

  async open(): Promise<void> {
    this.company = await (await Company.make(RETURN_URL)).listen();
    this.stack = await ConsoleStack.start(settingsOf(this.company));
  }

  async close(): Promise<void> {
    await this.stack.close();
    await this.company.close();
  }

  /** Adds an employee of the company. @returns the provider's identifier of the person. */
  hire(claims: Claims = {}, at = this.company): string {
    const subject = unique('person');
    at.people.set(subject, {
      name: 'Mali Suksai',
      email: emailOf(subject),
      email_verified: true,
      groups: ['helpers'],
      ...claims,
    });
    return subject;
  }

  /** The complete sign-in in one browser. */
  comeAs(subject: string, browser = this.stack.browser(), at = this.company): Promise<Answer<SessionBody>> {
    return untilJudged(async () => answer(browser, await at.signIn(await begin(browser), subject)));
  }

  logOf(email: string): Promise<{ action: string; detail: Record<string, unknown> }[]> {
    return this.stack.sql(`SELECT action, detail FROM operator_actions WHERE operator = $1 ORDER BY id`, [email]);
  }
}
