import { cpSync, existsSync, mkdirSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isAlive } from '../../src/cli/local-stack/process-table.js';
import { stopLeftOverPostgres } from '../../tools/local-stack/postgres.js';

export const checkout = fileURLToPath(new URL('../..', import.meta.url));
/** The folder for the files of runs. */
export const dataDir = resolve(checkout, process.env.TOPUP_DATA_DIR || '.local');

/** Copies the build, so that another build during the run does not change the running code. */
export function copyBuild(directory: string): void {
  for (const name of ['dist', 'bin', 'package.json'])
    cpSync(join(checkout, name), join(directory, name), { recursive: true });
  symlinkSync(join(checkout, 'node_modules'), join(directory, 'node_modules'));
}

const WITH_PACKAGES = ['.', 'console', 'test', 'tools/dev', 'tools/docs-site'];

/** Copies all that tests need, and shares the packages. */
export function copyCheckout(directory: string): void {
  const isLeftOut = (file: string): boolean => basename(file) === 'node_modules';
  for (const name of readdirSync(checkout).filter((each) => !['.git', '.local', 'node_modules'].includes(each)))
    cpSync(join(checkout, name), join(directory, name), { recursive: true, filter: (file) => !isLeftOut(file) });
  for (const place of WITH_PACKAGES) {
    const packages = join(checkout, place, 'node_modules');
    if (existsSync(packages)) symlinkSync(packages, join(directory, place, 'node_modules'));
  }
}

/** Removes copies of earlier runs that were killed. */
export async function removeLeftOvers(): Promise<void> {
  mkdirSync(dataDir, { recursive: true });
  for (const name of readdirSync(dataDir, { encoding: 'utf8' })) {
    const pid = Number(/^chaos-(\d+)$/.exec(name)?.[1]);
    if (!pid || isAlive(pid)) continue;
    await stopLeftOverPostgres(join(dataDir, name, 'postgres'));
    rmSync(join(dataDir, name), { recursive: true, force: true });
  }
}
