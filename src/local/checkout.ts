import { existsSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** The directory of this checkout, from the sources as from the build. */
export const checkout = findCheckout(path.dirname(fileURLToPath(import.meta.url)));

/** The absolute path of the directory that holds all local state: `TOPUP_DATA_DIR`, or `.local` in the checkout. */
export function localDataDir(env: NodeJS.ProcessEnv = process.env): string {
  return path.resolve(checkout, env.TOPUP_DATA_DIR?.trim() || '.local');
}

function findCheckout(directory: string): string {
  if (existsSync(path.join(directory, 'package.json'))) return directory;
  const parent = path.dirname(directory);
  if (parent === directory) throw new Error('no package.json above the program');
  return findCheckout(parent);
}
