// What `npm start` and `npm test` do before anything else, so that both work on a fresh clone.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

export const checkout = fileURLToPath(new URL('..', import.meta.url));

const inCheckout = (...parts) => path.join(checkout, ...parts);
const readJson = (file) => JSON.parse(readFileSync(inCheckout(file), 'utf8'));

/** Installs what the lock file names, when it is not done already. */
export function installPackages() {
  process.chdir(checkout);
  checkNode();
  if (isInstalled()) return;
  // NODE_ENV=production must not leave out the compiler, nor a setting of npm the PostgreSQL binaries.
  runNpm('Installing packages', ['ci', '--include=dev', '--include=optional', '--no-audit', '--no-fund']);
}

/** Installs what the lock file names and builds the sources, each only when it is not done already. */
export function prepareCheckout() {
  installPackages();
  if (!isServiceBuilt()) build('the service', 'service', ['src', 'tools', 'vendor']);
  if (!isSiteBuilt()) build('the documentation', 'site', ['site']);
  if (!isConsoleBuilt()) build('the console', 'console', ['console']);
}

/** The same for a program: a step that failed ends this process, with a message that needs no stack trace. */
export function prepareOrExit() {
  try {
    prepareCheckout();
  } catch (error) {
    if (!(error instanceof PreparationError)) throw error;
    exit(error.message);
  }
}

function exit(message) {
  console.error(`\n${message}`);
  process.exit(1);
}

function checkNode() {
  const wanted = readJson('package.json').engines.node;
  if (wanted.split('||').some((range) => isAllowed(range.trim()))) return;
  exit(
    `Node.js ${wanted} is needed, and this is ${process.version}. Install a newer one: https://nodejs.org`,
  );
}

/** `^22.13.0` allows what is newer of Node 22, `>=24.11.0` whatever is newer. */
function isAllowed(range) {
  const [, sign, ...numbers] = /^(\^|>=)(\d+)\.(\d+)/.exec(range);
  const [leastMajor, leastMinor] = numbers.map(Number);
  const [major, minor] = process.versions.node.split('.').map(Number);
  return major === leastMajor ? minor >= leastMinor : sign === '>=' && major > leastMajor;
}

/** npm leaves a copy of the lock file beside what it installed: the two tell whether anything differs. */
function isInstalled() {
  if (!existsSync(inCheckout('node_modules', '.package-lock.json'))) return false;
  const installed = readJson('node_modules/.package-lock.json').packages;
  const wanted = readJson('package-lock.json').packages;
  const hasWanted = Object.entries(wanted).every(([place, { version, integrity, optional }]) => {
    const present = installed[place];
    // The checkout itself is in one list only; optional packages are those for other platforms.
    if (present === undefined) return place === '' || optional;
    return present.version === version && present.integrity === integrity;
  });
  return hasWanted && Object.keys(installed).every((place) => place in wanted);
}

function isServiceBuilt() {
  // The compiler alone, as when it watches, leaves dist without packages.
  if (!existsSync(inCheckout('dist', 'vendor'))) return false;
  return isNewer(inCheckout('dist', 'tools', 'local-stack', 'main.js'), [
    'src',
    'tools',
    'ormconfig.ts',
    'tsconfig.json',
    'tsconfig.build.json',
    'nest-cli.json',
    'package-lock.json',
    'scripts/pack.mjs',
    'scripts/vendor.mjs',
  ]);
}

function isSiteBuilt() {
  // The builder itself is a part of the service.
  const builder = 'dist/tools/docs-site/main.js';
  const documents = ['docs', 'sdk/typescript/README.md', 'sdk/php/README.md', 'CHANGELOG.md', 'openapi.json'];
  const sources = [builder, 'tools/docs-site/browser', ...documents];
  return isNewer(inCheckout('dist', 'site', 'index.html'), sources);
}

function isConsoleBuilt() {
  const manifest = inCheckout('dist', 'console', '.vite', 'manifest.json');
  return isNewer(manifest, ['console', 'package-lock.json']);
}

/** Whether what was built is there, and newer than all that it is made of. */
function isNewer(built, sources) {
  const stats = statSync(built, { throwIfNoEntry: false });
  return stats !== undefined && sources.every((source) => newestChange(inCheckout(source)) <= stats.mtimeMs);
}

/** Written from console/openapi.json by each build and type-check. */
const GENERATED = 'schema.d.ts';

/** Directories count too: their time changes when a file in them is removed or renamed. */
function newestChange(file) {
  const stats = statSync(file);
  if (!stats.isDirectory()) return stats.mtimeMs;
  const names = readdirSync(file)
    .filter((name) => name !== GENERATED)
    .map((name) => path.join(file, name));
  return Math.max(stats.mtimeMs, ...names.map(newestChange));
}

function build(what, half, folders) {
  try {
    runNpm(`Building ${what}`, ['run', '--silent', `build:${half}`]);
  } catch (error) {
    // The compiler writes files even when it finds mistakes; the next start must not take them for a build.
    for (const folder of folders) rmSync(inCheckout('dist', folder), { recursive: true, force: true });
    throw error;
  }
}

function runNpm(what, args) {
  console.error(`${what} (npm ${args.join(' ')}) ...`);
  // Under npm this names the very npm that runs; otherwise it is looked up on PATH.
  const npm = process.env.npm_execpath;
  const command = npm?.endsWith('.js') ? [process.execPath, npm] : ['npm'];
  // Standard output belongs to what comes after.
  const { status, error } = spawnSync(command[0], [...command.slice(1), ...args], {
    stdio: ['ignore', 2, 2],
  });
  if (status === 0) return;
  throw new PreparationError(`${what} failed${error ? `: ${error.message}` : ''}; the lines above say why.`);
}

/** A step that failed after it said why. */
export class PreparationError extends Error {}
