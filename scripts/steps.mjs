// Runs the steps before a start or a test, and prints a line for each with its time.
import { outputOf } from './children.mjs';

/** A step that failed after it said why. */
export class PreparationError extends Error {}

/**
 * Runs a program, and shows its output only if it fails.
 * @param done the line to print afterwards; the time is added.
 */
export async function step(activity, done, program, args) {
  const isTerminal = process.stderr.isTTY;
  if (isTerminal) process.stderr.write(`${activity} ...`);
  const startedMs = performance.now();
  const { error, stdout, stderr } = await outputOf(program, args);
  if (isTerminal) process.stderr.write('\r\x1b[K');
  if (error) {
    process.stderr.write(`${stdout}${stderr}`);
    // The code of a program is a number. A word says why there is no program.
    const why = typeof error.code === 'string' ? `: ${error.message}` : '; the lines above say why';
    throw new PreparationError(`${activity} failed${why}.`);
  }
  const seconds = Math.max(1, Math.round((performance.now() - startedMs) / 1_000));
  // Standard output belongs to the program that the steps prepare.
  console.error(`${typeof done === 'function' ? done(stdout) : done} in ${seconds} s`);
}

/** Runs a script of this checkout. */
export const node = (activity, done, ...args) => step(activity, done, process.execPath, args);

/** Runs npm. */
export function npm(activity, done, ...args) {
  // npm sets this to its own program. Without it, npm is looked up on PATH.
  const own = process.env.npm_execpath;
  const [program, ...before] = own?.endsWith('.js') ? [process.execPath, own] : ['npm'];
  return step(activity, done, program, [...before, ...args]);
}
