import type { INestApplication } from '@nestjs/common';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Redis } from 'ioredis';
import { present } from '../../src/core/invariant.js';
import { SchemaService } from '../../src/database/schema.service.js';
import { closeWithBalancedBooks } from '../support/books.js';
import { eventually } from '../support/eventually.js';
import { expectError } from '../support/expectations.js';
import { Client, type Answer } from '../support/http.js';
import { startOwnRedis, type OwnRedis } from '../support/redis.js';
import { TestStack, type TestMerchant } from '../support/stack.js';

const LIMIT = 20;

let redis: OwnRedis;
let stack: TestStack;
let second: INestApplication;

beforeAll(async () => {
  redis = await startOwnRedis();
  const settings = { REDIS_URL: redis.url, RATE_LIMIT_PER_SECOND: String(LIMIT) };
  stack = await TestStack.start(settings, { worker: false });
  second = await stack.startApi();
  await second.get(SchemaService).whenReady();
});

afterAll(async () => {
  await second.close();
  await closeWithBalancedBooks(stack);
  await redis.stop();
});

/** The merchant's clients of the two API processes. */
const clientsOf = ({ key }: TestMerchant): [Client, Client] => [
  new Client(stack.url, key),
  new Client(stack.urlOf(second), key),
];

/** Asks for nothing: that counts, and needs no time of PostgreSQL. */
const ask = (client: Client): Promise<Answer<never>> => client.get('/v1/nothing');
const PASSED = 404;

const pass = (ms: number): Promise<number> => {
  const untilMs = performance.now() + ms;
  return eventually(
    () => performance.now(),
    (now) => now >= untilMs,
  );
};

/**
 * Uses up the limit at one process, and then sends requests to the other. Neither process gets more than the limit, so a
 * refusal proves that they share it. It is repeated if the machine was too slow to share in time.
 */
const refusedByOther = (
  [first, other]: [Client, Client],
  limit = LIMIT,
  send: (client: Client) => Promise<Answer<never>> = ask,
): Promise<Answer<never>> =>
  eventually(
    async () => {
      await pass(1_100);
      // A process reads the shared buckets only of keys that it served lately.
      await send(other);
      await Promise.all(Array.from({ length: limit }, () => send(first)));
      await pass(150);
      const answers = await Promise.all(Array.from({ length: limit - 1 }, () => send(other)));
      return answers.find(({ status }) => status === 429);
    },
    (refused) => refused !== undefined,
  ).then((refused) => present(refused, 'it was waited for'));

describe.each([
  ['a merchant', false],
  ['a sandbox merchant', true],
])('%s that two processes serve', (_who, sandbox) => {
  it('is refused by one process for its requests to the other', async () => {
    const clients = clientsOf(await stack.merchant('0.00', {}, { sandbox }));
    const refused = await refusedByOther(clients);
    expectError(refused, 429, 'TOO_MANY_REQUESTS');
    expect(refused.headers.get('retry-after')).toBe('1');
    expect(refused.headers.get('ratelimit-limit')).toBe(String(LIMIT));
    expect(refused.headers.get('ratelimit-remaining')).toBe('0');
    expect(refused.headers.get('ratelimit-reset')).toBe('1');
    await eventually(
      () => ask(clients[1]),
      ({ status }) => status === PASSED,
    );
  });
});

describe('the limit of two processes', () => {
  it('is one limit, except for requests that the processes have not shared yet', async () => {
    const isOne = async (): Promise<boolean> => {
      const clients = clientsOf(await stack.merchant('0.00'));
      const startedMs = performance.now();
      let admitted = 0;
      const load = async (client: Client): Promise<void> => {
        while (admitted < 10 * LIMIT) {
          const asked = Array.from({ length: LIMIT / 4 }, () => ask(client));
          const [answers] = await Promise.all([Promise.all(asked), pass(100)]);
          admitted += answers.filter(({ status }) => status === PASSED).length;
        }
      };
      await Promise.all([...clients, ...clients].map(load));
      const seconds = (performance.now() - startedMs) / 1_000;
      // Alone, each process would have admitted as many within four seconds.
      return admitted <= LIMIT * (seconds + 1.25 + 1);
    };
    // Late answers of Redis are ignored, so a test on a slow machine is repeated.
    await eventually(isOne, (one) => one);
  });

  it('refuses no request within the limit, whichever process gets it', async () => {
    const clients = clientsOf(await stack.merchant('0.00'));
    for (let second = 0; second < 6; second++) {
      const burst = Array.from({ length: LIMIT }, (_, n) => ask(clients[(second % 3 ? n : second) % 2 ? 1 : 0]));
      const answers = await Promise.all(burst);
      expect(answers.map(({ status }) => status)).toEqual(Array(LIMIT).fill(PASSED));
      await pass(1_000);
    }
  });

  it('counts checks of players together as well', async () => {
    const sku = await stack.product('1.00');
    const clients = clientsOf(await stack.merchant('0.00'));
    const check = (client: Client): Promise<Answer<never>> =>
      client.post('/v1/players/check', { sku, user_id: 'player-1' });
    const refused = await refusedByOther(clients, 5, check);
    expect(refused.headers.get('ratelimit-limit')).toBe('5');
    expectError(refused, 429, 'TOO_MANY_REQUESTS');
  });

  it('leaves nothing in Redis', async () => {
    const merchant = await stack.merchant('0.00');
    const inRedis = new Redis(redis.url);
    try {
      const keys = (): Promise<string[]> => inRedis.keys(`${stack.config.QUEUE_PREFIX}*rate:*`);
      // They are there for a moment only, so it asks until it sees them.
      await eventually(
        () => ask(merchant.client).then(keys),
        (names) => names.length > 0,
      );
      await eventually(keys, (names) => names.length === 0);
    } finally {
      inRedis.disconnect();
    }
  });
});

describe('without Redis', () => {
  it('each process has the whole limit, and both share it again afterwards', async () => {
    const [first, other] = clientsOf(await stack.merchant('0.00'));
    await redis.tell('REPLICAOF', '127.0.0.1', '1');
    // Waits until the shared bucket has drained.
    await pass(3_000);
    const answers = await Promise.all(
      [first, other].flatMap((client) => Array.from({ length: LIMIT }, () => ask(client))),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array(2 * LIMIT).fill(PASSED));
    await redis.tell('REPLICAOF', 'NO', 'ONE');
    await refusedByOther([first, other]);
  });
});
