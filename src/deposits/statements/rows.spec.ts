import { describe, expect, it } from '@jest/globals';
import { rowsOf } from './rows.js';

const read = (text: string): string[] =>
  Array.from(rowsOf(Buffer.from(text), ','), ({ cells, row }) => `${row}: ${cells.join('|')}`);

describe('the rows of a large file', () => {
  // Each row has two lines, so that a cut at any line break would divide some.
  const rows = Array.from({ length: 10_000 }, (_, index) => `${index},"first\nsecond ""${index}"", third",`);

  it('are whole, and know their lines', () => {
    const found = read(rows.join('\n'));
    expect(found).toHaveLength(rows.length);
    expect(found[0]).toMatch(/^2: 0\|first\nsecond "0", third\|$/);
    expect(found[9_999]).toMatch(/^20000: 9999\|first\nsecond "9999", third\|$/);
  });

  it('are read up to one that is no CSV, which is named by its line', () => {
    const found: number[] = [];
    expect(() => {
      for (const { row } of rowsOf(Buffer.from([...rows, '1,a "b" c'].join('\n')), ',')) found.push(row);
    }).toThrow(/^line 20001: it is not written as CSV \(INVALID_OPENING_QUOTE\)$/);
    expect(found.at(-1)).toBe(20_000);
  });
});

describe('the rows of a large file with carriage returns alone', () => {
  it('know their lines', () => {
    const rows = Array.from({ length: 10_000 }, (_, index) => `${index},"first\rsecond",third`);
    const found = read([...rows, ...rows].join('\r') + '\n' + rows.join('\r'));
    expect(found).toHaveLength(30_000);
    expect([found[9_999], found[29_999]]).toEqual([
      expect.stringMatching(/^20000: 9999/),
      expect.stringMatching(/^60000: 9999/),
    ]);
  });
});

describe('rows', () => {
  it('may end in line breaks of several kinds', () =>
    expect(read('a,1\r\nb,2\nc,3\n\nd,4')).toEqual(['1: a|1', '2: b|2', '3: c|3', '5: d|4']));
});
