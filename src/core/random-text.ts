import { randomBytes } from 'node:crypto';

const POOL_BYTES = 4096;

/**
 * Makes a generator of random text over an alphabet of at most 64 characters, every character equally likely.
 * It draws from a pool of random bytes, because one system call for each identifier would be a hot path's cost.
 */
export function customAlphabet(alphabet: string): (length: number) => string {
  let pool = randomBytes(POOL_BYTES);
  let used = 0;
  return (length) => {
    let text = '';
    while (text.length < length) {
      if (used === pool.length) {
        pool = randomBytes(POOL_BYTES);
        used = 0;
      }
      // Six bits name one of 64 places; a place past the alphabet's end is drawn again, so nothing is biased.
      text += alphabet[(pool[used++] ?? 0) & 63] ?? '';
    }
    return text;
  };
}
