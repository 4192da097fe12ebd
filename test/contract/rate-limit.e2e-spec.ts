import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { ApiKeysService } from '../../src/auth/api-keys.service.js';
import { closeWithBalancedBooks } from '../support/books.js';
import { eventually } from '../support/eventually.js';
import { expectError } from '../support/expectations.js';
import { Client, type Answer } from '../support/http.js';
import { TestStack, unique, type TestMerchant } from '../support/stack.js';

const LIMIT = 5;

let stack: TestStack;
let sku: string;

beforeAll(async () => {
  stack = await TestStack.start({ RATE_LIMIT_PER_SECOND: String(LIMIT) }, { worker: false });
  sku = await stack.product('1.00');
});

afterEach(() => void jest.restoreAllMocks());

afterAll(() => closeWithBalancedBooks(stack));

/**
 * Sends more requests at once than the limit allows within a second, and again on a slow machine, where they take several
 * seconds, until some are refused. Expects that no more were admitted than the limit allows for the time that they took.
 */
async function burst(
  client: Client,
  ask = (): Promise<Answer<never>> => client.get('/v1/wallet'),
): Promise<Answer<never>[]> {
  const sendAll = async (): Promise<Answer<never>[]> => {
    const startedMs = performance.now();
    const answers = await Promise.all(Array.from({ length: LIMIT * 3 }, ask));
    const seconds = (performance.now() - startedMs) / 1_000;
    expect(withStatus(answers, 200).length).toBeLessThanOrEqual(LIMIT * (2 + seconds));
    return answers;
  };
  return eventually(sendAll, (answers) => answers.some(({ status }) => status === 429 || status === 401));
}

const withStatus = (answers: Answer<never>[], status: number): Answer<never>[] =>
  answers.filter((answer) => answer.status === status);

const later = async (merchant: TestMerchant): Promise<void> =>
  void (await eventually(
    () => merchant.client.get('/v1/wallet'),
    ({ status }) => status === 200,
  ));

describe('1 Errors: 429 TOO_MANY_REQUESTS', () => {
  it('answers requests over the limit with Retry-After and the RateLimit headers', async () => {
    const { client } = await stack.merchant('0.00');
    const within = await Promise.all(Array.from({ length: LIMIT }, () => client.get('/v1/wallet')));
    expect(withStatus(within, 200)).toHaveLength(LIMIT);
    const answers = await burst(client);
    expect(withStatus(answers, 200).length + withStatus(answers, 429).length).toBe(3 * LIMIT);
    const [refused] = withStatus(answers, 429);
    if (!refused) throw new Error('no request was refused');
    expectError(refused, 429, 'TOO_MANY_REQUESTS');
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    expect(refused.headers.get('ratelimit-remaining')).toBe('0');
  });

  it('has the number of remaining requests in every answer', async () => {
    const { client } = await stack.merchant('0.00');
    const answers = [await client.get('/v1/wallet'), await client.get('/v1/nothing')];
    for (const { headers } of answers) {
      expect(headers.get('ratelimit-limit')).toBe(String(LIMIT));
      expect(Number(headers.get('ratelimit-remaining'))).toBeLessThan(LIMIT);
      expect(Number(headers.get('ratelimit-reset'))).toBeLessThanOrEqual(1);
    }
  });

  it('admits requests again after the time in Retry-After', async () => {
    const merchant = await stack.merchant('0.00');
    await burst(merchant.client);
    await later(merchant);
  });

  it.each([
    ['back', -3_600_000],
    ['forward', 3_600_000],
  ])('does not depend on the system clock: an hour %s', async (_where, byMs) => {
    const merchant = await stack.merchant('0.00');
    await burst(merchant.client);
    const wallClock = Date.now;
    jest.spyOn(Date, 'now').mockImplementation(() => wallClock() + byMs);
    const answers = await burst(merchant.client);
    const [refused] = withStatus(answers, 429);
    expect(refused?.headers.get('retry-after')).toBe('1');
    expect(refused?.headers.get('ratelimit-reset')).toBe('1');
    await later(merchant);
  });

  it('counts each key by itself', async () => {
    const merchant = await stack.merchant('0.00');
    const { key } = await stack.api.get(ApiKeysService).issue(merchant.id);
    expect(withStatus(await burst(merchant.client), 429).length).toBeGreaterThan(0);
    expect((await new Client(stack.url, key).get('/v1/wallet')).status).toBe(200);
  });

  it('is not the answer to callers without a working key', async () => {
    const answers = await burst(new Client(stack.url, null));
    expect(withStatus(answers, 401)).toHaveLength(LIMIT * 3);
  });

  it('is checked before the body, and the reference stays unused', async () => {
    const merchant = await stack.merchant('100.00');
    const order = { reference_id: unique('order'), user_id: 'player-1', items: [{ sku }] };
    await burst(merchant.client);
    const refused = await eventually(
      async () => (await burst(merchant.client, () => merchant.client.post('/v1/orders', '{'))).at(-1),
      (answer) => answer?.status === 429,
    );
    expect(refused && expectError(refused, 429, 'TOO_MANY_REQUESTS').details).toBeUndefined();
    await later(merchant);
    const placed = await eventually(
      () => merchant.client.post('/v1/orders', order),
      ({ status }) => status !== 429,
    );
    expect(placed.status).toBe(200);
    expect(placed.headers.get('idempotent-replayed')).toBeNull();
  });
});

describe('1 Errors: RATE_LIMIT_PER_SECOND 0', () => {
  it('turns the limit off, and with it the headers', async () => {
    const unlimited = await TestStack.start({ RATE_LIMIT_PER_SECOND: '0' }, { worker: false });
    try {
      const { client } = await unlimited.merchant('0.00');
      const answers = await Promise.all(Array.from({ length: 3 * LIMIT }, () => client.get('/v1/wallet')));
      expect(withStatus(answers, 200)).toHaveLength(LIMIT * 3);
      expect(answers[0]?.headers.get('ratelimit-limit')).toBeNull();
    } finally {
      await unlimited.close();
    }
  });
});
