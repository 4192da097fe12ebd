import path from 'node:path';
import { LocalError } from '../../src/cli/local-stack/errors.js';
import { canFetchPackages, findOnPath, isExecutable, libraryPathOf, unpackPackages } from './debian-packages.js';

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
 * Finds Redis or Valkey on PATH. Otherwise, on Debian and its relatives, it downloads the package and unpacks it into
 * `packageDir`. Nothing is installed, so no system service starts and no root rights are needed.
 * @throws LocalError that says what to install.
 */
export async function findRedis(packageDir: string): Promise<RedisBinary> {
  const program = findOnPath(programNames);
  if (program !== null) return { program, libraryPath: null };
  const directory = path.resolve(packageDir);
  const unpacked = findUnpacked(directory);
  if (unpacked !== null) return unpacked;
  if (!canFetchPackages()) {
    throw new LocalError(`No redis-server on PATH. ${advice}`);
  }
  process.stderr.write('No redis-server on PATH: fetching the Debian package once, without installing it ...\n');
  await fetchRedis(directory);
  const downloaded = findUnpacked(directory);
  if (downloaded === null) throw new LocalError(`The package redis-server holds no redis-server. ${advice}`);
  return downloaded;
}

function findUnpacked(directory: string): RedisBinary | null {
  const root = path.join(directory, 'root');
  const program = path.join(root, 'usr', 'bin', 'redis-server');
  return isExecutable(program) ? { program, libraryPath: libraryPathOf(root) } : null;
}

async function fetchRedis(directory: string): Promise<void> {
  try {
    // The program itself is in redis-tools.
    await unpackPackages(directory, ['redis-server', 'redis-tools']);
  } catch (error) {
    if (error instanceof LocalError) throw new LocalError(`${advice}\n${error.message}`);
    throw error;
  }
}
