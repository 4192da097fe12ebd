import { canFetchPackages, findOnPath, unpackPackages } from '../../tools/local-stack/debian-packages.js';

/** How to run a program on this machine. */
export interface Program {
  program: string;
  /** The environment that it needs if it was fetched. */
  env: Record<string, string>;
}

interface Packages<Found> {
  /** Its name in messages. */
  what: string;
  packages: string[];
  /** The folder of unpacked packages. */
  directory: string;
  findUnpacked: () => Found | null;
}

/**
 * Finds a program on PATH. Otherwise, on Debian, fetches its packages.
 * @param wanted the program, with its possible names on PATH.
 * @returns null if there is none, and none can be fetched.
 */
export async function findOrFetch(
  wanted: Omit<Packages<Program>, 'what'> & { names: [string, ...string[]] },
): Promise<Program | null> {
  const program = findOnPath(wanted.names);
  if (program !== null) return { program, env: {} };
  return fetchOnce({ ...wanted, what: wanted.names[0] });
}

/**
 * On Debian, fetches packages once and unpacks them, as with the package of Redis.
 * @returns null if they can't be fetched.
 */
export async function fetchOnce<Found>(wanted: Packages<Found>): Promise<Found | null> {
  const unpacked = wanted.findUnpacked();
  if (unpacked !== null || !canFetchPackages()) return unpacked;
  process.stderr.write(`No ${wanted.what} here: fetching the Debian package once, without installing it ...\n`);
  try {
    await unpackPackages(wanted.directory, wanted.packages);
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  }
  return wanted.findUnpacked();
}
