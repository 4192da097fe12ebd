import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** The directory of this checkout, from the sources as from the build. */
export const checkout = findCheckout(path.dirname(fileURLToPath(import.meta.url)));

/** The absolute path of the directory that holds all local state: `TOPUP_DATA_DIR`, or `.local` in the checkout. */
export function localDataDir(env: NodeJS.ProcessEnv = process.env): string {
  return path.resolve(checkout, env.TOPUP_DATA_DIR?.trim() || '.local');
}

/** The version of this service. */
export function serviceVersion(): string {
  const text = readFileSync(path.join(checkout, 'package.json'), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}

function findCheckout(directory: string): string {
  if (existsSync(path.join(directory, 'package.json'))) return directory;
  const parent = path.dirname(directory);
  if (parent === directory) throw new Error('no package.json above the program');
  return findCheckout(parent);
}
