import { readFileSync, renameSync, writeFileSync } from 'node:fs';
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
