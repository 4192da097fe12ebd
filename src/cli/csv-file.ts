import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { buffer } from 'node:stream/consumers';
import type { Command } from 'commander';
import { CsvProblems } from '../core/csv-table.js';
import { refuseBoth } from './options.js';
import { record, type Result } from './output.js';
import { CommandError, reasonOf } from './problems.js';
import { streams } from './streams.js';

/** The name of a file in messages. @param file its path; `-` for standard input. */
export const nameInWords = (file: string): string => (file === '-' ? 'standard input' : path.basename(file));

/** @param file the path of the file; `-` for standard input. @throws CommandError */
export async function readFile(file: string): Promise<Buffer> {
  try {
    // Node does not wait at a pipe: a synchronous read fails whenever the writer of the pipe is slower.
    return file === '-' ? await buffer(streams().stdin) : readFileSync(file);
  } catch (error) {
    throw new CommandError(`the file cannot be read: ${reasonOf(error)}`);
  }
}

/**
 * Writes a file, or prints its content if the path is `-`.
 * @param what further members of the result, beside the file's name.
 * @throws CommandError
 */
export function writeCsvFile(file: string, csv: string, what: object, command: Command): Result {
  if (file !== '-') {
    try {
      writeFileSync(file, `${csv}\n`);
    } catch (error) {
      throw new CommandError(`the file cannot be written: ${reasonOf(error)}`);
    }
    return record({ file, ...what });
  }
  refuseBoth(command, '-');
  return { json: null, text: () => csv };
}

/**
 * Carries out an import, and reports problems of the file as a CommandError.
 * @param name the file's name.
 */
export async function importing<Result>(name: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof CsvProblems)) throw error;
    const problems = error.message.replaceAll('\n', '\n  ');
    throw new CommandError(`nothing of ${nameInWords(name)} was imported:\n  ${problems}`);
  }
}
