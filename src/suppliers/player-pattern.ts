import { RE2JS, RE2JSException } from 're2js';

/**
 * A supplier's pattern of players: a regular expression that we did not write. A hostile or careless pattern could keep an engine
 * that backtracks busy for hours. So RE2 matches it, in a time proportional to the pattern's size and the player's length. The
 * pattern must begin with `^` and end with `$`. So `/^a$/i` is refused, instead of read as a pattern with slashes and an i.
 */
const ANCHORED = /^\^(?:\\.|[^\\])*\$$/s;

const MAX_LENGTH = 200;
/** The maximum of the estimated size of a pattern with its repetitions written out. RE2 makes at most about twice as many steps for each character. */
const MAX_SIZE = 1_000;
/** The maximum number of compiled patterns in memory, of all suppliers. A catalogue has some dozens. */
const MAX_COMPILED = 100;

/**
 * A pattern in the form in which it is stored: without the slashes that some suppliers write around it.
 * @returns null for a text that is no pattern, lacks `^` or `$`, is too large, or needs what RE2 lacks, such as looking ahead.
 */
export function readPattern(text: string | undefined): string | null {
  const pattern = /^\/(.*)\/$/s.exec(text ?? '')?.[1] ?? text ?? '';
  return compiled(pattern) ? pattern : null;
}

/** Whether a player matches. A pattern that can't be read excludes no player. */
export const fitsPattern = (pattern: string, player: string): boolean => compiled(pattern)?.test(player) ?? true;

const compiledPatterns = new Map<string, RE2JS | null>();

function compiled(pattern: string): RE2JS | null {
  const known = compiledPatterns.get(pattern);
  if (known !== undefined) return known;
  const isReadable = pattern.length <= MAX_LENGTH && ANCHORED.test(pattern) && sizeOf(pattern) <= MAX_SIZE;
  const read = isReadable ? compile(pattern) : null;
  if (compiledPatterns.size >= MAX_COMPILED) compiledPatterns.clear();
  compiledPatterns.set(pattern, read);
  return read;
}

function compile(pattern: string): RE2JS | null {
  try {
    return RE2JS.compile(pattern);
  } catch (error) {
    if (error instanceof RE2JSException) return null;
    throw error;
  }
}

/** An upper bound of the size, as if each repetition of a group repeated the whole pattern. */
function sizeOf(pattern: string): number {
  let [size, times] = [pattern.length, 1];
  for (const [, group, least, most] of pattern.matchAll(/(\))?\{(\d+)(?:,(\d*))?\}/g)) {
    const count = Number(most || least);
    if (group) times *= Math.max(count, 1);
    else size += count;
  }
  return size * times;
}
