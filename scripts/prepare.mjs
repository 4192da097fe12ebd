// The first steps of `npm start` and `npm test`, so that both work on a fresh clone.
import { existsSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { isInstalled, PAGES } from './installed.mjs';
import { node, npm, PreparationError } from './steps.mjs';

export { PreparationError };

export const checkout = fileURLToPath(new URL('..', import.meta.url));

const inCheckout = (...parts) => path.join(checkout, ...parts);
const readJson = (file) => JSON.parse(readFileSync(inCheckout(file), 'utf8'));

/** Installs every package of the lock file, unless all are there. */
export async function installPackages() {
  process.chdir(checkout);
  checkNode();
  if (!isInstalled()) await install('ci');
}

/** Installs packages and builds everything, each only where it is missing or old. */
export async function prepareCheckout() {
  await installPackages();
  await writeSdkTypes();
  await buildService();
  await buildPages();
}

/** Installs and builds only the service. `beside` is called before a build, to start other work that can run meanwhile. */
export async function prepareService(beside = () => undefined) {
  process.chdir(checkout);
  checkNode();
  if (!isInstalled([])) await install('ci', '--workspaces=false');
  if (!isServiceBuilt()) beside();
  await buildService();
}

/** Removes pages that were built from other sources. Until they are built again, the processes answer that they are missing. */
export function removeOldPages() {
  if (!isSiteBuilt()) remove('site');
  if (!isConsoleBuilt()) remove('console');
}

/** Installs and builds what the pages lack. Each failure prints its reason. @returns whether every step succeeded. */
export async function completePages() {
  process.chdir(checkout);
  const works = [
    async () => {
      if (isInstalled(PAGES)) return;
      // Only adds packages: the service is using those that are there.
      const workspaces = PAGES.map((place) => `--workspace=${place}`);
      await install('install', '--no-save', '--include-workspace-root', ...workspaces);
    },
    buildSite,
    buildConsole,
  ];
  let isComplete = true;
  for (const work of works) isComplete = (await attempt(work)) && isComplete;
  return isComplete;
}

async function attempt(work) {
  try {
    await work();
    return true;
  } catch (error) {
    if (!(error instanceof PreparationError)) throw error;
    console.error(error.message);
    return false;
  }
}

/** Prepares for a program: a failed step ends this process, with a message and without a stack trace. */
export async function prepareOrExit(prepare = prepareService) {
  try {
    await prepare();
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
  if (isSupported(process.versions.node)) return;
  exit(`Node.js ${readEngines()} is needed, and this is ${process.version}. Install a newer one: https://nodejs.org`);
}

const readEngines = () => readJson('package.json').engines.node;

/** Whether `engines`, by default that of the service, allows this version of Node.js. */
export function isSupported(version, engines = readEngines()) {
  const [major, minor] = version.split('.').map(Number);
  return engines.split('||').some((range) => isAllowed(range.trim(), major, minor));
}

/** `^22.13.0` allows newer versions of Node 22, `>=24.11.0` every newer version; `>=26` is `>=26.0`. */
function isAllowed(range, major, minor) {
  const [, sign, leastMajor, leastMinor = 0] = /^(\^|>=)(\d+)(?:\.(\d+))?/.exec(range);
  if (major === Number(leastMajor)) return minor >= Number(leastMinor);
  return sign === '>=' && major > Number(leastMajor);
}

/**
 * Neither NODE_ENV=production nor a setting of npm may leave out the build tools or the PostgreSQL binaries. The lock file pins
 * packages by hash, so npm may use its cache without a request to the registry.
 */
async function install(...args) {
  const included = [
    '--include=dev',
    '--include=optional',
    '--prefer-offline',
    '--no-audit',
    '--no-fund',
    '--loglevel=error',
  ];
  const count = (output) => /added (\d+)/.exec(output)?.[1] ?? 'the';
  await npm('Installing packages', (output) => `Installed ${count(output)} packages`, ...args, ...included);
}

async function buildService() {
  if (isServiceBuilt()) return;
  // The next start must not take half a build for a whole one, also after a signal.
  const removeHalf = () => ['src', 'tools', 'vendor'].forEach((folder) => remove(folder));
  process.once('exit', removeHalf);
  await node('Compiling the service', 'Compiled the service', 'scripts/compile.mjs');
  await node('Packing its packages', 'Packed its packages', 'scripts/vendor.mjs');
  process.off('exit', removeHalf);
}

/** Suites compile the SDK. `npm start` does not do this: the service does not use the SDK's types. */
async function writeSdkTypes() {
  if (
    isNewer(inCheckout('sdk/typescript/src/schema.ts'), ['openapi.json', 'scripts/sdk-types.mjs', 'package-lock.json'])
  )
    return;
  await node('Writing the types of the SDK', 'Wrote the types of the SDK', 'scripts/sdk-types.mjs');
}

async function buildPages() {
  await buildSite();
  await buildConsole();
}

async function buildSite() {
  if (isSiteBuilt()) return;
  await node('Building the documentation', 'Built the documentation', 'dist/tools/docs-site/main.js');
}

async function buildConsole() {
  if (isConsoleBuilt()) return;
  await node('Building the console', 'Built the console', 'scripts/build-console.mjs');
}

const remove = (folder) => rmSync(inCheckout('dist', folder), { recursive: true, force: true });

function isServiceBuilt() {
  // The compiler alone, as in watch mode, leaves dist without packages.
  if (!existsSync(inCheckout('dist', 'vendor'))) return false;
  return isNewer(inCheckout('dist', 'tools', 'local-stack', 'main.js'), [
    'src',
    'tools',
    'ormconfig.ts',
    'package-lock.json',
    ...['compile', 'pack', 'swc', 'vendor'].map((name) => `scripts/${name}.mjs`),
  ]);
}

function isSiteBuilt() {
  // The build of the service includes the builder.
  const builder = 'dist/tools/docs-site/main.js';
  const documents = ['docs', 'sdk', 'CHANGELOG.md', 'openapi.json'];
  const sources = [builder, 'tools/docs-site/browser', ...documents];
  return isNewer(inCheckout('dist', 'site', 'index.html'), sources);
}

function isConsoleBuilt() {
  const manifest = inCheckout('dist', 'console', '.vite', 'manifest.json');
  return isNewer(manifest, ['console', 'package-lock.json', 'scripts/build-console.mjs']);
}

/** Whether `built` is there, and newer than all its sources. */
function isNewer(built, sources) {
  const stats = statSync(built, { throwIfNoEntry: false });
  return stats !== undefined && sources.every((source) => newestChange(inCheckout(source)) <= stats.mtimeMs);
}

/** Types that are written from the OpenAPI documents by each build and type-check. */
const GENERATED = ['schema.d.ts', 'schema.ts'];

/** Directories count as well: their time changes when a file in them is removed or renamed. */
function newestChange(file) {
  const stats = statSync(file);
  if (!stats.isDirectory()) return stats.mtimeMs;
  const names = readdirSync(file)
    .filter((name) => !GENERATED.includes(name))
    .map((name) => path.join(file, name));
  return Math.max(stats.mtimeMs, ...names.map(newestChange));
}
