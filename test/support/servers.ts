import 'reflect-metadata';
import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { keptPort } from './kept-port.js';
import { isAlive } from '../../src/cli/local-stack/process-table.js';
import { startPostgres, stopLeftOverPostgres } from '../../tools/local-stack/postgres.js';
import { startRedis, stopLeftOverRedis } from '../../tools/local-stack/redis.js';
import type { RunningServer } from '../../tools/local-stack/server-process.js';
import { buildTemplate } from './template.js';

// The process that owns PostgreSQL and Redis for one run of jest. It prints their addresses as one line of JSON.

const checkout = fileURLToPath(new URL('../..', import.meta.url));
const dataDir = path.resolve(checkout, process.env.TOPUP_DATA_DIR || '.local');
const directory = path.join(dataDir, `test-${process.pid}`);
const servers: RunningServer[] = [];

process.stdin.resume();
process.stdin.once('end', () => void end(0));
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => void end(0));

try {
  await removeLeftOvers();
  const [postgres, redis] = await Promise.all([
    keptPort().then((port) => startTestPostgres(port)),
    keptPort().then((port) => startTestRedis(port)),
  ]);
  await buildTemplate(postgres.url);
  process.stdout.write(`${JSON.stringify({ TEST_POSTGRES_URL: postgres.url, TEST_REDIS_URL: redis.url })}\n`);
} catch (error) {
  process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
  await end(1);
}

async function startTestPostgres(port: number): Promise<RunningServer> {
  const server = await startPostgres({
    dataDir: path.join(directory, 'postgres'),
    port,
    // Each database lasts for one test, and no test cuts the power, so fsync is off, which makes them several times faster.
    settings: { fsync: 'off', full_page_writes: 'off', max_connections: '300' },
  });
  servers.push(server);
  await shortenProof(server.url);
  return server;
}

/** Tests open thousands of connections, and each would prove its password by thousands of hashes. One is enough here. */
async function shortenProof(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(`SET scram_iterations = 1; ALTER ROLE CURRENT_USER PASSWORD '${new URL(url).password}'`);
  await client.end();
}

async function startTestRedis(port: number): Promise<RunningServer> {
  const packageDir = path.join(dataDir, 'redis-package');
  const server = await startRedis({
    dataDir: path.join(directory, 'redis'),
    port,
    appendOnly: false,
    packageDir,
  });
  servers.push(server);
  return server;
}

/** Removes directories of earlier runs whose owner was killed. */
async function removeLeftOvers(): Promise<void> {
  mkdirSync(dataDir, { recursive: true });
  for (const name of readdirSync(dataDir, { encoding: 'utf8' })) {
    const pid = Number(/^test-(\d+)$/.exec(name)?.[1]);
    if (!pid || isAlive(pid)) continue;
    const leftOver = path.join(dataDir, name);
    await stopLeftOverPostgres(path.join(leftOver, 'postgres'));
    await stopLeftOverRedis(path.join(leftOver, 'redis'));
    rmSync(leftOver, { recursive: true, force: true });
  }
}

async function end(code: number): Promise<void> {
  await Promise.all(servers.map((server) => server.stop()));
  rmSync(directory, { recursive: true, force: true });
  process.exit(code);
}
