import { describe, expect, it } from '@jest/globals';
import { findReplacedWords } from './words.js';

/**
 * Rooms that still use replaced words. Take one out when `npm run -s words -- <room>` finds nothing there.
 */
const NOT_YET = ['src/console', 'console/src'];

const isNotYet = (file: string): boolean => NOT_YET.some((room) => file === room || file.startsWith(`${room}/`));

describe('The words of the glossary', () => {
  const { files, hits } = findReplacedWords();

  it('are compared with every file', () => expect(files).toBeGreaterThan(1_500));

  it('are used in names, comments, strings and documents', () => {
    expect(
      hits.filter(({ file }) => !isNotYet(file)).map(({ file, line, text }) => `${file}:${line}  ${text}`),
    ).toEqual([]);
  });
});
