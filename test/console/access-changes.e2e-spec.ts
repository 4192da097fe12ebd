import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { inTurn } from '../support/locks.js';
import { untilDone } from '../support/until-served.js';
import { codeOf, ConsoleStack, PASSWORD, type Browser, type TestOperator } from './console-stack.js';

const NEW_PASSWORD = 'a quite different passphrase';

let console: ConsoleStack;
beforeAll(async () => {
  console = await ConsoleStack.start();
});
afterAll(() => console.close());

const setUp = async (link: string): Promise<void> => {
  const [, token] = link.split('#');
  expect((await console.browser().post('/api/set-up', { token, password: NEW_PASSWORD })).status).toBe(200);
};

/** Lasting changes of an operator's access. */
const CHANGES: [string, (operator: TestOperator) => Promise<unknown>][] = [
  ['a reset', async ({ email }) => setUp((await console.operators.reset(email)).link)],
  [
    'disabling',
    async ({ email }) => {
      await console.operators.disable(email);
      await console.operators.enable(email);
    },
  ],
  [
    'a new password',
    async ({ email }) => {
      const owner = console.browser();
      await owner.post('/api/session', { email, password: PASSWORD });
      await owner.post('/api/me/password', { password: PASSWORD, new_password: NEW_PASSWORD });
    },
  ],
];

describe('a browser that is signed in', () => {
  /** The counter in which a wrong password was counted. */
  async function countedAs({ id, email }: TestOperator, browser: Browser): Promise<string> {
    const counters = async (): Promise<{ known: number; other: number }> => {
      const [row] = await console.sql<{ known: number; other: number }>(
        'SELECT known_device_failed_logins AS known, failed_logins AS other FROM operators WHERE id = $1',
        [id],
      );
      return row ?? { known: -1, other: -1 };
    };
    const before = await counters();
    expect((await browser.post('/api/session', { email, password: 'wrong' })).status).toBe(401);
    const after = await counters();
    return after.known > before.known ? 'known' : after.other > before.other ? 'other' : 'not counted';
  }

  it.each(CHANGES)('counts as unknown after %s, and as known after the next sign-in', async (_how, change) => {
    const operator = await console.signedIn();
    expect(await countedAs(operator, operator.browser)).toBe('known');
    await change(operator);
    expect(await countedAs(operator, operator.browser)).toBe('other');
    for (const password of [PASSWORD, NEW_PASSWORD])
      await operator.browser.post('/api/session', { email: operator.email, password });
    expect(await countedAs(operator, operator.browser)).toBe('known');
  });

  it('stays known if the operator changes the password in it', async () => {
    const operator = await console.signedIn();
    const change = { password: PASSWORD, new_password: NEW_PASSWORD };
    expect((await operator.browser.post('/api/me/password', change)).status).toBe(200);
    expect(await countedAs(operator, operator.browser)).toBe('known');
  });
});

const SESSIONS = 'LOCK TABLE operator_sessions IN EXCLUSIVE MODE';

describe('credentials that were sent a moment before a reset', () => {
  type Sent = () => Promise<{ status: number }>;

  /** Sends a request, and then resets the account, while the sessions are locked. */
  async function expectOvertaken(prepare: () => Promise<[operator: TestOperator, send: Sent]>): Promise<void> {
    const { subject, first } = await inTurn(console, async () => {
      const [operator, send] = await prepare();
      const second = (): Promise<unknown> => untilDone(() => console.operators.reset(operator.email));
      return { subject: operator, lock: SESSIONS, first: send, second };
    });
    expect(first.status).toBe(401);
    expect((await subject.browser.get('/api/session')).status).toBe(401);
    expect(await console.sql('SELECT id FROM operator_sessions WHERE operator_id = $1', [subject.id])).toEqual([]);
  }

  it('do not sign in: the right password', () =>
    expectOvertaken(async () => {
      const operator = await console.operator();
      const signIn = { email: operator.email, password: PASSWORD };
      return [operator, () => operator.browser.post('/api/session', signIn)];
    }));

  it('do not sign in: the right code', () =>
    expectOvertaken(async () => {
      const operator = await console.withSecondFactor();
      const { browser, email, secret = '' } = operator;
      await browser.post('/api/session', { email, password: PASSWORD });
      const code = await codeOf(secret);
      return [operator, () => browser.post('/api/session/code', { code })];
    }));
});

describe('the right password, sent a moment before the operator', () => {
  type Change = (browser: Browser) => Promise<{ status: number }>;

  /** Signs in elsewhere and sends the operator's own request, while the sessions are locked. */
  async function expectOvertaken(prepare: () => Promise<[operator: TestOperator, change: Change]>): Promise<void> {
    const { subject, second } = await inTurn(console, async () => {
      const [operator, change] = await prepare();
      const elsewhere = console.browser();
      return {
        subject: { operator, elsewhere },
        lock: SESSIONS,
        first: () => elsewhere.post('/api/session', { email: operator.email, password: PASSWORD }),
        second: () => change(operator.browser),
      };
    });
    expect(second.status).toBe(200);
    const { operator, elsewhere } = subject;
    expect((await elsewhere.get('/api/session')).status).toBe(401);
    expect((await operator.browser.get('/api/me')).status).toBe(200);
    const sessions = await console.sql('SELECT id FROM operator_sessions WHERE operator_id = $1', [operator.id]);
    expect(sessions).toHaveLength(1);
  }

  it('sets a second factor does not sign in', () =>
    expectOvertaken(async () => {
      const operator = await console.signedIn();
      const { body: offer } = await operator.browser.post<{ secret: string }>('/api/me/second-factor');
      const code = await codeOf(offer.secret);
      return [operator, (browser) => browser.send('PUT', '/api/me/second-factor', { code })];
    }));

  it('removes the second factor does not wait for its code any more', () =>
    expectOvertaken(async () => [
      await console.withSecondFactor(),
      (browser) => browser.send('DELETE', '/api/me/second-factor'),
    ]));
});

describe('a request about the second factor a moment before the account is disabled', () => {
  const factorOf = async ({ id }: TestOperator): Promise<object | undefined> => {
    const columns = 'totp_sealed, totp_offered_sealed, totp_last_step';
    return (await console.sql(`SELECT ${columns} FROM operators WHERE id = $1`, [id]))[0];
  };

  it.each([
    ['offers', 'POST'],
    ['sets', 'PUT'],
    ['removes', 'DELETE'],
  ])('%s none', async (_what, method) => {
    // The account is disabled after the request found the operator signed in.
    const { subject, second } = await inTurn(console, async () => {
      const operator = await console.withSecondFactor();
      const { id, email, browser } = operator;
      const { body: offer } = await browser.post<{ secret: string }>('/api/me/second-factor');
      const body = method === 'PUT' ? { code: await codeOf(offer.secret) } : undefined;
      return {
        subject: { operator, before: await factorOf(operator) },
        lock: `SELECT FROM operators WHERE id = ${id} FOR UPDATE`,
        first: () => untilDone(() => console.operators.disable(email)),
        second: () => browser.send(method, '/api/me/second-factor', body),
      };
    });
    expect(second.status).toBe(401);
    expect(await factorOf(subject.operator)).toEqual(subject.before);
  });
});

describe('a password', () => {
  it('is changed only once by two requests at the same moment that prove the old one', async () => {
    const { browser } = await console.signedIn();
    const change = { password: PASSWORD, new_password: NEW_PASSWORD };
    const sent = [1, 2, 3].map(() => {
      const tab = console.browser();
      for (const [name, value] of browser.cookies) tab.cookies.set(name, value);
      return tab.post('/api/me/password', change);
    });
    const statuses = (await Promise.all(sent)).map(({ status }) => status);
    expect(statuses.toSorted((one, other) => one - other)).toEqual([200, 401, 401]);
  });
});
