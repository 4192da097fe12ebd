import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  canFetchPackages,
  findOnPath,
  isExecutable,
  libraryPathOf,
  unpackPackages,
} from '../../tools/local-stack/debian-packages.js';

/** How to run Chromium on this machine. */
export interface ChromiumBinary {
  program: string;
  /** Where its libraries and fonts are, when they do not belong to the system. */
  env: Record<string, string>;
}

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];
/** Thai has to be seen, too. */
const PACKAGES = ['chromium', 'fonts-liberation', 'fonts-thai-tlwg'];
const checkout = fileURLToPath(new URL('../..', import.meta.url));
const packageDir = path.resolve(checkout, process.env.TOPUP_DATA_DIR || '.local', 'chromium-package');

/**
 * Finds Chromium or Chrome on PATH; on Debian the package is otherwise downloaded and unpacked once, with the libraries and
 * fonts that the system lacks, as the package of Redis is.
 * @returns null where there is none and none can be had.
 */
export async function findChromium(): Promise<ChromiumBinary | null> {
  const program = findOnPath(NAMES);
  if (program !== null) return { program, env: {} };
  const unpacked = findUnpacked();
  if (unpacked !== null || !canFetchPackages()) return unpacked;
  process.stderr.write('No chromium on PATH: fetching the Debian package once, without installing it ...\n');
  try {
    await unpackPackages(packageDir, PACKAGES);
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  }
  return findUnpacked();
}

function findUnpacked(): ChromiumBinary | null {
  const root = path.join(packageDir, 'root');
  // On Ubuntu the package of this name is a message that Chromium comes as a snap.
  const program = path.join(root, 'usr', 'lib', 'chromium', 'chromium');
  if (!isExecutable(program)) return null;
  return {
    program,
    env: { LD_LIBRARY_PATH: libraryPathOf(root) ?? '', FONTCONFIG_FILE: fontConfiguration(root) },
  };
}

/** Fonts are looked for where the system has them and where the package was unpacked. */
function fontConfiguration(root: string): string {
  const file = path.join(packageDir, 'fonts.conf');
  if (existsSync(file)) return file;
  const cache = path.join(packageDir, 'font-cache');
  mkdirSync(cache, { recursive: true });
  writeFileSync(
    file,
    `<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd"><fontconfig>
<dir>/usr/share/fonts</dir><dir>${path.join(root, 'usr', 'share', 'fonts')}</dir><cachedir>${cache}</cachedir>
</fontconfig>\n`,
  );
  return file;
}
