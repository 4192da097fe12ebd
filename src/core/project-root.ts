import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** The directory with package.json, for sources and build alike. */
export const projectRoot = findProjectRoot(path.dirname(fileURLToPath(import.meta.url)));

/** The absolute path of the directory that holds all local state: `TOPUP_DATA_DIR`, or `.local` in the project. */
export function localDataDir(env: NodeJS.ProcessEnv = process.env): string {
  return path.resolve(projectRoot, env.TOPUP_DATA_DIR?.trim() || '.local');
}

/** The version of this service. */
export function serviceVersion(): string {
  const text = readFileSync(path.join(projectRoot, 'package.json'), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}

function findProjectRoot(directory: string): string {
  if (existsSync(path.join(directory, 'package.json'))) return directory;
  const parent = path.dirname(directory);
  if (parent === directory) throw new Error('no package.json above the program');
  return findProjectRoot(parent);
}
