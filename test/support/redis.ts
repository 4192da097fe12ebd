import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Redis } from 'ioredis';
import { localDataDir } from '../../src/core/project-root.js';
import { keptPort } from './kept-port.js';
import { startRedis } from '../../tools/local-stack/redis.js';
import type { TestStack } from './stack.js';

/** Removes all keys of the stack from Redis, like `FLUSHALL`, but without those of other tests. */
export async function emptyRedis(stack: TestStack): Promise<void> {
  const redis = new Redis(stack.config.REDIS_URL);
  try {
    const keys = await redis.keys(`${stack.config.QUEUE_PREFIX}*`);
    if (keys.length > 0) await redis.del(...keys);
  } finally {
    redis.disconnect();
  }
}

/** A Redis of one test, which the test may break. */
export interface OwnRedis {
  url: string;
  /** One command, such as `REPLICAOF`, `NO`, `ONE`. */
  tell(command: string, ...args: string[]): Promise<unknown>;
  /** Kills it, like a power failure. */
  kill(): Promise<void>;
  stop(): Promise<void>;
}

/** @param settings lines of redis.conf, in addition to those of a local start. */
export async function startOwnRedis(
  settings: Record<string, string> = {},
  { isSentinel = false, password }: { isSentinel?: boolean; password?: string } = {},
): Promise<OwnRedis> {
  const dataDir = mkdtempSync(path.join(tmpdir(), 'topup-redis-'));
  const packageDir = path.join(localDataDir(process.env), 'redis-package');
  const server = await startRedis({
    dataDir,
    port: await keptPort(),
    appendOnly: false,
    packageDir,
    settings,
    isSentinel,
    ...(password === undefined ? {} : { password }),
  });
  const redis = new Redis(server.url);
  return {
    url: server.url,
    tell: (command, ...args) => redis.call(command, ...args),
    kill: async () => {
      redis.disconnect();
      server.kill();
      await server.ended;
    },
    stop: async () => {
      redis.disconnect();
      await server.stop();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}
