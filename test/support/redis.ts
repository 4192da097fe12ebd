import { Redis } from 'ioredis';
import type { TestStack } from './stack.js';

/** Throws away all that the stack has in Redis: what `FLUSHALL` would do to it, without the other tests' data. */
export async function emptyRedis(stack: TestStack): Promise<void> {
  const redis = new Redis(stack.config.REDIS_URL);
  try {
    const keys = await redis.keys(`${stack.config.QUEUE_PREFIX}*`);
    if (keys.length > 0) await redis.del(...keys);
  } finally {
    redis.disconnect();
  }
}
