import { spawn, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { freePort } from '../../src/local/ports.js';
import { startPostgres } from '../../src/local/postgres.js';
import { startRedis } from '../../src/local/redis.js';

/** For profiling: BENCH_NODE_ARGS="--cpu-prof --cpu-prof-dir=/tmp/profiles" npm run bench -- NAME */
const NODE_ARGS = (process.env.BENCH_NODE_ARGS ?? '').split(' ').filter((arg) => arg !== '');

const checkout = fileURLToPath(new URL('../..', import.meta.url));

/** The production processes on servers of their own, durable as in production (fsync on). */
export interface BenchStack {
  apiUrl: string;
  database: pg.Pool;
  redisUrl: string;
  startWorker(): Promise<ChildProcess>;
  /** Runs an operator command. @returns its JSON. */
  topup<Result>(...args: string[]): Promise<Result>;
  stop(): Promise<void>;
}

export async function startStack(env: Record<string, string> = {}): Promise<BenchStack> {
  const dataDir = join(checkout, process.env.TOPUP_DATA_DIR || '.local');
  const directory = join(dataDir, `bench-${process.pid}`);
  mkdirSync(directory, { recursive: true });
  const postgres = await startPostgres({ dataDir: join(directory, 'postgres'), port: await freePort() });
  const redis = await startRedis({
    dataDir: join(directory, 'redis'),
    port: await freePort(),
    appendOnly: false,
    packageDir: join(dataDir, 'redis-package'),
  });
  const port = await freePort();
  const settings = {
    ...process.env,
    NODE_ENV: 'production',
    DATABASE_URL: postgres.url,
    REDIS_URL: redis.url,
    SECRETS_KEY: randomBytes(32).toString('base64'),
    WEBHOOK_ALLOWED_CIDRS: '127.0.0.0/8',
    RATE_LIMIT_PER_SECOND: '0',
    LOG_LEVEL: 'error',
    MANAGEMENT_PORT: '0',
    HOST: '127.0.0.1',
    PORT: String(port),
    ...env,
  };
  const children: ChildProcess[] = [];
  const start = (entry: string): ChildProcess => {
    const child = spawn(process.execPath, [...NODE_ARGS, entry], {
      cwd: checkout,
      env: settings,
      stdio: ['ignore', 'inherit', 'inherit'],
    });
    children.push(child);
    return child;
  };
  const database = new pg.Pool({ connectionString: postgres.url, max: 4 });
  const apiUrl = `http://127.0.0.1:${port}`;
  start('dist/src/main.js');
  await untilReady(apiUrl);
  return {
    apiUrl,
    database,
    redisUrl: redis.url,
    startWorker: () => Promise.resolve(start('dist/src/worker.js')),
    topup: (...args) => runCommand(args, settings),
    stop: async () => {
      for (const child of children) child.kill('SIGTERM');
      await Promise.all(
        children
          .filter((child) => child.exitCode === null && child.signalCode === null)
          .map((child) => once(child, 'exit')),
      );
      await database.end();
      await redis.stop();
      await postgres.stop();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

async function untilReady(apiUrl: string): Promise<void> {
  for (let attempt = 0; attempt < 300; attempt++) {
    const response = await fetch(`${apiUrl}/readyz`).catch(() => null);
    if (response?.ok) return;
    await delay(100);
  }
  throw new Error('the API did not become ready within 30 s');
}

async function runCommand<Result>(args: string[], env: NodeJS.ProcessEnv): Promise<Result> {
  const child = spawn(process.execPath, ['bin/topup.js', ...args, '--json'], {
    cwd: checkout,
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const chunks: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
  const [code] = (await once(child, 'close')) as [number];
  if (code !== 0) throw new Error(`topup ${args.join(' ')} failed`);
  return JSON.parse(Buffer.concat(chunks).toString()) as Result;
}

/** A merchant with money and a key. */
export async function createMerchant(
  stack: BenchStack,
  baht = '100000000.00',
): Promise<{ id: number; key: string }> {
  const { id } = await stack.topup<{ id: number }>('merchant', 'create', '--name', 'Bench');
  const { key } = await stack.topup<{ key: string }>('api-key', 'issue', '--merchant', String(id));
  await stack.topup('wallet', 'credit', '--merchant', String(id), '--amount', baht, '--reference', 'bench');
  return { id, key };
}
