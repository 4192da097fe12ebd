import { spawn, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { freePort } from '../../tools/local-stack/ports.js';
import { startPostgres } from '../../tools/local-stack/postgres.js';
import { startRedis } from '../../tools/local-stack/redis.js';
import type { RunningServer } from '../../tools/local-stack/server-process.js';

/** The Node options of `npm run start:api`, `npm run start:worker` and the image. */
const MEMORY = ['--max-old-space-size=384'];
/** For profiling: BENCH_NODE_ARGS="--cpu-prof --cpu-prof-dir=/tmp/profiles" npm run bench -- NAME */
const NODE_ARGS = (process.env.BENCH_NODE_ARGS ?? '').split(' ').filter((arg) => arg !== '');

const checkout = fileURLToPath(new URL('../..', import.meta.url));

/** The production processes on servers of their own, durable as in production (fsync on). */
export interface BenchStack {
  apiUrl: string;
  api: ChildProcess;
  database: pg.Pool;
  databaseUrl: string;
  redisUrl: string;
  /** The environment of the processes. */
  environment: Record<string, string>;
  /** @param env additional variables of this process. */
  startWorker(env?: Record<string, string>): Promise<ChildProcess>;
  /** Starts any of the production processes. @param env and nodeArgs are added to the usual ones. */
  start(entry: string, env?: Record<string, string>, nodeArgs?: string[]): ChildProcess;
  /** Starts another API process and waits until it is ready. @param pollMs the interval of the checks. */
  startApi(port: number, pollMs?: number): Promise<ChildProcess>;
  /** Stops PostgreSQL as a crash would, and starts it again. */
  crashPostgres(): Promise<void>;
  /** Stops PostgreSQL cleanly, and starts it with empty buffers. @param more settings until the next start. */
  restartPostgres(more?: Record<string, string>): Promise<void>;
  /** Stops a server for good. */
  end(server: 'postgres' | 'redis'): Promise<string>;
  /** Runs an operator command. @returns its JSON. */
  topup<Result>(...args: string[]): Promise<Result>;
  stop(): Promise<void>;
  /** Kills the processes, for when the servers are gone that they need to drain. */
  kill(): void;
}

/** A benchmark may have several stacks. */
let started = 0;

/**
 * @param env additional variables of the processes.
 * @param settings of PostgreSQL, as in postgresql.conf.
 */
export async function startStack(
  env: Record<string, string> = {},
  settings: Record<string, string> = {},
): Promise<BenchStack> {
  // A benchmark that fails or is interrupted must leave nothing behind.
  if (started === 0)
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(1));
  const dataDir = join(checkout, process.env.TOPUP_DATA_DIR || '.local');
  const directory = join(dataDir, `bench-${process.pid}-${started++}`);
  const servers = await startServers(directory, join(dataDir, 'redis-package'), settings);
  const port = await freePort();
  const environment = { ...environmentOf(servers, port), ...env };
  const children: ChildProcess[] = [];
  const start = (entry: string, more: NodeJS.ProcessEnv = {}, nodeArgs: string[] = []): ChildProcess => {
    const child = spawn(process.execPath, [...MEMORY, ...nodeArgs, ...NODE_ARGS, entry], {
      cwd: checkout,
      env: { ...process.env, ...environment, ...more },
      stdio: ['ignore', 'inherit', 'inherit'],
    });
    children.push(child);
    return child;
  };
  const kill = (): void => {
    for (const child of children) child.kill('SIGKILL');
    servers.redis.kill();
    servers.postgres.kill();
    rmSync(directory, { recursive: true, force: true });
  };
  process.once('exit', kill);
  const database = new pg.Pool({ connectionString: servers.postgres.url, max: 4 });
  // A benchmark that stops PostgreSQL retries the query.
  database.on('error', () => undefined);
  const startApi = async (apiPort: number, pollMs = 100): Promise<ChildProcess> => {
    const child = start('dist/src/main.js', { PORT: String(apiPort) });
    await untilReady(`http://127.0.0.1:${apiPort}`, child, pollMs);
    return child;
  };
  const api = await startApi(port);
  return {
    apiUrl: `http://127.0.0.1:${port}`,
    api,
    database,
    databaseUrl: servers.postgres.url,
    redisUrl: servers.redis.url,
    environment,
    startWorker: (more) => Promise.resolve(start('dist/src/worker.js', more)),
    start,
    startApi,
    crashPostgres: () => servers.crashPostgres(),
    restartPostgres: (more) => servers.restartPostgres(more),
    end: (server) => {
      servers[server].kill();
      return servers[server].ended;
    },
    topup: (...args) => runCommand(args, { ...process.env, ...environment }),
    kill,
    stop: async () => {
      await stopAll(children);
      await database.end();
      await servers.redis.stop();
      await servers.postgres.stop();
      rmSync(directory, { recursive: true, force: true });
      process.removeListener('exit', kill);
    },
  };
}

interface Servers {
  postgres: RunningServer;
  redis: RunningServer;
  crashPostgres(): Promise<void>;
  restartPostgres(more?: Record<string, string>): Promise<void>;
}

async function startServers(directory: string, packageDir: string, settings: Record<string, string>): Promise<Servers> {
  mkdirSync(directory, { recursive: true });
  const options = { dataDir: join(directory, 'postgres'), port: await freePort(), settings };
  const servers: Servers = {
    postgres: await startPostgres(options),
    redis: await startRedis({
      dataDir: join(directory, 'redis'),
      port: await freePort(),
      appendOnly: false,
      packageDir,
    }),
    crashPostgres: async () => {
      servers.postgres.kill();
      await servers.postgres.ended;
      servers.postgres = await startPostgres(options);
    },
    restartPostgres: async (more = {}) => {
      await servers.postgres.stop();
      servers.postgres = await startPostgres({ ...options, settings: { ...settings, ...more } });
    },
  };
  return servers;
}

const environmentOf = ({ postgres, redis }: Servers, port: number): Record<string, string> => ({
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
});

async function stopAll(children: ChildProcess[]): Promise<void> {
  const running = children.filter((child) => child.exitCode === null && child.signalCode === null);
  for (const child of running) child.kill('SIGTERM');
  await Promise.all(running.map((child) => once(child, 'exit')));
}

/** Waits until a process is ready. @throws when it ends, or takes more than 30 s. */
export async function untilReady(url: string, child: ChildProcess, pollMs: number): Promise<void> {
  const untilMs = performance.now() + 30_000;
  while (performance.now() < untilMs && child.exitCode === null) {
    const response = await fetch(`${url}/readyz`).catch(() => null);
    if (response?.ok) return;
    await delay(pollMs);
  }
  throw new Error(`${url} did not become ready within 30 s`);
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

/** Creates a merchant with money and a key. */
export async function createMerchant(stack: BenchStack, baht = '100000000.00'): Promise<{ id: number; key: string }> {
  const { id } = await stack.topup<{ id: number }>('merchant', 'create', '--name', 'Bench');
  const { key } = await stack.topup<{ key: string }>('api-key', 'issue', '--merchant', String(id));
  await stack.topup('wallet', 'credit', '--merchant', String(id), '--amount', baht, '--reference', 'bench');
  return { id, key };
}
