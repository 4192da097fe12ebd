import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { INestApplication } from '@nestjs/common';
import { Redis } from 'ioredis';
import { ApiKeysService } from '../../src/auth/api-keys.service.js';
import { OffersService } from '../../src/catalog/offers.service.js';
import { ProductsService } from '../../src/catalog/products.service.js';
import type { Config } from '../../src/core/config.js';
import { present } from '../../src/core/invariant.js';
import { Metrics } from '../../src/core/metrics.js';
import { SchemaService } from '../../src/database/schema.service.js';
import { closeWithBalancedBooks } from '../support/books.js';
import { eventually } from '../support/eventually.js';
import { expectError, expectRefusedField } from '../support/expectations.js';
import { FakeValidator, known, type ValidatorAnswer } from '../support/fake-validator.js';
import { Client, type Answer } from '../support/http.js';
import { startOwnRedis } from '../support/redis.js';
import { TestStack, unique, type TestMerchant } from '../support/stack.js';

interface Verdict {
  verdict: string;
  name: string | null;
}

const validator = new FakeValidator();
const logged: string[] = [];
let stack: TestStack;
let merchant: TestMerchant;
let client: Client;
let sku: string;

beforeAll(async () => {
  await validator.listen();
  stack = await TestStack.start(
    { G2BULK_BASE_URL: `${validator.url}/`, LOG_LEVEL: 'debug' },
    { worker: false, logTo: { write: (line) => logged.push(line) } },
  );
  merchant = await stack.merchant();
  sku = await stack.product('35.00', { playerCheck: 'g2bulk:mlbb' });
});

afterAll(async () => {
  await closeWithBalancedBooks(stack);
  await validator.close();
});

/** Each test has its own key, so that each has its own limit of checks. */
beforeEach(async () => {
  client = await freshClient();
});

async function freshClient(url = stack.url): Promise<Client> {
  const { key } = await stack.api.get(ApiKeysService).issue(merchant.id);
  return new Client(url, key);
}

/** Repeats a scene, each time with other players, if the machine was so slow that Redis or the validator did not answer in time. */
const untilInTime = <Seen>(scene: (from: Client) => Promise<Seen>, isInTime: (seen: Seen) => boolean): Promise<Seen> =>
  eventually(async () => scene(await freshClient()), isInTime);

const ask = (body: object, from = client): Promise<Answer<Verdict>> => from.post<Verdict>('/v1/players/check', body);

async function verdictOn(user_id: string, more: object = {}, from = client): Promise<Verdict> {
  const { status, body } = await ask({ sku, user_id, ...more }, from);
  expect(status).toBe(200);
  return body;
}

const isKnown = ({ verdict }: Verdict): boolean => verdict !== 'unknown';

const nobody = (): string => unique('nobody');

/** Checks a player, and others until the validator answers in time. @param newPlayer names one about whom it has an answer. */
const answeredVerdict = (newPlayer: () => string, more: object = {}): Promise<{ userId: string; verdict: Verdict }> =>
  untilInTime(
    async (from) => {
      const userId = newPlayer();
      return { userId, verdict: await verdictOn(userId, more, from) };
    },
    ({ verdict }) => isKnown(verdict),
  );

/** A player about whom the validator gives this answer. @returns the player's id. */
function player(answer: ValidatorAnswer): string {
  const userId = unique('player');
  validator.introduce(userId, answer);
  return userId;
}

/** Starts another API process, and waits until it answers. */
async function startApi(changes: Partial<Config> = {}): Promise<INestApplication> {
  const api = await stack.startApi(changes);
  await api.get(SchemaService).whenReady();
  return api;
}

/** The keys in Redis about players. */
async function kept(): Promise<string[]> {
  const redis = new Redis(stack.config.REDIS_URL);
  try {
    return await redis.keys(`${stack.config.QUEUE_PREFIX}*:player:*`);
  } finally {
    redis.disconnect();
  }
}

describe('a check of a player', () => {
  it('queries the validator of the product, without our credentials', async () => {
    const ids = { server_id: '2001', character_id: 'mage' };
    const { userId, verdict } = await answeredVerdict(() => player(known('Somchai 🎮')), ids);
    expect(verdict).toEqual({ verdict: 'valid', name: 'Somchai 🎮' });
    const [question] = validator.about(userId);
    expect(question).toMatchObject({
      path: 'POST /v1/games/checkPlayerId',
      body: { game: 'mlbb', user_id: userId, server_id: '2001' },
    });
    expect(question?.headers).not.toHaveProperty('x-api-key');
    expect(question?.headers).not.toHaveProperty('authorization');
  });

  it('answers that a player does not exist, without a name', async () => {
    const { userId, verdict } = await answeredVerdict(nobody);
    expect(verdict).toEqual({ verdict: 'invalid', name: null });
    expect(validator.about(userId)[0]?.body).not.toHaveProperty('server_id');
  });

  it('has the result "unknown" for products without a validator', async () => {
    const unchecked = nobody();
    const plain = await stack.product();
    expect(await verdictOn(unchecked, { sku: plain })).toEqual({ verdict: 'unknown', name: null });
    expect(validator.about(unchecked)).toEqual([]);
    await stack.api.get(ProductsService).set({ sku: plain, playerCheck: 'g2bulk:pubgm' });
    const { userId, verdict } = await answeredVerdict(nobody, { sku: plain });
    expect(verdict).toEqual({ verdict: 'invalid', name: null });
    await stack.api.get(ProductsService).set({ sku: plain, playerCheck: null });
    expect(await verdictOn(userId, { sku: plain })).toEqual({ verdict: 'unknown', name: null });
    expect(validator.about(userId)).toHaveLength(1);
  });

  it.each<[string, ValidatorAnswer]>([
    ['does not answer in time', 'hang'],
    ['ends the connection', 'drop'],
    ['has an error', { status: 500, body: { success: false } }],
    ['refuses the request', { status: 400, body: { success: false, message: 'no such player' } }],
    ['speaks no JSON', { status: 200, body: '<html>' }],
    ['speaks of something else', { status: 200, body: { valid: 'perhaps', name: 'X' } }],
  ])('has the result "unknown" if the validator %s, and blocks no order', async (_what, answer) => {
    const userId = player(answer);
    expect(await verdictOn(userId)).toEqual({ verdict: 'unknown', name: null });
    await stack.order(merchant, [{ sku }], userId);
  });
});

describe('the patterns of offers', () => {
  it('make a player invalid that no routable offer accepts, without a query to the validator', async () => {
    const patterned = await stack.product('35.00', { supplierSku: 'any', playerCheck: 'g2bulk:mlbb' });
    const supplierSku = unique('theirs');
    await stack.sql(
      `INSERT INTO supplier_products (supplier_id, sku, name, sellable, player_pattern, first_seen_at, last_seen_at)
       SELECT id, $1, 'theirs', true, '^\\d+ \\d+$', now(), now() FROM suppliers WHERE code = 'fake'`,
      [supplierSku],
    );
    const offers = stack.api.get(OffersService);
    await offers.set({ sku: patterned, supplier: 'fake', supplierSku });
    const { userId: letters, verdict } = await answeredVerdict(() => player(known('Malee')), { sku: patterned });
    expect(verdict).toEqual({ verdict: 'valid', name: 'Malee' });
    await offers.remove({ sku: patterned, supplier: 'fake', supplierSku: 'any' });
    expect(await verdictOn(letters, { sku: patterned, server_id: '1' })).toEqual({
      verdict: 'invalid',
      name: null,
    });
    expect(validator.about(letters)).toHaveLength(1);
    const digits = (): string => nobody().replace(/\D/g, '');
    const { userId } = await answeredVerdict(digits, { sku: patterned, server_id: '1' });
    expect(validator.about(userId)).toHaveLength(1);
  });
});

describe('a request for a check', () => {
  it('is refused for the same reasons as an order', async () => {
    const strict = await stack.product('35.00', { requiresServer: true, requiresCharacter: true });
    const refused = await ask({ sku: strict, user_id: 'player-1' });
    expectRefusedField(refused, 'server_id', 'REQUIRED');
    expectRefusedField(refused, 'character_id', 'REQUIRED');
    const unknown = await ask({ sku: 'NONE', user_id: 'player-1' });
    expectRefusedField(unknown, 'sku', 'INVALID_SKU');
    expect(expectError(unknown, 400, 'BAD_REQUEST').message).toBe('sku "NONE" is not a product that can be ordered');
    await stack.api.get(ProductsService).set({ sku: strict, active: false });
    expectRefusedField(
      await ask({ sku: strict, user_id: 'player-1', server_id: '1', character_id: '2' }),
      'sku',
      'INVALID_SKU',
    );
  });

  it.each([
    ['a missing user_id', { sku: 'X' }, 'user_id', 'REQUIRED'],
    ['a number', { sku: 'X', user_id: 12345 }, 'user_id', 'INVALID_TYPE'],
    ['blank text', { sku: 'X', user_id: ' ' }, 'user_id', 'INVALID_VALUE'],
    ['another member', { sku: 'X', user_id: '1', quantity: 1 }, 'quantity', 'UNKNOWN_MEMBER'],
    ['a list for a SKU', { sku: ['X'], user_id: '1' }, 'sku', 'INVALID_TYPE'],
  ])('may not have %s', async (_what, body, field, code) => {
    expectRefusedField(await ask(body), field, code);
  });

  it('needs a key, but the product needs no offer', async () => {
    expectError(await ask({ sku, user_id: '1' }, new Client(stack.url, null)), 401, 'UNAUTHORIZED');
    const unsold = await stack.product('35.00', { supplier: null });
    expect(await verdictOn('player-1', { sku: unsold })).toEqual({ verdict: 'unknown', name: null });
  });
});

describe('a verdict', () => {
  it('is cached for five minutes, for all API processes', async () => {
    const other = await startApi();
    try {
      const theirs = new Client(stack.urlOf(other), merchant.key);
      const checked = async (own: Client) => {
        const userId = player(known('Nok'));
        const earlier = await kept();
        const verdicts: Verdict[] = [];
        for (const from of [own, own, theirs]) verdicts.push(await verdictOn(userId, {}, from));
        const queries = [validator.about(userId).length];
        await verdictOn(userId, { server_id: '2' }, own);
        queries.push(validator.about(userId).length);
        const keys = (await kept()).filter((key) => !earlier.includes(key));
        return { userId, verdicts, queries, keys };
      };
      const isCached = ({ verdicts, queries, keys }: Awaited<ReturnType<typeof checked>>): boolean =>
        verdicts.every(isKnown) && queries.join() === '1,2' && keys.length === 2;
      const { userId, verdicts, keys } = await untilInTime(checked, isCached);
      expect(verdicts).toEqual(Array(3).fill({ verdict: 'valid', name: 'Nok' }));
      const redis = new Redis(stack.config.REDIS_URL);
      const lifetimes = await Promise.all(keys.map((key) => redis.pttl(key)));
      redis.disconnect();
      for (const ms of lifetimes) {
        expect(ms).toBeGreaterThan(100_000);
        expect(ms).toBeLessThanOrEqual(300_000);
      }
      expect(keys.join()).not.toContain(userId);
    } finally {
      await other.close();
    }
  });

  it('"unknown" is cached for seconds only', async () => {
    // Another player if the machine was so slow that the seconds were over before the second check.
    const twice = async (from: Client): Promise<number> => {
      const userId = player({ status: 500, body: {} });
      for (let times = 0; times < 2; times++) await verdictOn(userId, {}, from);
      return validator.about(userId).length;
    };
    await untilInTime(twice, (count) => count === 1);
    const redis = new Redis(stack.config.REDIS_URL);
    const earlier = await kept();
    await verdictOn(player({ status: 500, body: {} }));
    const [key = ''] = (await kept()).filter((each) => !earlier.includes(each));
    expect(await redis.pttl(key)).toBeLessThanOrEqual(5_000);
    redis.disconnect();
  });

  it('is queried once for several checks at the same time', async () => {
    const atOnce = async (from: Client): Promise<{ verdicts: Verdict[]; queries: number }> => {
      let answer: (value: { status: number; body: unknown }) => void = () => undefined;
      const userId = player(new Promise((resolve) => (answer = resolve)));
      const asked = Promise.all([1, 2, 3].map(() => verdictOn(userId, {}, from)));
      await eventually(
        () => Promise.resolve(validator.about(userId).length),
        (count) => count > 0,
      );
      // The other checks arrive long before the first one gets its answer.
      await verdictOn(nobody(), {}, from);
      answer({ status: 200, body: { valid: true, name: null } });
      return { verdicts: await asked, queries: validator.about(userId).length };
    };
    const { verdicts, queries } = await untilInTime(atOnce, (seen) => seen.verdicts.every(isKnown));
    expect(verdicts).toEqual(Array(3).fill({ verdict: 'valid', name: null }));
    expect(queries).toBe(1);
  });

  it('leaves no trace of the player in logs and metrics', async () => {
    const userId = player({ status: 500, body: { message: 'no' } });
    await verdictOn(userId, { server_id: 'server-of-the-player' });
    const metrics = await stack.api.get(Metrics).registry.metrics();
    expect(metrics).toMatch(/topup_player_checks_total\{source="g2bulk",verdict="unknown"\} [1-9]/);
    for (const text of [metrics, logged.join('')]) {
      expect(text).not.toContain(userId);
      expect(text).not.toContain('server-of-the-player');
    }
    expect(logged.join('')).toContain('player validation is unavailable');
  });

  it('is queried again if Redis is unavailable', async () => {
    const redis = await startOwnRedis();
    const alone = await startApi({ REDIS_URL: redis.url, QUEUE_PREFIX: '{alone}' });
    await redis.stop();
    try {
      const twice = async (): Promise<{ verdicts: Verdict[]; queries: number }> => {
        const userId = player(known('Lek'));
        const theirs = await freshClient(stack.urlOf(alone));
        const verdicts = [await verdictOn(userId, {}, theirs), await verdictOn(userId, {}, theirs)];
        return { verdicts, queries: validator.about(userId).length };
      };
      const seen = await eventually(twice, ({ verdicts }) => verdicts.every(isKnown));
      expect(seen).toEqual({ verdicts: Array(2).fill({ verdict: 'valid', name: 'Lek' }), queries: 2 });
    } finally {
      await alone.close();
    }
  });
});

describe('checks', () => {
  it('are limited to five a second for each key, without counting other requests', async () => {
    const { key } = await stack.api.get(ApiKeysService).issue(merchant.id);
    const checks = (count: number): Promise<Answer<Verdict>[]> =>
      Promise.all(Array.from({ length: count }, () => ask({ sku, user_id: 'busy' })));
    expect((await checks(5)).map(({ status }) => status)).toEqual(Array(5).fill(200));
    const refusedOf15 = async (): Promise<Answer<Verdict> | undefined> => {
      const startedMs = performance.now();
      const answers = await checks(15);
      const seconds = (performance.now() - startedMs) / 1_000;
      const passed = answers.filter(({ status }) => status === 200);
      const refused = answers.filter(({ status }) => status === 429);
      expect(passed.length).toBeLessThanOrEqual(5 * (2 + seconds));
      expect(passed.length + refused.length).toBe(15);
      return refused[0];
    };
    // Repeated if the machine was so slow that the requests took several seconds.
    const first = present(await eventually(refusedOf15, (refused) => refused !== undefined), 'it was waited for');
    expect(expectError(first, 429, 'TOO_MANY_REQUESTS').message).toBe(
      'More than 5 player checks per second with this API key: please slow down',
    );
    expect(first.headers.get('retry-after')).toBe('1');
    expect(first.headers.get('ratelimit-limit')).toBe('5');
    expect((await client.get('/v1/wallet')).status).toBe(200);
    expect((await ask({ sku, user_id: 'busy' }, new Client(stack.url, key))).status).toBe(200);
  });

  it('stop after a validator answers with Retry-After, and never send it many queries at a time', async () => {
    const own = await new FakeValidator().listen();
    const api = await startApi({ g2bulkBaseUrl: own.url, QUEUE_PREFIX: `{${unique('own')}}` });
    try {
      const issue = (): Promise<{ key: string }> => stack.api.get(ApiKeysService).issue(merchant.id);
      const keys = await Promise.all(Array.from({ length: 12 }, issue));
      const from = (index: number): Client => new Client(stack.urlOf(api), keys[index]?.key ?? '');
      const queried = async (): Promise<number> => {
        const before = own.questions.length;
        const users = keys.map(() => unique('player'));
        for (const user of users) own.introduce(user, 'hang');
        const verdicts = await Promise.all(users.map((user, index) => verdictOn(user, {}, from(index))));
        expect(verdicts).toEqual(Array(12).fill({ verdict: 'unknown', name: null }));
        return own.questions.length - before;
      };
      // Repeated if the machine was so slow that a query was not sent in time, or had ended before another check came.
      await eventually(queried, (count) => count === 8);

      let asked: number[] = [];
      const limitedFirst = async (): Promise<Verdict[]> => {
        const [limited, later] = [unique('limited'), unique('later')];
        own.introduce(limited, { status: 429, body: {}, headers: { 'retry-after': '60' } });
        own.introduce(later, known('Later'));
        const verdicts = [await verdictOn(limited, {}, from(0)), await verdictOn(later, {}, from(0))];
        asked = [own.about(limited).length, own.about(later).length];
        return verdicts;
      };
      // Repeated if the machine was so slow that the answer with Retry-After came too late.
      const verdicts = await eventually(limitedFirst, () => asked.join() === '1,0');
      expect(verdicts).toEqual(Array(2).fill({ verdict: 'unknown', name: null }));
    } finally {
      await Promise.all([api.close(), own.close()]);
    }
  });
});
