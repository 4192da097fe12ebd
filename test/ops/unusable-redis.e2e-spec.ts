import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Redis, type RedisOptions } from 'ioredis';
import { redisConnections } from '../../src/queues/redis-options.js';
import { closeWithBalancedBooks } from '../support/books.js';
import { eventually } from '../support/eventually.js';
import { buyWoken } from '../support/locks.js';
import { startOwnRedis, type OwnRedis } from '../support/redis.js';
import { TestStack, type TestMerchant } from '../support/stack.js';
import { openManagementPort } from './management.js';

const ORDERS = 10;

const log: string[] = [];
let redis: OwnRedis;
let stack: TestStack;
let merchant: TestMerchant;
let sku: string;
let management: string;

beforeAll(async () => {
  redis = await startOwnRedis();
  stack = await TestStack.start(
    { REDIS_URL: redis.url, LOG_LEVEL: 'info' },
    { logTo: { write: (line) => log.push(line) } },
  );
  merchant = await stack.merchant('100000.00');
  sku = await stack.product('35.00');
  management = await openManagementPort(stack.api);
});

afterAll(async () => {
  await closeWithBalancedBooks(stack);
  await redis.stop();
});

/** Buys while the sweeper is too rare to find the work: the worker gets a wake-up, or polls because Redis fails. */
const buyAtOnce = (): Promise<void> => buyWoken(stack, merchant, sku);

const lines = (message: RegExp): string[] => log.filter((line) => message.test(line));

async function redisIs(state: 'up' | 'down'): Promise<void> {
  await eventually(
    async () => ((await (await fetch(`${management}/readyz`)).json()) as { redis: string }).redis,
    (reported) => reported === state,
  );
}

describe.each([
  {
    what: 'was demoted to a replica',
    reason: /READONLY/,
    // The address of a primary that does not exist.
    break: () => redis.tell('REPLICAOF', '127.0.0.1', '1'),
    mend: () => redis.tell('REPLICAOF', 'NO', 'ONE'),
  },
  {
    what: 'has no memory left',
    reason: /OOM/,
    break: () => redis.tell('CONFIG', 'SET', 'maxmemory', '1'),
    mend: () => redis.tell('CONFIG', 'SET', 'maxmemory', '0'),
  },
])('Redis that $what', (unusable) => {
  it('delays orders only for a moment, is logged once, and wakes workers again afterwards', async () => {
    await redisIs('up');
    log.length = 0;
    await unusable.break();
    for (let n = 0; n < ORDERS; n++) await buyAtOnce();
    await redisIs('down');
    const warnings = lines(/Redis can’t be used/).filter((line) => unusable.reason.test(line));
    // One line for each queue of the API and of the worker, with any number of orders.
    expect(warnings.length).toBeGreaterThan(0);
    expect(warnings.length).toBeLessThanOrEqual(4);
    await unusable.mend();
    await eventually(
      () => lines(/Redis can be used again/).length,
      (count) => count >= warnings.length,
    );
    await redisIs('up');
    await buyAtOnce();
  });
});

describe('Redis that was demoted', () => {
  it('gets new connections, because another server may have its address now', async () => {
    const connections = async (): Promise<number> =>
      Number(/total_connections_received:(\d+)/.exec(String(await redis.tell('INFO', 'stats')))?.[1]);
    await redisIs('up');
    const before = await connections();
    await redis.tell('REPLICAOF', '127.0.0.1', '1');
    await eventually(connections, (now) => now >= before + 4);
    await redis.tell('REPLICAOF', 'NO', 'ONE');
    await redisIs('up');
  });
});

describe('a connection to Redis', () => {
  it('is replaced once, however many commands a demoted primary refuses at the same time', async () => {
    const warnings: string[] = [];
    const note = ({ name }: Error): void => void warnings.push(name);
    process.on('warning', note);
    const client = new Redis(redisConnections(stack.config).redis as RedisOptions);
    try {
      await client.ping();
      await redis.tell('REPLICAOF', '127.0.0.1', '1');
      const answers = await Promise.allSettled(Array.from({ length: 20 }, () => client.set('name', 'value')));
      expect(answers.filter(({ status }) => status === 'rejected')).toHaveLength(20);
      await redis.tell('REPLICAOF', 'NO', 'ONE');
      await eventually(
        () => client.set('name', 'value').catch(() => null),
        (answer) => answer === 'OK',
      );
      expect(warnings).toEqual([]);
    } finally {
      process.off('warning', note);
      client.disconnect();
    }
  });
});
