import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import pg from 'pg';
import { codeOf, LocalError } from '../../src/cli/local-stack/errors.js';
import { findPostgresBinaries, type PostgresBinaries } from './postgres-binaries.js';
import { commandLineOf, processState, waitForExit } from '../../src/cli/local-stack/process-table.js';
import { ServerProcess, type RunningServer } from './server-process.js';
import { giveTo, serverOwner, serverUser, type ServerUser } from './unprivileged.js';

export interface PostgresOptions {
  /** Holds the cluster, the password and the log; created when missing. One process at a time may use it. */
  dataDir: string;
  /** A free port of 127.0.0.1. */
  port: number;
  /** Server settings as in postgresql.conf. */
  settings?: Record<string, string>;
  /** Variables that only the server gets, besides the usual environment. */
  env?: Record<string, string>;
}

const superuser = 'postgres';
const startTimeoutMs = 120_000;
const stopSignals = [
  { signal: 'SIGINT' as const, waitMs: 20_000 },
  // PostgreSQL kills the backends that have not ended five seconds after this.
  { signal: 'SIGQUIT' as const, waitMs: 10_000 },
];

/**
 * Starts a PostgreSQL server from the npm binaries on 127.0.0.1 and waits until it answers; the first start creates
 * the cluster. A server that an earlier, killed process left running on the same directory is stopped first.
 * @throws LocalError when it cannot run here or ends during its start, with the end of its log.
 */
export async function startPostgres(options: PostgresOptions): Promise<RunningServer> {
  await stopLeftOverPostgres(options.dataDir);
  const noSync = options.settings?.fsync === 'off';
  const { binaries, place } = await prepareCluster(options.dataDir, { noSync });
  refuseOtherVersion(place.cluster);

  const url = urlOf(place.passwordFile, options.port);
  const server = await startServer(binaries, place, options, url);
  return server.running(url, options.port);
}

/** The URL of a server on this directory; null before there is a cluster. */
export function postgresUrl(dataDir: string, port: number): string | null {
  const directory = path.resolve(dataDir);
  return existsSync(path.join(directory, 'cluster')) ? urlOf(path.join(directory, 'password'), port) : null;
}

const urlOf = (passwordFile: string, port: number): string =>
  `postgres://${superuser}:${readFileSync(passwordFile, 'utf8').trim()}@127.0.0.1:${port}/postgres`;

/** Creates the cluster before the first start. No other process may use the directory meanwhile. */
export async function prepareCluster(
  dataDir: string,
  { noSync = false } = {},
): Promise<{ binaries: PostgresBinaries; place: Place }> {
  const binaries = await findPostgresBinaries();
  const place = preparePlace(dataDir, binaries);
  if (!existsSync(place.cluster)) await createCluster(binaries, place, noSync);
  return { binaries, place };
}

interface Place {
  directory: string;
  cluster: string;
  passwordFile: string;
  user: ServerUser;
}

function preparePlace(dataDir: string, binaries: PostgresBinaries): Place {
  const directory = path.resolve(dataDir);
  const cluster = path.join(directory, 'cluster');
  const owner = serverOwner(cluster);
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  giveTo(owner, directory);
  const libraries = readdirSync(binaries.libraries).filter((name) => name.includes('.so'));
  const user = serverUser(owner, {
    execute: [directory, binaries.initdb, binaries.postgres],
    read: libraries.map((name) => path.join(binaries.libraries, name)),
  });
  return { directory, cluster, passwordFile: path.join(directory, 'password'), user };
}

async function createCluster(binaries: PostgresBinaries, place: Place, noSync: boolean): Promise<void> {
  // initdb writes to another name first: if it is interrupted, half a cluster must not look whole.
  const unfinished = `${place.cluster}.new`;
  rmSync(unfinished, { recursive: true, force: true });
  writeFileSync(place.passwordFile, randomBytes(24).toString('hex'), { mode: 0o600 });
  const { owner, prefix } = place.user;
  giveTo(owner, place.passwordFile);

  const [program = '', ...args] = [
    ...prefix,
    binaries.initdb,
    `--pgdata=${unfinished}`,
    `--username=${superuser}`,
    `--pwfile=${place.passwordFile}`,
    '--auth=scram-sha-256',
    '--encoding=UTF8',
    // PostgreSQL's own C.UTF-8 sorts the same on every machine, independent of the system's locales.
    '--locale-provider=builtin',
    '--builtin-locale=C.UTF-8',
    '--locale=C',
    ...(noSync ? ['--no-sync'] : []),
  ];
  try {
    await promisify(execFile)(program, args, { cwd: place.directory, env: serverEnvironment() });
  } catch (error) {
    const output = (error as { stderr?: string }).stderr?.trim();
    throw new LocalError(`initdb could not create a database in ${place.directory}:\n${output || String(error)}`);
  }
  renameSync(unfinished, place.cluster);
}

async function startServer(
  binaries: PostgresBinaries,
  place: Place,
  options: PostgresOptions,
  url: string,
): Promise<ServerProcess> {
  const settings = {
    ...options.settings,
    listen_addresses: '127.0.0.1',
    port: String(options.port),
    unix_socket_directories: '',
  };
  const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const variables = Object.entries(options.env ?? {}).map(([name, value]) => `${name}=${value}`);
  // Only for the server: files that setpriv would write as root could not be opened by the server.
  const additions = variables.length > 0 ? ['env', ...variables] : [];
  for (let attempt = 1; ; attempt += 1) {
    const server = new ServerProcess({
      name: 'PostgreSQL',
      command: [...place.user.prefix, ...additions, binaries.postgres, '-D', place.cluster, ...flags],
      cwd: place.directory,
      env: serverEnvironment(),
      logFile: path.join(place.directory, 'server.log'),
      stopSignals,
    });
    try {
      await server.waitUntil(() => answersQueries(url), startTimeoutMs);
      return server;
    } catch (error) {
      // After a crash the old server's children may hold its memory for a moment longer.
      if (attempt === 10 || !server.output().includes('pre-existing shared memory block')) throw error;
      await sleep(500);
    }
  }
}

/** Whether the server at this address answers a query. */
export async function answersQueries(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 2_000 });
  client.on('error', () => undefined);
  try {
    await client.connect();
    await client.query('SELECT 1');
    return true;
  } catch (error) {
    // 28P01: the server runs with another password, so waiting does not help.
    if (codeOf(error) === '28P01') {
      throw new LocalError('PostgreSQL refuses the password kept beside its cluster. Delete the data directory.');
    }
    return false;
  } finally {
    await client.end().catch(() => undefined);
  }
}

/**
 * Stops the server that an earlier, killed process left running on this directory, if there is one. No other
 * process may use the directory meanwhile.
 * @throws LocalError when the server does not stop.
 */
export async function stopLeftOverPostgres(dataDir: string): Promise<void> {
  const cluster = path.join(path.resolve(dataDir), 'cluster');
  const pidFile = path.join(cluster, 'postmaster.pid');
  if (!existsSync(pidFile)) return;
  const pid = Number(readFileSync(pidFile, 'utf8').split('\n')[0]);
  if (!Number.isInteger(pid) || pid <= 0) return;
  const state = processState(pid);
  // At its start PostgreSQL checks that no process of the old server is left.
  if (state === 'none') return;
  if (state === 'zombie' || !isPostgresOn(cluster, pid)) {
    // After a reboot another process may have this number, and PostgreSQL would take it for a running server.
    rmSync(pidFile);
    return;
  }
  for (const { signal, waitMs } of stopSignals) {
    process.kill(pid, signal);
    if (await waitForExit(pid, waitMs)) return;
  }
  throw new LocalError(`A PostgreSQL server (pid ${pid}) still uses ${cluster} and does not stop; end it by hand.`);
}

function isPostgresOn(cluster: string, pid: number): boolean {
  const commandLine = commandLineOf(pid) ?? [];
  return /(^|\/)postgres$/.test(commandLine[0] ?? '') && commandLine.includes(cluster);
}

function refuseOtherVersion(cluster: string): void {
  const version = readFileSync(path.join(cluster, 'PG_VERSION'), 'utf8').trim();
  if (version === '18') return;
  throw new LocalError(
    `${cluster} was created by PostgreSQL ${version}, and this is version 18. ` +
      'Move the directory away to start afresh, or set DATABASE_URL to a server of that version.',
  );
}

/** Without the caller's environment, where PGDATA, PGPORT or LC_ALL would change the server's behaviour. */
function serverEnvironment(): NodeJS.ProcessEnv {
  return { PATH: process.env.PATH, LC_ALL: 'C', TZ: 'UTC' };
}
