import { describe, expect, it } from '@jest/globals';
import { drawTable, widthOf } from './table.js';

describe('a table', () => {
  it('lines its columns up, whatever the script', () => {
    const lines = [
      ['sku', 'name'],
      ['A', 'เพชร 86 เม็ด'],
      ['LONG-1', '钻石'],
    ];
    expect(drawTable(lines, { head: true }).split('\n')).toEqual([
      '┌────────┬─────────────┐',
      '│ sku    │ name        │',
      '├────────┼─────────────┤',
      '│ A      │ เพชร 86 เม็ด │',
      '│ LONG-1 │ 钻石        │',
      '└────────┴─────────────┘',
    ]);
  });

  it.each([
    ['', 0],
    ['abc', 3],
    ['ไดมอนด์', 6],
    ['ダイヤ', 6],
    ['น้ำเงิน', 5],
    ['한글', 4],
    ['𠮷', 2],
    ['💎', 2],
    ['❤️', 2],
    ['🇹🇭', 2],
    ['👨‍👩‍👧', 2],
    ['a\u200bb', 2],
  ])('takes %j for %i columns wide', (text, width) => expect(widthOf(text)).toBe(width));

  it('draws many lines', () => {
    const lines = Array.from({ length: 20_000 }, (_, row) =>
      Array.from({ length: 9 }, (_, column) => `${row}.${column}`),
    );
    expect(drawTable(lines, { head: false }).split('\n')).toHaveLength(20_002);
  });
});
