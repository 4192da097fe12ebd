import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium, type Browser } from 'playwright-core';
import { isExecutable, libraryPathOf } from '../../tools/local-stack/debian-packages.js';
import { findOrFetch, type Program } from './fetched-program.js';

const NAMES: [string, ...string[]] = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];
/** The browser, and fonts that include Thai. */
const PACKAGES = ['chromium', 'fonts-liberation', 'fonts-thai-tlwg'];
/** The timeout of waits for a page, the same as that of `eventually`. */
export const PATIENCE_MS = 150_000;
const checkout = fileURLToPath(new URL('../..', import.meta.url));
const packageDir = path.resolve(checkout, process.env.TOPUP_DATA_DIR || '.local', 'chromium-package');

/** Finds Chromium or Chrome, or fetches the package with missing libraries and fonts; null if neither is possible. */
export const findChromium = (): Promise<Program | null> =>
  findOrFetch({ names: NAMES, packages: PACKAGES, directory: packageDir, findUnpacked });

/** It ends a vain wait only. */
const START_WITHIN_MS = 150_000;

/** @param found the result of {@link findChromium}. */
export const launchChromium = ({ program, env }: Program): Promise<Browser> =>
  chromium.launch({
    executablePath: program,
    timeout: START_WITHIN_MS,
    args: ['--no-sandbox', '--disable-background-networking'],
    env: { ...(process.env as Record<string, string>), ...env },
  });

function findUnpacked(): Program | null {
  const root = path.join(packageDir, 'root');
  // On Ubuntu, the package of this name only says that Chromium comes as a snap.
  const program = path.join(root, 'usr', 'lib', 'chromium', 'chromium');
  if (!isExecutable(program)) return null;
  return {
    program,
    env: { LD_LIBRARY_PATH: libraryPathOf(root) ?? '', FONTCONFIG_FILE: fontConfiguration(root) },
  };
}

/** Fonts in the styles of the pages, with replacements of the same width. */
const FONTS: [family: string, ...fonts: string[]][] = [
  ['Arial', 'Liberation Sans', 'Loma'],
  ['sans-serif', 'Liberation Sans', 'Loma'],
  ['monospace', 'Liberation Mono', 'Tlwg Mono'],
];

/** The configuration of fonts: the folders of the system and of the unpacked package. */
function fontConfiguration(root: string): string {
  const file = path.join(packageDir, 'fonts.conf');
  const aliases = FONTS.map(([family, ...fonts]) => {
    const preferred = fonts.map((font) => `<family>${font}</family>`).join('');
    return `<alias binding="same"><family>${family}</family><prefer>${preferred}</prefer></alias>`;
  });
  const cache = path.join(packageDir, 'font-cache');
  mkdirSync(cache, { recursive: true });
  // Written each time, because a checkout may have moved, and atomically, because another process may read it.
  const unfinished = `${file}.${process.pid}`;
  writeFileSync(
    unfinished,
    `<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd"><fontconfig>
<dir>/usr/share/fonts</dir><dir>${path.join(root, 'usr', 'share', 'fonts')}</dir><cachedir>${cache}</cachedir>
${aliases.join('\n')}
</fontconfig>\n`,
  );
  renameSync(unfinished, file);
  return file;
}
