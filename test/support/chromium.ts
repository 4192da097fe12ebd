import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium, type Browser } from 'playwright-core';
import { isExecutable, libraryPathOf } from '../../tools/local-stack/debian-packages.js';
import { findOrFetch, type Program } from './fetched-program.js';

const NAMES: [string, ...string[]] = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];
/** Thai has to be seen, too. */
const PACKAGES = ['chromium', 'fonts-liberation', 'fonts-thai-tlwg'];
/** For how long a page is waited for: as long as `eventually` waits. */
export const PATIENCE_MS = 150_000;
const checkout = fileURLToPath(new URL('../..', import.meta.url));
const packageDir = path.resolve(checkout, process.env.TOPUP_DATA_DIR || '.local', 'chromium-package');

/** Chromium or Chrome, or the package with the libraries and fonts that the system lacks; null where none can be had. */
export const findChromium = (): Promise<Program | null> =>
  findOrFetch({ names: NAMES, packages: PACKAGES, directory: packageDir, findUnpacked });

/** @param found what {@link findChromium} did. */
export const launchChromium = ({ program, env }: Program): Promise<Browser> =>
  chromium.launch({
    executablePath: program,
    args: ['--no-sandbox', '--disable-background-networking'],
    env: { ...(process.env as Record<string, string>), ...env },
  });

function findUnpacked(): Program | null {
  const root = path.join(packageDir, 'root');
  // On Ubuntu the package of this name is a message that Chromium comes as a snap.
  const program = path.join(root, 'usr', 'lib', 'chromium', 'chromium');
  if (!isExecutable(program)) return null;
  return {
    program,
    env: { LD_LIBRARY_PATH: libraryPathOf(root) ?? '', FONTCONFIG_FILE: fontConfiguration(root) },
  };
}

/** What the pages ask for, and what stands for it: as wide as the fonts that people have. */
const FONTS: [family: string, ...fonts: string[]][] = [
  ['Arial', 'Liberation Sans', 'Loma'],
  ['sans-serif', 'Liberation Sans', 'Loma'],
  ['monospace', 'Liberation Mono', 'Tlwg Mono'],
];

/** Fonts are looked for where the system has them and where the package was unpacked. */
function fontConfiguration(root: string): string {
  const file = path.join(packageDir, 'fonts.conf');
  const aliases = FONTS.map(([family, ...fonts]) => {
    const preferred = fonts.map((font) => `<family>${font}</family>`).join('');
    return `<alias binding="same"><family>${family}</family><prefer>${preferred}</prefer></alias>`;
  });
  const cache = path.join(packageDir, 'font-cache');
  mkdirSync(cache, { recursive: true });
  // Each time, because a checkout may have moved; whole or not at all, because another process may be about to read it.
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
