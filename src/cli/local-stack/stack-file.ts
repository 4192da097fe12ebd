import { rmSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { isSameProcess, type ProcessIdentity } from './process-table.js';
import { codeOf, LocalError, messageOf } from './errors.js';

/**
 * Reads a JSON file; null if it is missing or incomplete.
 * @throws LocalError if this user may not read it.
 */
export function readJsonFile(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    if (error instanceof SyntaxError || codeOf(error) === 'ENOENT') return null;
    throw new LocalError(`Cannot read ${file}: ${messageOf(error)}. It may belong to another user.`);
  }
}

/** Writes a file atomically that only this user can read. */
export function writePrivateFile(file: string, content: string): void {
  const unfinished = `${file}.${process.pid}`;
  writeFileSync(unfinished, content, { mode: 0o600 });
  renameSync(unfinished, file);
}

/** The addresses of the running local stack. */
export interface Stack {
  databaseUrl: string;
  redisUrl: string;
  simulatorUrl: string;
  apiUrl: string;
  /** The file with SECRETS_KEY; null if the environment has it. */
  secretsKeyFile: string | null;
  /** The process that runs the stack. */
  pid: number;
}

const fileName = 'stack.json';

/**
 * The local stack that runs on this data directory; null if none does.
 * @throws LocalError if the file belongs to another user.
 */
export function readStackFile(dataDir: string): Stack | null {
  const content = readJsonFile(path.join(dataDir, fileName)) as (Stack & ProcessIdentity) | null;
  if (content === null || !isSameProcess(content)) return null;
  const { databaseUrl, redisUrl, simulatorUrl, apiUrl, secretsKeyFile, pid } = content;
  return { databaseUrl, redisUrl, simulatorUrl, apiUrl, secretsKeyFile, pid };
}

/** Publishes the addresses of the stack. Only this user can read the file, because it holds passwords. */
export function writeStackFile(dataDir: string, stack: Stack & ProcessIdentity): void {
  writePrivateFile(path.join(dataDir, fileName), `${JSON.stringify(stack, null, 2)}\n`);
}

/** Removes the published addresses, after the stack has stopped. */
export function removeStackFile(dataDir: string): void {
  rmSync(path.join(dataDir, fileName), { force: true });
}
