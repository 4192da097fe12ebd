import { RE2JS, RE2JSException } from 're2js';

/**
 * What a supplier says that a player looks like: a regular expression of somebody else's. It is never given to an engine
 * that backtracks, which a hostile or careless one could keep busy for hours, but to RE2, whose time is the pattern's size
 * times the player's length. `^` and `$` must be around it: then nothing else, such as flags, is taken for a part of it.
 */
const ANCHORED = /^\^(?:\\.|[^\\])*\$$/s;

const MAX_LENGTH = 200;
/** Of what a pattern becomes where its counts are written out: so many steps are made for each character at most. */
const MAX_SIZE = 1_000;
/** How many patterns are kept in memory; a catalogue has some dozens. */
const MAX_KEPT = 100;

/**
 * A pattern in the form in which it is kept: without the slashes that some write around it.
 * @returns null for what is no pattern, is too large, or uses what RE2 has not, such as looking ahead.
 */
export function readPattern(text: string | undefined): string | null {
  const pattern = /^\/(.*)\/$/s.exec(text ?? '')?.[1] ?? text ?? '';
  return compiled(pattern) ? pattern : null;
}

/** Whether a player may look like this. A pattern that can't be read excludes nobody. */
export const fitsPattern = (pattern: string, player: string): boolean => compiled(pattern)?.test(player) ?? true;

const kept = new Map<string, RE2JS | null>();

function compiled(pattern: string): RE2JS | null {
  const known = kept.get(pattern);
  if (known !== undefined) return known;
  const isReadable = ANCHORED.test(pattern) && pattern.length <= MAX_LENGTH && sizeOf(pattern) <= MAX_SIZE;
  const read = isReadable ? compile(pattern) : null;
  if (kept.size >= MAX_KEPT) kept.clear();
  kept.set(pattern, read);
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

/** At most: as if every count of a group were around all of the pattern. Compiling would take long to tell it. */
function sizeOf(pattern: string): number {
  let [size, times] = [pattern.length, 1];
  for (const [, group, least, most] of pattern.matchAll(/(\))?\{(\d+)(?:,(\d*))?\}/g)) {
    const count = Number(most || least);
    if (group) times *= Math.max(count, 1);
    else size += count;
  }
  return size * times;
}
