import { canFetchPackages, findOnPath, unpackPackages } from '../../tools/local-stack/debian-packages.js';

/** How to run a program on this machine. */
export interface Program {
  program: string;
  /** What it needs when it does not belong to the system. */
  env: Record<string, string>;
}

interface Wanted {
  /** Under which it may be on PATH; the first says what is fetched. */
  names: [string, ...string[]];
  packages: string[];
  /** Where the packages are unpacked. */
  directory: string;
  findUnpacked: () => Program | null;
}

/**
 * Finds a program on PATH; on Debian its packages are otherwise fetched once and unpacked, as the package of Redis is.
 * @returns null where there is none and none can be had.
 */
export async function findOrFetch({
  names,
  packages,
  directory,
  findUnpacked,
}: Wanted): Promise<Program | null> {
  const program = findOnPath(names);
  if (program !== null) return { program, env: {} };
  const unpacked = findUnpacked();
  if (unpacked !== null || !canFetchPackages()) return unpacked;
  process.stderr.write(
    `No ${names[0]} on PATH: fetching the Debian package once, without installing it ...\n`,
  );
  try {
    await unpackPackages(directory, packages);
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  }
  return findUnpacked();
}
