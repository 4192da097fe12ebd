import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { eventually } from '../support/eventually.js';
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

/** Sends requests one after the other, all of which wait for a lock. @returns their answers. */
async function whileLocked<Answers extends unknown[]>(
  lock: string,
  requests: { [Index in keyof Answers]: () => Promise<Answers[Index]> },
): Promise<Answers> {
  const client = new pg.Client(console.config.DATABASE_URL);
  await client.connect();
  const waiting = async (): Promise<number> => {
    const [row] = await console.sql<{ count: bigint }>(
      `SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
    );
    return Number(row?.count);
  };
  try {
    await client.query(`BEGIN; ${lock}`);
    const sent: Promise<unknown>[] = [];
    for (const request of requests) {
      sent.push(request());
      await eventually(waiting, (found) => found >= sent.length);
    }
    await client.query('COMMIT');
    return (await Promise.all(sent)) as Answers;
  } finally {
    await client.end();
  }
}

describe('credentials that were sent a moment before a reset', () => {
  /** Sends a request, and then resets the account, while the sessions are locked. @returns the request's status. */
  async function overtaken({ email }: TestOperator, send: () => Promise<{ status: number }>): Promise<number> {
    const [{ status }] = await whileLocked('LOCK TABLE operator_sessions IN EXCLUSIVE MODE', [
      send,
      () => untilDone(() => console.operators.reset(email)),
    ]);
    return status;
  }

  it('do not sign in: the right password', async () => {
    const operator = await console.operator();
    const { browser, email } = operator;
    const signIn = { email, password: PASSWORD };
    expect(await overtaken(operator, () => browser.post('/api/session', signIn))).toBe(401);
    await expectNoSession(operator);
  });

  it('do not sign in: the right code', async () => {
    const operator = await console.withSecondFactor();
    const { browser, email, secret = '' } = operator;
    await browser.post('/api/session', { email, password: PASSWORD });
    const code = await codeOf(secret);
    expect(await overtaken(operator, () => browser.post('/api/session/code', { code }))).toBe(401);
    await expectNoSession(operator);
  });

  async function expectNoSession({ id, browser }: TestOperator): Promise<void> {
    expect((await browser.get('/api/session')).status).toBe(401);
    expect(await console.sql('SELECT id FROM operator_sessions WHERE operator_id = $1', [id])).toEqual([]);
  }
});

describe('the right password, sent a moment before the operator', () => {
  /** Signs in elsewhere and sends the operator's own request, while the sessions are locked. */
  async function overtaken(operator: TestOperator, change: () => Promise<{ status: number }>): Promise<Browser> {
    const elsewhere = console.browser();
    const [, changed] = await whileLocked('LOCK TABLE operator_sessions IN EXCLUSIVE MODE', [
      () => elsewhere.post('/api/session', { email: operator.email, password: PASSWORD }),
      change,
    ]);
    expect(changed.status).toBe(200);
    return elsewhere;
  }

  async function expectOnlyOwnSession({ id, browser }: TestOperator, elsewhere: Browser): Promise<void> {
    expect((await elsewhere.get('/api/session')).status).toBe(401);
    expect((await browser.get('/api/me')).status).toBe(200);
    expect(await console.sql('SELECT id FROM operator_sessions WHERE operator_id = $1', [id])).toHaveLength(1);
  }

  it('sets a second factor does not sign in', async () => {
    const operator = await console.signedIn();
    const { browser } = operator;
    const { body: offer } = await browser.post<{ secret: string }>('/api/me/second-factor');
    const code = await codeOf(offer.secret);
    const elsewhere = await overtaken(operator, () => browser.send('PUT', '/api/me/second-factor', { code }));
    await expectOnlyOwnSession(operator, elsewhere);
  });

  it('removes the second factor does not wait for its code any more', async () => {
    const operator = await console.withSecondFactor();
    const elsewhere = await overtaken(operator, () => operator.browser.send('DELETE', '/api/me/second-factor'));
    await expectOnlyOwnSession(operator, elsewhere);
  });
});

describe('a request about the second factor a moment before the account is disabled', () => {
  /** Disables the account after a request found the operator signed in. @returns the request's status. */
  async function overtaken({ id, email }: TestOperator, send: () => Promise<{ status: number }>): Promise<number> {
    const [, { status }] = await whileLocked(`SELECT FROM operators WHERE id = ${id} FOR UPDATE`, [
      () => untilDone(() => console.operators.disable(email)),
      send,
    ]);
    return status;
  }

  const factorOf = async ({ id }: TestOperator): Promise<object | undefined> => {
    const columns = 'totp_sealed, totp_offered_sealed, totp_last_step';
    return (await console.sql(`SELECT ${columns} FROM operators WHERE id = $1`, [id]))[0];
  };

  it.each([
    ['offers', 'POST'],
    ['sets', 'PUT'],
    ['removes', 'DELETE'],
  ])('%s none', async (_what, method) => {
    const operator = await console.withSecondFactor();
    const { browser } = operator;
    const { body: offer } = await browser.post<{ secret: string }>('/api/me/second-factor');
    const body = method === 'PUT' ? { code: await codeOf(offer.secret) } : undefined;
    const before = await factorOf(operator);
    expect(await overtaken(operator, () => browser.send(method, '/api/me/second-factor', body))).toBe(401);
    expect(await factorOf(operator)).toEqual(before);
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
