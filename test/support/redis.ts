import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Redis } from 'ioredis';
import { localDataDir } from '../../src/core/project-root.js';
import { freePort } from '../../tools/local-stack/ports.js';
import { startRedis } from '../../tools/local-stack/redis.js';
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

/** A Redis of one test's own, which it may treat as it likes. */
export interface OwnRedis {
  url: string;
  /** One command, such as `REPLICAOF`, `NO`, `ONE`. */
  tell(command: string, ...args: string[]): Promise<unknown>;
  /** Ends it without a word, as its machine would. */
  kill(): Promise<void>;
  stop(): Promise<void>;
}

/** @param settings as in redis.conf, beyond those of a local start. */
export async function startOwnRedis(
  settings: Record<string, string> = {},
  { isSentinel = false, password }: { isSentinel?: boolean; password?: string } = {},
): Promise<OwnRedis> {
  const dataDir = mkdtempSync(path.join(tmpdir(), 'topup-redis-'));
  const packageDir = path.join(localDataDir(process.env), 'redis-package');
  const server = await startRedis({
    dataDir,
    port: await freePort(),
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
