import { execFile, spawnSync } from 'node:child_process';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect } from '@jest/globals';

/** The folder of the library. */
export const SDK = fileURLToPath(new URL('../../../sdk/php', import.meta.url));
const HERE = fileURLToPath(new URL('.', import.meta.url));
/** Stands in for Composer's autoloader. */
export const AUTOLOAD = path.join(HERE, 'autoload.php');

const hasPhp = spawnSync('php', ['-v']).status === 0;

/** What is about the SDK for PHP; skipped, loudly, where there is no PHP. */
export function describePhp(what: string, define: () => void): void {
  if (hasPhp) return describe(what, define);
  console.warn(`SKIPPED: ${what}: there is no php on PATH`);
  describe.skip(what, define);
}

/** Every warning is one line on standard error. */
const STRICT = ['-d', 'error_reporting=E_ALL', '-d', 'display_errors=stderr'];

/** What a script came to. */
export interface Called {
  value?: unknown;
  /** The class of what it threw, and the members of that. */
  thrown?: string;
  message?: string;
  /** How long it waited before each repeat, in seconds. */
  waits: number[];
  [member: string]: unknown;
}

/** Runs PHP with `$topup`, a client. */
export async function call(url: string, key: string, code: string): Promise<Called> {
  const args = [...STRICT, path.join(HERE, 'call.php'), url, key, code];
  const { stdout, stderr } = await promisify(execFile)('php', args, { timeout: 60_000 });
  expect(stderr).toBe('');
  return JSON.parse(stdout) as Called;
}

/** Runs one of the scripts beside this file. @returns what it prints, as JSON. */
export function runScript(name: string, input: unknown): unknown {
  const given = { input: JSON.stringify(input), encoding: 'utf8' } as const;
  const { stdout, stderr } = spawnSync('php', [...STRICT, path.join(HERE, name)], given);
  expect(stderr).toBe('');
  return JSON.parse(stdout);
}
