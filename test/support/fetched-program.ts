import { canFetchPackages, findOnPath, unpackPackages } from '../../tools/local-stack/debian-packages.js';

/** How to run a program on this machine. */
export interface Program {
  program: string;
  /** What it needs when it does not belong to the system. */
  env: Record<string, string>;
}

interface Packages<Found> {
  /** What a message calls it. */
  what: string;
  packages: string[];
  /** Where the packages are unpacked. */
  directory: string;
  findUnpacked: () => Found | null;
}

/**
 * Finds a program on PATH; on Debian its packages are otherwise fetched.
 * @param wanted with the names under which it may be on PATH
 * @returns null where there is none and none can be had.
 */
export async function findOrFetch(
  wanted: Omit<Packages<Program>, 'what'> & { names: [string, ...string[]] },
): Promise<Program | null> {
  const program = findOnPath(wanted.names);
  if (program !== null) return { program, env: {} };
  return fetchOnce({ ...wanted, what: wanted.names[0] });
}

/**
 * On Debian, fetches packages once and unpacks them, as the package of Redis is.
 * @returns null where they can't be had.
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
