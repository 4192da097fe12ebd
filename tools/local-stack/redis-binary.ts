import { execFile } from 'node:child_process';
import {
  accessSync,
  constants,
  copyFileSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { LocalError, messageOf } from '../../src/cli/local-stack/errors.js';

/** How to run a Redis server on this machine. */
export interface RedisBinary {
  program: string;
  /** Where its shared libraries are, when they do not belong to the system. */
  libraryPath: string | null;
}

const programNames = ['redis-server', 'valkey-server'];
const advice =
  'Install Redis 6.2 or newer, or Valkey (Debian and Ubuntu: `apt-get install redis-server`, ' +
  'macOS: `brew install redis`), or set REDIS_URL to a server of your own.';

/**
 * Finds Redis or Valkey on PATH; on Debian and its relatives the package is otherwise downloaded and unpacked into
 * `packageDir`, without installing it, so no system service starts and no root rights are needed.
 * @throws LocalError that says what to install when there is neither.
 */
export async function findRedis(packageDir: string): Promise<RedisBinary> {
  const program = findOnPath(programNames);
  if (program !== null) return { program, libraryPath: null };
  const directory = path.resolve(packageDir);
  const unpacked = findUnpacked(directory);
  if (unpacked !== null) return unpacked;
  if (findOnPath(['apt-get']) === null || findOnPath(['dpkg']) === null) {
    throw new LocalError(`No redis-server on PATH. ${advice}`);
  }
  process.stderr.write(
    'No redis-server on PATH: fetching the Debian package once, without installing it ...\n',
  );
  await downloadPackage(directory);
  const downloaded = findUnpacked(directory);
  if (downloaded === null) throw new LocalError(`The package redis-server holds no redis-server. ${advice}`);
  return downloaded;
}

function findOnPath(names: string[]): string | null {
  // Debian keeps some programs in sbin, which is not on the PATH of ordinary users.
  const directories = [...(process.env.PATH ?? '').split(path.delimiter), '/usr/sbin', '/sbin'].filter(
    Boolean,
  );
  for (const name of names) {
    const found = directories.map((directory) => path.join(directory, name)).find(isExecutable);
    if (found !== undefined) return found;
  }
  return null;
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function findUnpacked(directory: string): RedisBinary | null {
  const root = path.join(directory, 'root');
  const program = path.join(root, 'usr', 'bin', 'redis-server');
  if (!isExecutable(program)) return null;
  const libraries = new Set(
    readdirSync(root, { recursive: true, encoding: 'utf8' })
      .filter((file) => /\.so(\.\d+)*$/.test(file))
      .map((file) => path.join(root, path.dirname(file))),
  );
  return { program, libraryPath: libraries.size === 0 ? null : [...libraries].join(':') };
}

async function downloadPackage(directory: string): Promise<void> {
  const work = `${directory}.${process.pid}`;
  try {
    const apt = prepareApt(work);
    const update = await run('apt-get', ['-c', apt, 'update', '-q']);
    const download = await run('apt-get', [
      ...['-c', apt, 'install', '-q', '-y', '--download-only', '--reinstall', '--no-install-recommends'],
      // The program itself is in redis-tools.
      ...['redis-server', 'redis-tools'],
    ]);
    if (!download.ok) {
      throw new LocalError(
        `Downloading redis-server with apt-get failed. ${advice}\n${update.output}${download.output}`,
      );
    }
    const archives = path.join(work, 'cache', 'archives');
    const root = path.join(work, 'root');
    for (const archive of readdirSync(archives).filter((name) => name.endsWith('.deb'))) {
      const unpack = await run('dpkg', ['-x', path.join(archives, archive), root]);
      if (!unpack.ok) throw new LocalError(`Unpacking ${archive} failed. ${advice}\n${unpack.output}`);
    }
    mkdirSync(directory, { recursive: true });
    rmSync(path.join(directory, 'root'), { recursive: true, force: true });
    renameSync(root, path.join(directory, 'root'));
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/** A private apt: its own lists, cache and locks, the system's sources and keys; returns its configuration file. */
function prepareApt(work: string): string {
  for (const name of ['lists/partial', 'cache/archives/partial', 'dpkg', 'root']) {
    mkdirSync(path.join(work, name), { recursive: true });
  }
  // A copy, because apt puts its locks beside it; it tells apt which libraries the system has already.
  copyFileSync('/var/lib/dpkg/status', path.join(work, 'dpkg', 'status'));
  const configuration = path.join(work, 'apt.conf');
  writeFileSync(
    configuration,
    [
      `Dir::State "${work}";`,
      `Dir::State::lists "${work}/lists";`,
      `Dir::State::status "${work}/dpkg/status";`,
      `Dir::State::extended_states "${work}/extended_states";`,
      `Dir::Cache "${work}/cache";`,
      `Dir::Cache::archives "${work}/cache/archives";`,
      `Dir::Log "${work}";`,
      'APT::Sandbox::User "root";',
      'Acquire::Languages "none";',
      'Acquire::Retries "2";',
      'Acquire::http::Timeout "30";',
      'Acquire::https::Timeout "30";',
      // Images of containers clean the system's own cache in these hooks; this download does not concern it.
      '#clear APT::Update::Pre-Invoke;',
      '#clear APT::Update::Post-Invoke;',
      '#clear APT::Update::Post-Invoke-Success;',
      '#clear DPkg::Pre-Invoke;',
      '#clear DPkg::Post-Invoke;',
      '#clear DPkg::Pre-Install-Pkgs;',
      '',
    ].join('\n'),
  );
  return configuration;
}

async function run(program: string, args: string[]): Promise<{ ok: boolean; output: string }> {
  const env = { ...process.env, LC_ALL: 'C', DEBIAN_FRONTEND: 'noninteractive' };
  try {
    const { stdout, stderr } = await promisify(execFile)(program, args, { env, maxBuffer: 16_000_000 });
    return { ok: true, output: stdout + stderr };
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string };
    return { ok: false, output: stdout + stderr || messageOf(error) };
  }
}
