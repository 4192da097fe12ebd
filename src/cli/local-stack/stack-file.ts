import { rmSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { isSameProcess, type ProcessIdentity } from './process-table.js';
import { codeOf, LocalError, messageOf } from './errors.js';

/**
 * What a JSON file holds, or null when there is no such file or only half of one.
 * @throws LocalError when this user may not read it.
 */
export function readJsonFile(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    if (error instanceof SyntaxError || codeOf(error) === 'ENOENT') return null;
    throw new LocalError(`Cannot read ${file}: ${messageOf(error)}. It may belong to another user.`);
  }
}

/** Writes a file that only this user can read, atomically: readers see all of the old one or all of the new one. */
export function writePrivateFile(file: string, content: string): void {
  const unfinished = `${file}.${process.pid}`;
  writeFileSync(unfinished, content, { mode: 0o600 });
  renameSync(unfinished, file);
}

/** Where the parts of the running local stack are. */
export interface Stack {
  databaseUrl: string;
  redisUrl: string;
  simulatorUrl: string;
  apiUrl: string;
  /** The file with SECRETS_KEY, or null when it came from the environment. */
  secretsKeyFile: string | null;
  /** The process that runs the stack. */
  pid: number;
}

const fileName = 'stack.json';

/**
 * The local stack that runs on this data directory, or null when none does.
 * @throws LocalError when the file belongs to another user.
 */
export function readStackFile(dataDir: string): Stack | null {
  const content = readJsonFile(path.join(dataDir, fileName)) as (Stack & ProcessIdentity) | null;
  if (content === null || !isSameProcess(content)) return null;
  const { databaseUrl, redisUrl, simulatorUrl, apiUrl, secretsKeyFile, pid } = content;
  return { databaseUrl, redisUrl, simulatorUrl, apiUrl, secretsKeyFile, pid };
}

/** Publishes where the stack is. Only this user can read it, because it holds passwords. */
export function writeStackFile(dataDir: string, stack: Stack & ProcessIdentity): void {
  writePrivateFile(path.join(dataDir, fileName), `${JSON.stringify(stack, null, 2)}\n`);
}

/** Once the stack has stopped. */
export function removeStackFile(dataDir: string): void {
  rmSync(path.join(dataDir, fileName), { force: true });
}
