import { execFile, spawn, spawnSync, type ChildProcess } from 'node:child_process';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect } from '@jest/globals';
import { findProgram } from '../../support/programs.js';

/** The folder of the library. */
export const SDK = fileURLToPath(new URL('../../../sdk/php', import.meta.url));
const HERE = fileURLToPath(new URL('.', import.meta.url));
/** Replaces Composer's autoloader. */
export const AUTOLOAD = path.join(HERE, 'autoload.php');

const php = await findProgram('php');

/** Tests of the SDK for PHP. They are skipped, with a message, if there is no PHP and none can be fetched. */
export function describePhp(what: string, define: () => void): void {
  if (php !== null) return describe(what, define);
  console.warn(`SKIPPED: ${what}: there is no php on PATH, and its Debian package can't be fetched`);
  describe.skip(what, define);
}

/** The program and its environment. */
function phpWith(env: Record<string, string>): { program: string; env: NodeJS.ProcessEnv } {
  if (php === null) throw new Error('There is no php on this machine, and none can be fetched');
  return { program: php.program, env: { ...process.env, ...php.env, ...env } };
}

/** Makes PHP write every warning as one line on standard error. */
const STRICT = ['-d', 'error_reporting=E_ALL', '-d', 'display_errors=stderr'];

/** Serves a script at an address, such as `127.0.0.1:8080`. */
export function servePhp(
  address: string,
  script: string,
  settings: Record<string, string>,
  options: string[] = [],
): ChildProcess {
  const { program, env } = phpWith(settings);
  return spawn(program, [...STRICT, ...options, '-S', address, script], { env, stdio: 'ignore' });
}

/** The result of a script. */
export interface Called {
  value?: unknown;
  /** The class and the members of the thrown exception. */
  thrown?: string;
  message?: string;
  /** The waits before each repeat, in seconds. */
  waits: number[];
  [member: string]: unknown;
}

/** Runs PHP with `$topup`, a client. */
export async function call(url: string, key: string, code: string): Promise<Called> {
  const args = [...STRICT, path.join(HERE, 'call.php'), url, key, code];
  const { program, env } = phpWith({});
  const { stdout, stderr } = await promisify(execFile)(program, args, { env });
  expect(stderr).toBe('');
  return JSON.parse(stdout) as Called;
}

/** Runs one of the scripts beside this file. @returns what it prints, as JSON. */
export function runScript(name: string, input: unknown): unknown {
  const { program, env } = phpWith({});
  const given = { input: JSON.stringify(input), encoding: 'utf8', env } as const;
  const { stdout, stderr } = spawnSync(program, [...STRICT, path.join(HERE, name)], given);
  expect(stderr).toBe('');
  return JSON.parse(stdout);
}
