import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Redis } from 'ioredis';
import { RateBuckets } from '../../src/auth/rate-buckets.js';
import { FILL_SHARED_BUCKETS } from '../../src/auth/shared-buckets.lua.js';
import { eventually } from '../support/eventually.js';
import { unique } from '../support/stack.js';

const LIMIT = 20;
const NOT_KNOWN = 0;
/** A time of a clock that is ahead. It counts as now. */
const NOW = Number.MAX_SAFE_INTEGER;

let redis: Redis;

beforeAll(() => {
  redis = new Redis(process.env.TEST_REDIS_URL ?? '');
});

afterAll(() => redis.disconnect());

const now = async (): Promise<number> => {
  const [seconds, micros] = await redis.time();
  return Number(seconds) * 1_000 + Math.floor(Number(micros) / 1_000);
};

const aKey = (): string => unique('{buckets}');

/** @returns the level of the bucket afterwards. */
async function fill(key: string, hits: number, since: number, limit = LIMIT): Promise<number> {
  const [, level] = (await redis.eval(FILL_SHARED_BUCKETS, 1, key, limit, hits, since)) as string[];
  return Number(level);
}

describe('the bucket that processes share', () => {
  it('counts the hits of all processes', async () => {
    const fillTwice = async (): Promise<number[] | undefined> => {
      const add = [FILL_SHARED_BUCKETS, 1, aKey(), LIMIT, 5, NOW] as const;
      const answers = await redis
        .multi()
        .eval(...add)
        .eval(...add)
        .exec();
      return answers?.map(([, answer]) => Math.round(Number((answer as string[])[1])));
    };
    // A new bucket is used if it drained meanwhile.
    const levels = await eventually(fillTwice, (seen) => seen?.[1] === 10);
    expect(levels).toEqual([5, 10]);
  });

  it('holds so little that it admits requests again within a second', async () => {
    expect(await fill(aKey(), 50 * LIMIT, NOW)).toBe(2.25 * LIMIT - 1);
  });

  it('subtracts from late hits what would have drained since', async () => {
    expect(await fill(aKey(), LIMIT, (await now()) - 10_000)).toBe(0);
    // A new bucket is used if the requests took too long.
    const level = await eventually(
      async () => fill(aKey(), LIMIT, (await now()) - 500),
      (hits) => hits > 0,
    );
    expect(level).toBeLessThanOrEqual(LIMIT / 2);
  });

  it('counts hits of an unknown time as a second old', async () => {
    expect(await fill(aKey(), LIMIT, NOT_KNOWN)).toBeLessThanOrEqual(0);
    expect(await fill(aKey(), 2 * LIMIT, NOT_KNOWN)).toBe(LIMIT);
  });

  it('continues to drain after the clock of Redis is set back by an hour', async () => {
    for (const hits of [0, 1]) {
      const key = aKey();
      await redis.set(key, `${LIMIT} ${(await now()) + 3_600_000}`);
      expect(await fill(key, hits, NOW)).toBe(LIMIT + hits);
      await eventually(
        () => fill(key, 0, NOT_KNOWN),
        (level) => level === 0,
      );
      expect(await redis.pttl(key)).toBeLessThanOrEqual(2_100);
    }
  });

  it('counts hits with a time in the future as hits of now', async () => {
    const level = await fill(aKey(), LIMIT, (await now()) + 3_600_000);
    expect(level).toBe(LIMIT);
  });

  it('is removed soon after it has drained', async () => {
    const key = aKey();
    const filled = await redis.multi().eval(FILL_SHARED_BUCKETS, 1, key, LIMIT, LIMIT, NOW).pttl(key).exec();
    const ttlMs = Number(filled?.[1]?.[1]);
    expect(ttlMs).toBeGreaterThan(1_000);
    expect(ttlMs).toBeLessThanOrEqual(2_000);
    await fill(key, 0, NOT_KNOWN);
    expect(await redis.pttl(key)).toBeLessThanOrEqual(2_000);
  });

  it('is not created by reading it', async () => {
    const key = aKey();
    expect(await fill(key, 0, NOT_KNOWN)).toBe(0);
    expect(await redis.exists(key)).toBe(0);
  });
});

describe('the buckets of a process', () => {
  const admitted = (buckets: RateBuckets, hits: number): number =>
    Array.from({ length: hits }, () => buckets.increment('key').totalHits).filter((total) => total <= buckets.limit)
      .length;

  it('admit the limit at once, and count what is left', () => {
    const buckets = new RateBuckets(LIMIT);
    expect(buckets.increment('key').totalHits).toBe(1);
    expect(admitted(buckets, 10 * LIMIT)).toBeGreaterThanOrEqual(LIMIT - 1);
    expect(buckets.increment('other').totalHits).toBe(1);
  });

  it('refuse requests if other processes have used up the limit', () => {
    const buckets = new RateBuckets(LIMIT);
    expect(admitted(buckets, 1)).toBe(1);
    buckets.takeReports();
    buckets.learn('key', 2.25 * LIMIT - 1, performance.now());
    expect(admitted(buckets, 5)).toBe(0);
  });

  it('count the requests that they admitted since they read the shared bucket', () => {
    const buckets = new RateBuckets(LIMIT);
    admitted(buckets, 1);
    const askedMs = performance.now();
    expect(buckets.takeReports()).toMatchObject([{ key: 'key', hits: 1 }]);
    admitted(buckets, 5);
    buckets.learn('key', 1.25 * LIMIT - 8, askedMs);
    expect(admitted(buckets, LIMIT)).toBeLessThan(LIMIT / 2);
    expect(buckets.takeReports()[0]?.hits).toBeGreaterThanOrEqual(5);
  });

  it('report each hit once, and forget keys that are not used', async () => {
    const buckets = new RateBuckets(LIMIT);
    admitted(buckets, 3);
    expect(buckets.takeReports()).toMatchObject([{ key: 'key', hits: 3 }]);
    expect(buckets.takeReports()).toMatchObject([{ key: 'key', hits: 0 }]);
    await eventually(
      () => [buckets.takeReports().length, buckets.size],
      ([reports, size]) => reports === 0 && size === 0,
    );
  });
});
