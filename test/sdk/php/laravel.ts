import { spawnSync, type ChildProcess } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe } from '@jest/globals';
import { localDataDir } from '../../../src/core/project-root.js';
import { libraryPathOf } from '../../../tools/local-stack/debian-packages.js';
import { fetchOnce } from '../../support/fetched-program.js';
import { findProgram } from '../../support/programs.js';
import { servePhp } from './php.js';

/** Debian's packages of Laravel and Guzzle, and the extensions of PHP that they need besides `php-cli`. */
const PACKAGES = ['php-laravel-framework', 'php-guzzlehttp-guzzle', 'php-mbstring', 'php-sqlite3'];
const EXTENSIONS = ['ctype', 'fileinfo', 'tokenizer', 'mbstring', 'pdo', 'pdo_sqlite'];
const APPLICATION = fileURLToPath(new URL('laravel/index.php', import.meta.url));
const directory = path.join(localDataDir(), 'laravel-package');

interface Laravel {
  /** The folder of Laravel's classes. */
  classes: string;
  /** Arguments of PHP that load missing extensions. */
  extensions: string[];
  env: Record<string, string>;
}

const laravel = await findLaravel();

/** Tests that need Laravel. They are skipped, with a message, if it can't be fetched. */
export function describeLaravel(what: string, define: () => void): void {
  if (laravel !== null) return describe(what, define);
  console.warn(`SKIPPED: ${what}: Debian's packages of Laravel, or a PHP that takes them, can't be had`);
  describe.skip(what, define);
}

/** Serves the example shop of Laravel at an address. @param appDir an empty folder. */
export function serveLaravel(address: string, appDir: string, settings: Record<string, string>): ChildProcess {
  if (laravel === null) throw new Error('There is no Laravel here');
  const env = { ...laravel.env, LARAVEL: laravel.classes, APP_DIR: appDir, ...settings };
  return servePhp(address, APPLICATION, env, laravel.extensions);
}

async function findLaravel(): Promise<Laravel | null> {
  const php = await findProgram('php');
  if (php === null) return null;
  const root = path.join(directory, 'root');
  const classes = path.join(root, 'usr/share/php');
  const isUnpacked = (): string | null => (existsSync(path.join(classes, 'Illuminate/Foundation')) ? root : null);
  const found = await fetchOnce({ what: 'Laravel', packages: PACKAGES, directory, findUnpacked: isUnpacked });
  if (found === null) return null;
  const libraries = [libraryPathOf(root), php.env.LD_LIBRARY_PATH].filter(Boolean).join(':');
  const env = { ...php.env, LD_LIBRARY_PATH: libraries };
  const ask = (...args: string[]): string =>
    spawnSync(php.program, [...args, '-m'], {
      env: { ...process.env, ...env },
      encoding: 'utf8',
    }).stdout.toLowerCase();
  const has = (modules: string, name: string): boolean => modules.split(/\s+/).includes(name);
  const present = ask();
  const extensions = EXTENSIONS.filter((name) => !has(present, name)).flatMap((name) => [
    '-d',
    `extension=${fileOf(name)}`,
  ]);
  // A PHP from another source does not load Debian's extensions.
  const all = ask(...extensions);
  return EXTENSIONS.every((name) => has(all, name)) ? { classes, extensions, env } : null;
}

/** The folder of Debian's packages, or of the installed ones. */
function fileOf(extension: string): string {
  const folders = [directory, path.join(localDataDir(), 'php-package')].flatMap((each) => {
    const library = path.join(each, 'root/usr/lib/php');
    return existsSync(library) ? readdirSync(library).map((name) => path.join(library, name)) : [];
  });
  const files = folders.map((folder) => path.join(folder, `${extension}.so`));
  return files.find((file) => existsSync(file)) ?? extension;
}
