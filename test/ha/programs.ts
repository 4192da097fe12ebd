import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { localDataDir } from '../../src/core/project-root.js';
import { findOnPath } from '../../tools/local-stack/debian-packages.js';

/** The programs that the laboratory needs, with their Debian packages. */
export const NEEDED: Record<string, string> = {
  unshare: 'util-linux',
  nsenter: 'util-linux',
  setpriv: 'util-linux',
  ip: 'iproute2',
  nft: 'nftables',
  openssl: 'openssl',
  etcd: 'etcd-server',
  patroni: 'patroni python3-etcd',
  haproxy: 'haproxy',
  pgbouncer: 'pgbouncer',
  pgbackrest: 'pgbackrest',
  'redis-server': 'redis-server',
};
const POSTGRESQL = '/usr/lib/postgresql';

/** @returns one line for each missing program, with the remedy. */
export function missingHere(
  isRoot = process.getuid?.() === 0,
  find: (name: string) => boolean = (name) => findOnPath([name]) !== null,
  postgresql = newestPostgresql(),
): string[] {
  if (process.platform !== 'linux') return ['Linux is missing: the laboratory is made of its namespaces'];
  const programs = Object.entries(NEEDED).filter(([name]) => !find(name));
  return [
    ...(isRoot ? [] : ['root is missing: network namespaces need it. Run `sudo npm run ha`']),
    ...programs.map(([name, packages]) => `${name} is missing: apt-get install --no-install-recommends ${packages}`),
    ...(postgresql === null ? ['postgres is missing: apt-get install --no-install-recommends postgresql'] : []),
  ];
}

/** The folder of PostgreSQL's programs in Debian's packages. @param root where these are. */
export function newestPostgresql(root = '/'): string | null {
  const all = path.join(root, POSTGRESQL);
  if (!existsSync(all)) return null;
  const versions = readdirSync(all).sort((one, other) => Number(other) - Number(one));
  const folders = versions.map((version) => path.join(all, version, 'bin'));
  return folders.find((folder) => existsSync(path.join(folder, 'postgres'))) ?? null;
}

export interface Patroni {
  command: string[];
  env: NodeJS.ProcessEnv;
  version: string;
}

/** The package that was unpacked into `.local/ha/patroni`, or else the installed one. */
export function findPatroni(): Patroni {
  const unpacked = path.join(localDataDir(), 'ha', 'patroni', 'usr');
  const env = existsSync(unpacked) ? { PYTHONPATH: path.join(unpacked, 'lib', 'python3', 'dist-packages') } : {};
  const program = existsSync(unpacked) ? path.join(unpacked, 'bin', 'patroni') : '/usr/bin/patroni';
  // Debian's packages need Debian's Python, even if another one is first on PATH.
  const command = ['/usr/bin/python3', program];
  return { command, env, version: lastWord(command, ['--version'], env) };
}

export const versionOf = (program: string, ask: string): string => lastWord([program], [ask]);

function lastWord([program = '', ...args]: string[], ask: string[], env: NodeJS.ProcessEnv = {}): string {
  const said = execFileSync(program, [...args, ...ask], {
    encoding: 'utf8',
    env: { PATH: process.env.PATH, ...env },
  });
  return /(\d+\.\d+(\.\d+)?)/.exec(said)?.[1] ?? said.trim();
}
