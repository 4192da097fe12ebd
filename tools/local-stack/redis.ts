import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { codeOf, LocalError } from '../../src/cli/local-stack/errors.js';
import { findRedis } from './redis-binary.js';
import { ServerProcess, type RunningServer } from './server-process.js';

export interface RedisOptions {
  /** Holds the configuration, the data and the log; created when missing. One process at a time may use it. */
  dataDir: string;
  /** A free port of 127.0.0.1. */
  port: number;
  /** Whether every write goes to disk (once a second), so that data outlive the server. */
  appendOnly: boolean;
  /** Where a downloaded Redis is kept; default `<dataDir>/package`. */
  packageDir?: string;
  /** Server settings as in redis.conf. */
  settings?: Record<string, string>;
  /** A password to keep; by default each start makes a new one, because the data in Redis are only hints. */
  password?: string;
  /** Whether this process is a sentinel, which watches other servers. */
  isSentinel?: boolean;
}

const configurationName = 'redis.conf';
const startTimeoutMs = 60_000;
const leftOverTimeoutMs = 30_000;

/**
 * Starts a Redis server on 127.0.0.1 and waits until it answers. A server that an earlier, killed process left
 * running on the same directory is stopped first.
 * @throws LocalError when there is no Redis for this machine or it ends during its start, with the end of its log.
 */
export async function startRedis(options: RedisOptions): Promise<RunningServer> {
  const directory = path.resolve(options.dataDir);
  const binary = await findRedis(options.packageDir ?? path.join(directory, 'package'));
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const configuration = path.join(directory, configurationName);
  await stopLeftOverRedis(directory);

  const password = options.password ?? randomBytes(24).toString('hex');
  // In a file, because other users can read the command line of a process.
  writeFileSync(configuration, configurationOf(options, directory, password), { mode: 0o600 });
  const url = redisUrl(options.port, password);
  const server = new ServerProcess({
    name: 'Redis',
    command: [binary.program, configuration, ...(options.isSentinel ? ['--sentinel'] : [])],
    cwd: directory,
    env: {
      PATH: process.env.PATH,
      LC_ALL: 'C',
      ...(binary.libraryPath === null ? {} : { LD_LIBRARY_PATH: binary.libraryPath }),
    },
    logFile: path.join(directory, 'server.log'),
    stopSignals: [
      { signal: 'SIGTERM', waitMs: 10_000 },
      { signal: 'SIGKILL', waitMs: 5_000 },
    ],
  });
  await server.waitUntil(() => answers(url), startTimeoutMs);
  return server.running(url, options.port);
}

export const redisUrl = (port: number, password: string): string => `redis://:${password}@127.0.0.1:${port}`;

function configurationOf(options: RedisOptions, directory: string, password: string): string {
  return [
    'bind 127.0.0.1',
    `port ${options.port}`,
    'protected-mode yes',
    `requirepass ${password}`,
    `dir ${JSON.stringify(directory)}`,
    'daemonize no',
    'save ""',
    `appendonly ${options.appendOnly ? 'yes' : 'no'}`,
    // Bull loses jobs when Redis may evict keys.
    'maxmemory-policy noeviction',
    ...Object.entries(options.settings ?? {}).map(([name, value]) => `${name} ${value}`),
    '',
  ].join('\n');
}

async function answers(url: string): Promise<boolean> {
  return (await ask(url, (client) => client.ping())) === 'PONG';
}

/**
 * Stops the server that an earlier, killed process left running on this directory, if there is one. The
 * configuration of the last start names a port and a password: a server there that accepts this password and reports this
 * directory is the one.
 * @throws LocalError when the server does not stop.
 */
export async function stopLeftOverRedis(dataDir: string): Promise<void> {
  const directory = path.resolve(dataDir);
  const configuration = path.join(directory, configurationName);
  if (!existsSync(configuration)) return;
  const text = readFileSync(configuration, 'utf8');
  const port = /^port (\d+)$/m.exec(text)?.[1];
  const password = /^requirepass (\S+)$/m.exec(text)?.[1];
  if (port === undefined || password === undefined) return;
  const url = redisUrl(Number(port), password);
  let isThere = false;
  const stopIfThere = async (client: Redis): Promise<void> => {
    isThere = ((await client.config('GET', 'dir')) as string[])[1] === directory;
    if (isThere) await client.shutdown('NOSAVE');
  };
  const deadline = performance.now() + leftOverTimeoutMs;
  for (;;) {
    const problems: Error[] = [];
    const isAnswered = (await ask(url, stopIfThere, problems)) !== null;
    if (problems.some((problem) => codeOf(problem) === 'ECONNREFUSED')) return;
    // Another server, or one with another password. One that does not answer may be the one, and busy.
    if (!isThere && (isAnswered || problems.some(({ name }) => /^(Reply|Parser)Error$/.test(name)))) return;
    if (performance.now() > deadline) {
      if (!isThere) return;
      throw new LocalError(`A Redis server still uses ${directory} (port ${port}) and does not stop; end it by hand.`);
    }
    await sleep(50);
  }
}

/** Runs one command on a connection of its own; null when there is no answer. @param problems receives why. */
async function ask<T>(url: string, question: (client: Redis) => Promise<T>, problems: Error[] = []): Promise<T | null> {
  const client = new Redis(url, {
    lazyConnect: true,
    connectTimeout: 2_000,
    commandTimeout: 2_000,
    retryStrategy: () => null,
    enableOfflineQueue: false,
  });
  client.on('error', (error: Error) => problems.push(error));
  try {
    await client.connect();
    return await question(client);
  } catch (error) {
    problems.push(error as Error);
    return null;
  } finally {
    // On a closed connection, disconnect() would wait two seconds for nothing.
    if (client.status !== 'end') client.disconnect();
  }
}
