import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { banner } from './banner.js';
import { projectRoot } from '../../src/core/project-root.js';
import { LocalError, messageOf } from '../../src/cli/local-stack/errors.js';
import type { StackLock } from './lock.js';
import { postgresUrl, startPostgres, stopLeftOverPostgres } from './postgres.js';
import { identify } from '../../src/cli/local-stack/process-table.js';
import { startNode, type Running, type Supervisor } from './processes.js';
import { redisUrl, startRedis, stopLeftOverRedis } from './redis.js';
import type { SimulatorAccess } from './seed.js';
import { checkPorts, type LocalSettings } from './settings.js';
import { writeStackFile } from '../../src/cli/local-stack/stack-file.js';
import {
  choosePorts,
  demoApiKeyFile,
  readApiKey,
  readText,
  rememberedPorts,
  secretsKeyFile,
  simulatorToken,
} from './state.js';

/** The context of a start, for all its steps. */
interface Start {
  env: NodeJS.ProcessEnv;
  settings: LocalSettings;
  supervisor: Supervisor;
  lock: StackLock;
  print: (line: string) => void;
  redisPassword: string;
}

/** Ends only a wait in vain: a slow machine starts several programs at once for long. */
const readyTimeoutMs = 180_000;
const widestName = 'simulator'.length;

/**
 * Starts every part that the environment does not name, in order, and prints the banner.
 * @throws LocalError when a part cannot start; the caller then stops the supervisor.
 */
export async function startStack(parts: Omit<Start, 'redisPassword'>): Promise<void> {
  const start = { ...parts, redisPassword: randomBytes(24).toString('hex') };
  const { settings, print } = start;
  const place = (name: string): string => path.join(settings.dataDir, name);
  await stopLeftOverPostgres(place('postgres'));
  await stopLeftOverRedis(place('redis'));
  await checkPorts(settings);

  const { port, managementPort, workerManagementPort, consolePort } = settings;
  const last = rememberedPorts(settings.dataDir);
  const ports = await choosePorts(
    settings.dataDir,
    ['postgres', 'redis', 'simulator'],
    [port, managementPort, workerManagementPort, consolePort],
  );
  const early = startAgain(start, ports, ports.simulator === last.simulator);
  const [databaseUrl, redisAddress, simulator, { prepareDatabase }] = await beside([
    settings.databaseUrl ?? ownPostgres(start, ports.postgres),
    settings.redisUrl ?? ownRedis(start, ports.redis),
    startSimulator(start, ports.simulator),
    // This loads most of the service while the servers start.
    import('./seed.js'),
    early,
  ]);
  const env = serviceEnvironment(start, databaseUrl, redisAddress);

  await answers(databaseUrl);
  const seeded = await prepareDatabase(env, settings.dataDir, simulator, { hasOperator: true });
  const { api, worker } = (await early) ?? (await startProcesses(start, env));
  const apiUrl = urlOf(settings.host, port);
  await waitFor('api', api, `${apiUrl}/readyz`);
  // The API comes first: orders must not wait for the console's start.
  const operators = await startConsole(start, env);
  const consoleUrl = urlOf(settings.consoleHost, consolePort);
  const workerManagementUrl = urlOf(settings.managementHost, workerManagementPort);
  await waitFor('worker', worker, `${workerManagementUrl}/metrics`);
  writeStackFile(settings.dataDir, {
    ...identify(process.pid),
    databaseUrl,
    redisUrl: redisAddress,
    simulatorUrl: simulator.url,
    apiUrl,
    secretsKeyFile: settings.secretsKey === null ? secretsKeyFile(settings.dataDir) : null,
  });
  print(
    banner({
      apiUrl,
      apiManagementUrl: urlOf(settings.managementHost, managementPort),
      workerManagementUrl,
      consoleUrl,
      simulatorUrl: simulator.url,
      dataDir: settings.dataDir,
      ...seeded,
    }),
  );
  await waitFor('console', operators, `${consoleUrl}/readyz`);
  completePages(start);
}

/** Waits for all starts. If one fails, the others must be in the supervisor's charge before the error is thrown. */
async function beside<T extends readonly unknown[]>(
  starts: readonly [...T],
): Promise<{ [I in keyof T]: Awaited<T[I]> }> {
  await Promise.allSettled(starts);
  return Promise.all(starts);
}

async function ownPostgres(start: Start, port: number): Promise<string> {
  const dataDir = path.join(start.settings.dataDir, 'postgres');
  const server = await startPostgres({ dataDir, port, settings: { max_connections: '200' } });
  await start.supervisor.add('PostgreSQL', server, { isServer: true });
  start.print(`PostgreSQL 18 runs on 127.0.0.1:${port}`);
  return server.url;
}

async function ownRedis(start: Start, port: number): Promise<string> {
  const { dataDir } = start.settings;
  const server = await startRedis({
    dataDir: path.join(dataDir, 'redis'),
    port,
    appendOnly: true,
    packageDir: path.join(dataDir, 'redis-package'),
    password: start.redisPassword,
  });
  await start.supervisor.add('Redis', server, { isServer: true });
  start.print(`Redis runs on 127.0.0.1:${port}`);
  return server.url;
}

async function startSimulator(start: Start, port: number): Promise<SimulatorAccess> {
  const { dataDir } = start.settings;
  const access = { url: `http://127.0.0.1:${port}`, token: simulatorToken(dataDir) };
  const running = await startChild(start, 'simulator', built('tools/simulators/http/main.js'), 5_000, {
    ...start.env,
    SIMULATOR_HOST: '127.0.0.1',
    SIMULATOR_PORT: String(port),
    SIMULATOR_DATA_DIR: path.join(dataDir, 'simulator'),
    SIMULATOR_TOKEN: access.token,
  });
  await waitFor('simulator', running, `${access.url}/purchases`);
  return access;
}

function serviceEnvironment(start: Start, databaseUrl: string, redisUrl: string): NodeJS.ProcessEnv {
  const { env, settings } = start;
  return {
    ...env,
    NODE_ENV: env.NODE_ENV ?? 'development',
    LOG_PRETTY: env.LOG_PRETTY ?? 'true',
    // The compile cache of Node 22 and later. It is in dist, so a new build removes it.
    NODE_COMPILE_CACHE: env.NODE_COMPILE_CACHE ?? path.join(projectRoot, 'dist', 'compiled'),
    DATABASE_URL: databaseUrl,
    REDIS_URL: redisUrl,
    SECRETS_KEY: settings.secretsKey ?? readText(secretsKeyFile(settings.dataDir)),
    PORT: String(settings.port),
    CONSOLE_PORT: String(settings.consolePort),
    // On a developer's own machine a second factor is not needed.
    CONSOLE_REQUIRE_2FA: env.CONSOLE_REQUIRE_2FA?.trim() || 'none',
    // Simulated suppliers and the developer's webhook receiver run on the same machine.
    SUPPLIER_CALLBACK_BASE_URL: env.SUPPLIER_CALLBACK_BASE_URL?.trim() || `http://127.0.0.1:${settings.port}`,
    WEBHOOK_ALLOWED_CIDRS: env.WEBHOOK_ALLOWED_CIDRS ?? '127.0.0.0/8,::1/128',
    TOPUP_DATA_DIR: settings.dataDir,
  };
}

interface Processes {
  api: Running;
  worker: Running;
}

/**
 * Starts API and worker before the servers answer, if nothing changed since the last start: the servers are up before the two
 * are loaded, and seeding finds nothing to do. Null where the two must wait: at the first start seeding migrates, and a worker
 * may never call the simulator's old address, where another program may listen now.
 */
async function startAgain(
  start: Start,
  ports: { postgres: number; redis: number },
  isWhereItWas: boolean,
): Promise<Processes | null> {
  const { dataDir, databaseUrl, redisUrl: otherRedis } = start.settings;
  const own = postgresUrl(path.join(dataDir, 'postgres'), ports.postgres);
  const isSeeded = readApiKey(demoApiKeyFile(dataDir)) !== null;
  if (databaseUrl !== null || otherRedis !== null || own === null || !isSeeded || !isWhereItWas) return null;
  const redis = redisUrl(ports.redis, start.redisPassword);
  return startProcesses(start, serviceEnvironment(start, own, redis));
}

async function startProcesses(start: Start, env: NodeJS.ProcessEnv): Promise<Processes> {
  const { isWatching, managementPort, workerManagementPort } = start.settings;
  const run = (name: string, args: string[], timeoutMs: number, management: number): Promise<Running> =>
    startChild(start, name, args, timeoutMs, { ...env, MANAGEMENT_PORT: String(management) });
  const api = isWatching ? watched('src/main.ts', 9229) : built('src/main.js');
  const worker = isWatching ? watched('src/worker.ts', 9230) : built('src/worker.js');
  // The processes promise to stop within 10 and 20 seconds; they get some seconds more.
  return {
    api: await run('api', api, 15_000, managementPort),
    worker: await run('worker', worker, 25_000, workerManagementPort),
  };
}

function startConsole(start: Start, env: NodeJS.ProcessEnv): Promise<Running> {
  const args = start.settings.isWatching ? watched('src/console.ts', 9231) : built('src/console.js');
  return startChild(start, 'console', args, 10_000, env);
}

const built = (entry: string): string[] => [path.join(projectRoot, 'dist', entry)];

/** Runs a source, and again when it or an imported file changes. @param inspectPort the port for a debugger. */
const watched = (source: string, inspectPort: number): string[] => [
  '--watch',
  '--watch-preserve-output',
  `--inspect=127.0.0.1:${inspectPort}`,
  '--import',
  './scripts/typescript.mjs',
  source,
];

async function startChild(
  start: Start,
  name: string,
  args: string[],
  stopTimeoutMs: number,
  env: NodeJS.ProcessEnv,
): Promise<Running> {
  const running = startNode({
    args,
    env,
    cwd: projectRoot,
    stopTimeoutMs,
    onLine: (line) => start.print(`${name.padEnd(widestName)} | ${line}`),
  });
  await start.supervisor.add(name, running);
  start.lock.addChild(running.pid);
  return running;
}

/** The pages are installed and built after the start, while a newcomer can already order. */
function completePages(start: Start): void {
  const pages = ['dist/site/index.html', 'dist/console/index.html'];
  if (pages.every((page) => existsSync(path.join(projectRoot, page)))) return;
  start.print('The documentation and the console are being built; until then their pages say so.');
  const task = startNode({
    args: [path.join(projectRoot, 'scripts', 'pages.mjs')],
    env: start.env,
    cwd: projectRoot,
    stopTimeoutMs: 5_000,
    onLine: (line) => start.print(line),
    isGroup: true,
  });
  start.supervisor.addTask(task);
  start.lock.addChild(task.pid);
}

/** Waits until a child answers 200. */
async function waitFor(name: string, child: Running, url: string): Promise<void> {
  let ended: string | null = null;
  void child.ended.then((how) => (ended = how));
  const deadline = performance.now() + readyTimeoutMs;
  while (ended === null && performance.now() < deadline) {
    const response = await fetch(url, { signal: AbortSignal.timeout(2_000) }).catch(() => null);
    await response?.body?.cancel();
    if (response?.status === 200) return;
    await Promise.race([sleep(20), child.ended]);
  }
  throw new LocalError(
    ended === null
      ? `${name} does not answer on ${url} after ${readyTimeoutMs / 1000} s; its own lines above may say why.`
      : `${name} ${String(ended)}; its own lines above say why.`,
  );
}

/** @throws LocalError when there is no PostgreSQL at the URL that the environment names. */
async function answers(databaseUrl: string): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl, connectionTimeoutMillis: 10_000 });
  client.on('error', () => undefined);
  try {
    await client.connect();
  } catch (error) {
    throw new LocalError(
      `PostgreSQL does not answer at DATABASE_URL: ${messageOf(error) || String(error)}. ` +
        'Correct the URL, start that server, or unset DATABASE_URL to use one of this checkout.',
    );
  } finally {
    await client.end().catch(() => undefined);
  }
}

function urlOf(host: string, port: number): string {
  const everywhere = host === '0.0.0.0' || host === '::';
  const name = everywhere ? '127.0.0.1' : host.includes(':') ? `[${host}]` : host;
  return `http://${name}:${port}`;
}
