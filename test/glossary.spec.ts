import { describe, expect, it } from '@jest/globals';
import { findReplacedWords } from './words.js';

describe('The words of the glossary', () => {
  const { files, hits } = findReplacedWords();

  it('are compared with every file', () => expect(files).toBeGreaterThan(1_500));

  it('are used in names, comments, strings and documents', () => {
    expect(hits.map(({ file, line, text }) => `${file}:${line}  ${text}`)).toEqual([]);
  });
});
