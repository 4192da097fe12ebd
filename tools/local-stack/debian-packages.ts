import { execFile } from 'node:child_process';
import {
  accessSync,
  constants,
  copyFileSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { LocalError, messageOf } from '../../src/cli/local-stack/errors.js';

/** The first of these programs that is on PATH. */
export function findOnPath(names: string[]): string | null {
  // Debian keeps some programs in sbin, which is not on the PATH of ordinary users.
  const directories = [...(process.env.PATH ?? '').split(path.delimiter), '/usr/sbin', '/sbin'].filter(Boolean);
  for (const name of names) {
    const found = directories.map((directory) => path.join(directory, name)).find(isExecutable);
    if (found !== undefined) return found;
  }
  return null;
}

export function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Whether packages can be fetched here: on Debian and its relatives. */
export const canFetchPackages = (): boolean => findOnPath(['apt-get']) !== null && findOnPath(['dpkg']) !== null;

/** The folders of shared libraries below a directory, as LD_LIBRARY_PATH takes them; null where there are none. */
export function libraryPathOf(root: string): string | null {
  const libraries = new Set(
    readdirSync(root, { recursive: true, encoding: 'utf8' })
      .filter((file) => /\.so(\.\d+)*$/.test(file))
      .map((file) => path.join(root, path.dirname(file))),
  );
  return libraries.size === 0 ? null : [...libraries].join(':');
}

/**
 * Fetches packages and their missing dependencies, and unpacks them into `<directory>/root`. Nothing is
 * installed, so no service starts and no root rights are needed.
 * @throws LocalError with the output of apt-get or dpkg.
 */
export async function unpackPackages(directory: string, names: string[]): Promise<void> {
  const work = `${directory}.${process.pid}`;
  const unpacked = path.join(directory, 'root');
  const startedMs = Date.now();
  try {
    const apt = prepareApt(work);
    const update = await run('apt-get', ['-c', apt, 'update', '-q']);
    const download = await run('apt-get', [
      '-c',
      apt,
      'install',
      '-q',
      '-y',
      '--download-only',
      '--reinstall',
      '--no-install-recommends',
      ...names,
    ]);
    if (!download.ok) {
      throw new LocalError(`Downloading ${names[0]} with apt-get failed.\n${update.output}${download.output}`);
    }
    const archives = path.join(work, 'cache', 'archives');
    const root = path.join(work, 'root');
    for (const archive of readdirSync(archives).filter((name) => name.endsWith('.deb'))) {
      const unpack = await run('dpkg', ['-x', path.join(archives, archive), root]);
      if (!unpack.ok) throw new LocalError(`Unpacking ${archive} failed.\n${unpack.output}`);
    }
    mkdirSync(directory, { recursive: true });
    // Another process may have unpacked the same folder meanwhile, and may be running programs from it.
    if ((statSync(unpacked, { throwIfNoEntry: false })?.ctimeMs ?? 0) > startedMs) return;
    rmSync(unpacked, { recursive: true, force: true });
    renameSync(root, unpacked);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/** Prepares a private apt with its own lists, cache and locks, and the system's sources and keys. @returns its configuration file. */
function prepareApt(work: string): string {
  for (const name of ['lists/partial', 'cache/archives/partial', 'dpkg', 'root']) {
    mkdirSync(path.join(work, name), { recursive: true });
  }
  // It tells apt which libraries the system has. It is a copy, because apt puts its locks beside it.
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
      // In container images these hooks clean the system's cache, which this download does not use.
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
