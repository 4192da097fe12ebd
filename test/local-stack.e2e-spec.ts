import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { Redis } from 'ioredis';
import pg from 'pg';
import { localDataDir } from '../src/core/project-root.js';
import { LocalError } from '../src/cli/local-stack/errors.js';
import { StackLock } from '../tools/local-stack/lock.js';
import { portIsFree } from '../tools/local-stack/ports.js';
import { keptPort } from './support/kept-port.js';
import { startPostgres } from '../tools/local-stack/postgres.js';
import { identify, isAlive } from '../src/cli/local-stack/process-table.js';
import { startNode, Supervisor, type Running } from '../tools/local-stack/processes.js';
import { startRedis } from '../tools/local-stack/redis.js';
import type { RunningServer } from '../tools/local-stack/server-process.js';
import { readStackFile, writeStackFile } from '../src/cli/local-stack/stack-file.js';
import { eventually } from './support/eventually.js';
import { choosePorts, createDataDir, secretsKeyFile } from '../tools/local-stack/state.js';

let directory: string;
let running: Pick<RunningServer, 'stop'>[];

beforeEach(() => {
  // Only its owner may enter it, like a checkout in root's home. The database's user must get in nevertheless.
  directory = mkdtempSync(path.join(tmpdir(), 'topup-local-'));
  running = [];
});

afterEach(async () => {
  await Promise.all(running.map((server) => server.stop()));
  rmSync(directory, { recursive: true, force: true });
});

function keep<T extends Pick<RunningServer, 'stop'>>(server: T): T {
  running.push(server);
  return server;
}

async function rejection(promise: Promise<unknown>): Promise<LocalError> {
  const error = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(LocalError);
  return error as LocalError;
}

async function listener(port: number): Promise<Server> {
  const server = createServer((socket) => socket.destroy()).listen(port, '127.0.0.1');
  await once(server, 'listening');
  keep({ stop: () => new Promise((resolve) => server.close(() => resolve())) });
  return server;
}

describe('PostgreSQL from the npm binaries', () => {
  // One cluster for all these tests, because to create one takes longer than to test it.
  let home: string;
  beforeAll(() => {
    home = mkdtempSync(path.join(tmpdir(), 'topup-local-'));
  });
  afterAll(() => rmSync(home, { recursive: true, force: true }));

  const start = async (port?: number): Promise<RunningServer> =>
    keep(await startPostgres({ dataDir: path.join(home, 'postgres'), port: port ?? (await keptPort()) }));

  async function query(url: string, sql: string): Promise<Record<string, unknown>[]> {
    const client = new pg.Client({ connectionString: url });
    client.on('error', () => undefined);
    await client.connect();
    try {
      return (await client.query<Record<string, unknown>>(sql)).rows;
    } finally {
      await client.end();
    }
  }

  test('starts in a directory that only its owner may enter, and keeps its data over a restart', async () => {
    const first = await start();
    await query(first.url, `CREATE TABLE kept AS SELECT 'สวัสดี' AS text`);
    const [settings] = await query(
      first.url,
      `SELECT current_setting('fsync') AS fsync, current_setting('listen_addresses') AS addresses,
              current_setting('password_encryption') AS passwords, current_setting('server_encoding') AS encoding,
              current_setting('unix_socket_directories') AS sockets`,
    );
    expect(settings).toEqual({
      fsync: 'on',
      addresses: '127.0.0.1',
      passwords: 'scram-sha-256',
      encoding: 'UTF8',
      sockets: '',
    });
    expect(statSync(path.join(home, 'postgres', 'password')).mode & 0o777).toBe(0o600);
    await first.stop();
    expect(await first.ended).toBe('ended with exit code 0');

    const second = await start();
    expect(await query(second.url, 'SELECT text FROM kept')).toEqual([{ text: 'สวัสดี' }]);
    const stranger = second.url.replace(/:[^:@/]+@/, ':wrong@');
    await expect(query(stranger, 'SELECT 1')).rejects.toMatchObject({ code: '28P01' });
  });

  test('recovers what was committed after the server was killed', async () => {
    const first = await start();
    await query(first.url, 'CREATE TABLE recovered AS SELECT 1 AS number');
    process.kill(first.pid, 'SIGKILL');
    expect(await first.ended).toBe('was ended by SIGKILL');
    const second = await start();
    expect(await query(second.url, 'SELECT number FROM recovered')).toEqual([{ number: 1 }]);
  });

  test('stops the server that a killed owner left running, and starts anew', async () => {
    const leftOver = await start();
    const next = await start();
    expect(await leftOver.ended).toBe('ended with exit code 0');
    expect(await query(next.url, 'SELECT 1 AS number')).toEqual([{ number: 1 }]);
  });

  test('does not take another process for its server when that has the number of an old one', async () => {
    const first = await start();
    await first.stop();
    const pidFile = path.join(home, 'postgres', 'cluster', 'postmaster.pid');
    writeFileSync(pidFile, `${process.pid}\n${path.dirname(pidFile)}\n`);
    const second = await start();
    expect(await query(second.url, 'SELECT 1 AS number')).toEqual([{ number: 1 }]);
  });

  test('says why it did not start', async () => {
    const port = await keptPort();
    await listener(port);
    const { message } = await rejection(start(port));
    expect(message).toMatch(/^PostgreSQL ended with exit code 1\. The end of its log, \/.*server\.log:/);
    expect(message).toContain('Address already in use');
  });
});

describe('Redis', () => {
  // The set-up of the tests has installed it there, on a machine without Redis.
  const packageDir = path.join(localDataDir(), 'redis-package');

  const start = async (): Promise<RunningServer> => {
    const dataDir = path.join(directory, 'redis');
    return keep(await startRedis({ dataDir, port: await keptPort(), appendOnly: true, packageDir }));
  };

  async function ask<T>(url: string, question: (client: Redis) => Promise<T>): Promise<T> {
    const client = new Redis(url, { retryStrategy: () => null });
    client.on('error', () => undefined);
    try {
      return await question(client);
    } finally {
      if (client.status !== 'end') client.disconnect();
    }
  }

  test('keeps its data over a restart and demands its password', async () => {
    const first = await start();
    await ask(first.url, (client) => client.set('kept', 'yes'));
    expect(await ask(first.url, (client) => client.config('GET', 'maxmemory-policy'))).toEqual([
      'maxmemory-policy',
      'noeviction',
    ]);
    await expect(ask(first.url.replace(/:[^:@/]+@/, ':wrong@'), (client) => client.get('kept'))).rejects.toThrow();
    await first.stop();

    const second = await start();
    expect(await ask(second.url, (client) => client.get('kept'))).toBe('yes');
    expect(statSync(path.join(directory, 'redis', 'redis.conf')).mode & 0o777).toBe(0o600);
  });

  test('stops the server that a killed owner left running, and starts anew', async () => {
    const leftOver = await start();
    const next = await start();
    expect(await leftOver.ended).toBe('ended with exit code 0');
    expect(await ask(next.url, (client) => client.ping())).toBe('PONG');
  });
});

describe('the data directory stores', () => {
  test('the ports of the servers, as long as they are free', async () => {
    const names = ['postgres', 'redis'] as const;
    const first = await choosePorts(directory, names);
    expect(await choosePorts(directory, names)).toEqual(first);
    await listener(first.redis);
    const next = await choosePorts(directory, names);
    expect(next.postgres).toBe(first.postgres);
    expect(next.redis).not.toBe(first.redis);
    expect(await portIsFree(next.redis)).toBe(true);
  });

  test('no ports that the settings mean for something else', async () => {
    const names = ['postgres', 'redis'] as const;
    const first = await choosePorts(directory, names);
    const next = await choosePorts(directory, names, [first.postgres]);
    expect(next.postgres).not.toBe(first.postgres);
    expect(next.redis).toBe(first.redis);
  });

  test('the key that encrypts secrets, for this user only', () => {
    const file = secretsKeyFile(directory);
    expect(secretsKeyFile(directory)).toBe(file);
    expect(statSync(file)).toMatchObject({ mode: 0o100600, size: 45 });
  });

  test('that a stack runs on it', async () => {
    const lock = await StackLock.take(directory);
    const { message } = await rejection(StackLock.take(directory));
    expect(message).toContain(`A local stack (pid ${process.pid}) is running on ${directory} already`);
    lock.release();
    (await StackLock.take(directory)).release();
  });

  test('which processes a killed stack left behind: the next start ends them', async () => {
    const orphan = startSleeper();
    const lock = await StackLock.take(directory);
    lock.addChild(orphan.pid);
    const file = path.join(directory, 'stack.lock');
    const gone = { pid: spawnSync('true').pid, commandLine: ['node', 'scripts/start.mjs'] };
    writeFileSync(file, JSON.stringify({ ...gone, children: [identify(orphan.pid)] }));
    (await StackLock.take(directory)).release();
    expect(isAlive(orphan.pid)).toBe(false);
  });

  test('where the parts of a running stack are, and nothing of one that has gone', () => {
    const stack = {
      databaseUrl: 'postgres://127.0.0.1:1/postgres',
      redisUrl: 'redis://127.0.0.1:2',
      simulatorUrl: 'http://127.0.0.1:3',
      apiUrl: 'http://127.0.0.1:4',
      secretsKeyFile: path.join(directory, 'secrets-key'),
    };
    expect(readStackFile(directory)).toBeNull();
    writeStackFile(directory, { ...stack, ...identify(process.pid) });
    expect(readStackFile(directory)).toEqual({ ...stack, pid: process.pid });
    expect(statSync(path.join(directory, 'stack.json')).mode & 0o777).toBe(0o600);
    writeStackFile(directory, { ...stack, pid: process.pid, commandLine: ['another', 'program'] });
    expect(readStackFile(directory)).toBeNull();
  });

  test('nothing, where it cannot be a directory', () => {
    writeFileSync(path.join(directory, 'file'), '');
    expect(() => createDataDir(path.join(directory, 'file'))).toThrow(/Cannot write to the data directory/);
    mkdirSync(path.join(directory, 'there'));
    expect(() => createDataDir(path.join(directory, 'there'))).not.toThrow();
  });
});

/** A child that runs until it is stopped. */
function startSleeper(): Running {
  return startScript('process.on("SIGTERM", () => process.exit(0)); setInterval(() => undefined, 1000);');
}

function startScript(script: string, onLine: (line: string) => void = () => undefined, stopTimeoutMs = 5_000): Running {
  const file = path.join(directory, `child-${Math.random()}.mjs`);
  writeFileSync(file, script);
  return keep(startNode({ args: [file], env: process.env, cwd: directory, stopTimeoutMs, onLine }));
}

describe('the supervisor', () => {
  const ignoresSigterm = 'process.on("SIGTERM", () => undefined); setInterval(() => undefined, 1000);';

  test('ends its children, the youngest first, and kills one that does not listen', async () => {
    const order: string[] = [];
    const supervisor = new Supervisor();
    let isReady: () => void = () => undefined;
    const ready = new Promise<void>((resolve) => (isReady = resolve));
    const oldest = startScript(`${ignoresSigterm} console.log("ready");`, isReady, 200);
    void oldest.ended.then((how) => order.push(`oldest ${how}`));
    await supervisor.add('oldest', oldest);
    await ready;
    const youngest = startScript('setInterval(() => undefined, 1000);');
    void youngest.ended.then((how) => order.push(`youngest ${how}`));
    await supervisor.add('youngest', youngest);
    await supervisor.stop();
    expect(order).toEqual(['youngest was ended by SIGTERM', 'oldest was ended by SIGKILL']);
  });

  test('ends a server after those who need it, though it is younger', async () => {
    const order: string[] = [];
    const supervisor = new Supervisor();
    for (const [name, isServer] of [
      ['process', false],
      ['server', true],
    ] as const) {
      const child = startSleeper();
      void child.ended.then(() => order.push(name));
      await supervisor.add(name, child, { isServer });
    }
    await supervisor.stop();
    expect(order).toEqual(['process', 'server']);
  });

  test('misses a child that ends by itself, after its last line', async () => {
    const lines: string[] = [];
    const supervisor = new Supervisor();
    const child = startScript('console.error("out of luck"); process.exitCode = 3;', (line) => lines.push(line));
    await supervisor.add('worker', child);
    await expect(supervisor.lost).rejects.toThrow('worker ended with exit code 3');
    expect(lines).toEqual(['out of luck']);
  });

  test('does not miss a task that has done its work, and ends one that has not with what that started', async () => {
    const supervisor = new Supervisor();
    const lines: string[] = [];
    const done = startScript('');
    supervisor.addTask(done);
    expect(await done.ended).toBe('ended with exit code 0');
    const file = path.join(directory, 'waits.mjs');
    // It waits for its child, and ignores signals meanwhile.
    writeFileSync(
      file,
      `import { spawnSync } from 'node:child_process';
       spawnSync(process.execPath, ['-e', 'console.log(process.pid); setInterval(() => undefined, 1000)'], { stdio: 'inherit' });`,
    );
    let isReady: () => void = () => undefined;
    const ready = new Promise<void>((resolve) => (isReady = resolve));
    const busy = startNode({
      args: [file],
      env: process.env,
      cwd: directory,
      stopTimeoutMs: 5_000,
      isGroup: true,
      onLine: (line) => {
        lines.push(line);
        isReady();
      },
    });
    supervisor.addTask(busy);
    await ready;
    await supervisor.stop();
    expect(await busy.ended).toBe('was ended by SIGTERM');
    await eventually(
      () => isAlive(Number(lines[0])),
      (alive) => !alive,
    );
    await expect(Promise.race([supervisor.lost, Promise.resolve('nothing lost')])).resolves.toBe('nothing lost');
  });
});
