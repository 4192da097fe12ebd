import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { localDataDir } from '../../src/core/project-root.js';
import { libraryPathOf } from '../../tools/local-stack/debian-packages.js';
import { answersQueries } from '../../tools/local-stack/postgres.js';
import { ServerProcess } from '../../tools/local-stack/server-process.js';
import { giveTo, serverOwner, serverUser } from '../../tools/local-stack/unprivileged.js';
import { newestPostgresql } from '../ha/programs.js';
import { fetchOnce } from './fetched-program.js';
import { keptPort } from './kept-port.js';
import { buildTemplate } from './template.js';

/** A server with its clients in the same version: `pg_dump` dumps no newer server, and npm has no `pg_dump`. */
export interface DebianPostgres {
  url: string;
  /** The environment of `pg_dump`, `pg_restore` and `psql`. */
  env: Record<string, string>;
  stop(): Promise<void>;
}

interface Programs {
  folder: string;
  env: Record<string, string>;
}

/** Debian's PostgreSQL, installed or fetched; null if there is none and none can be fetched. */
export async function findDebianPostgres(): Promise<Programs | null> {
  const installed = newestPostgresql();
  if (installed !== null) return { folder: installed, env: {} };
  const directory = path.join(localDataDir(), 'postgresql-package');
  const root = path.join(directory, 'root');
  const findUnpacked = (): Programs | null => {
    const folder = newestPostgresql(root);
    return folder === null ? null : { folder, env: { LD_LIBRARY_PATH: libraryPathOf(root) ?? '' } };
  };
  return fetchOnce({ what: 'pg_dump', packages: ['postgresql'], directory, findUnpacked });
}

/** Starts a server that has the template of the tests' databases. */
export async function startDebianPostgres({ folder, env }: Programs): Promise<DebianPostgres> {
  const directory = mkdtempSync(path.join(tmpdir(), 'topup-postgres-'));
  const owner = serverOwner(directory);
  giveTo(owner, directory);
  const programs = { initdb: path.join(folder, 'initdb'), postgres: path.join(folder, 'postgres') };
  const { prefix } = serverUser(owner, { execute: [directory, ...Object.values(programs)], read: [] });
  const cluster = path.join(directory, 'cluster');
  const options = ['--username=postgres', '--auth=trust', '--no-sync', '--encoding=UTF8', '--locale=C'];
  const [program = '', ...args] = [...prefix, programs.initdb, `--pgdata=${cluster}`, ...options];
  const environment = { PATH: process.env.PATH, LC_ALL: 'C', ...env };
  await promisify(execFile)(program, args, { cwd: directory, env: environment });
  const port = await keptPort();
  const settings = [`port=${port}`, 'listen_addresses=127.0.0.1', 'unix_socket_directories=', 'fsync=off'];
  const server = new ServerProcess({
    name: 'PostgreSQL',
    command: [...prefix, programs.postgres, '-D', cluster, ...settings.flatMap((each) => ['-c', each])],
    cwd: directory,
    env: environment,
    logFile: path.join(directory, 'server.log'),
    stopSignals: [{ signal: 'SIGINT', waitMs: 20_000 }],
  });
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`;
  await server.waitUntil(() => answersQueries(url), 120_000);
  await buildTemplate(url);
  const stop = async (): Promise<void> => {
    await server.running(url, port).stop();
    rmSync(directory, { recursive: true, force: true });
  };
  return { url, env: { ...env, PATH: `${folder}:${process.env.PATH ?? ''}` }, stop };
}
