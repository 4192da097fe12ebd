import { describe, expect, it } from '@jest/globals';
import { readCsvCell, toCsv } from './csv.js';

/** The line of a row with one text. */
const written = (text: string): string => toCsv([[text]]);

describe('CSV', () => {
  it('has a line for each row, without an end of line after the last', () => {
    expect(
      toCsv([
        ['name', 'amount', 'count'],
        ['Shop', '35.00', 3],
        ['', null, 12345678901234567890n],
      ]),
    ).toBe('name,amount,count\nShop,35.00,3\n,,12345678901234567890');
    expect(toCsv([])).toBe('');
  });

  it.each([
    ['a comma', 'a,b', '"a,b"'],
    ['a quote', 'the "shop"', '"the ""shop"""'],
    ['an end of line', 'a\nb', '"a\nb"'],
    ['a carriage return', 'a\rb', '"a\rb"'],
    ['a semicolon, which separates cells where a comma is the decimal sign', 'a;b', '"a;b"'],
    ['a tab', 'a\tb', '"a\tb"'],
  ])('quotes a text with %s', (_what, text, cell) => {
    expect(written(text)).toBe(cell);
  });

  it.each([
    ['=1+1', "'=1+1"],
    ['+66 81 234', "'+66 81 234"],
    ['-2+3', "'-2+3"],
    ['@SUM(A1)', "'@SUM(A1)"],
    ['\t=1', '"\'\t=1"'],
    ['\r=1', '"\'\r=1"'],
    ['\n=1', '"\'\n=1"'],
    ['＝1+1', "'＝1+1"],
    ['=HYPERLINK("http://x","y")', `"'=HYPERLINK(""http://x"",""y"")"`],
    ["'=1", "''=1"],
    ['-35.00.1', "'-35.00.1"],
    ['-1e5', "'-1e5"],
    ['-', "'-"],
    ['-35\n', `"'-35\n"`],
  ])('writes %j so that it is no formula', (text, cell) => {
    expect(written(text)).toBe(cell);
  });

  it('leaves numbers and amounts as they are', () => {
    expect(toCsv([['-35.00', '35.00', '0.00', '-7', -7, -7n]])).toBe('-35.00,35.00,0.00,-7,-7,-7');
  });

  it.each(['Shop', "Malee's shop", 'a=b', 'shop-10001', '10-12', "'quoted'", 'ร้านเกม'])(
    'leaves %j as it is',
    (text) => {
      expect(written(text)).toBe(text);
    },
  );

  it.each(['=1+1', "'=1+1", "''@a", '-35.00', "'-35.00", '-x', "'plain", "'", '', '\tx'])(
    'reads %j again as it was',
    (text) => {
      const cell = written(text).replace(/^"([^]*)"$/, '$1');
      expect(readCsvCell(cell)).toBe(text);
    },
  );
});
