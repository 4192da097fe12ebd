import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { addPercent, formatBaht, MAX_SATANG, parseBaht, parsePercentage } from './money.js';

describe('money', () => {
  it('writes every amount so that reading it returns the same satang', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: MAX_SATANG }), (satang) => {
        expect(parseBaht(formatBaht(satang))).toBe(satang);
      }),
    );
  });

  it.each([
    [0n, '0.00'],
    [5n, '0.05'],
    [3500n, '35.00'],
    [-3500n, '-35.00'],
    [-5n, '-0.05'],
    [123456789n, '1234567.89'],
  ])('writes %s satang as %s', (satang, text) => {
    expect(formatBaht(satang)).toBe(text);
  });

  it.each([
    ['35', 3500n],
    ['35.5', 3550n],
    ['0.01', 1n],
    ['007.10', 710n],
  ])('reads %s', (text, satang) => {
    expect(parseBaht(text)).toBe(satang);
  });

  it.each(['', '-1.00', '+1', '1.', '.5', '1.005', '1e3', '1,000.00', ' 1', '1 ', '٣', 'NaN', '99999999999999.00'])(
    'refuses %j',
    (text) => {
      expect(parseBaht(text)).toBeNull();
    },
  );
});

describe('a percentage of a price', () => {
  it.each([
    ['-3.5', 3500n, 3378n],
    ['50', 1n, 2n],
    ['-50', 1n, 1n],
    ['-50.0001', 1n, 0n],
    ['+0.0001', 1_000_000n, 1_000_001n],
    ['0', 3500n, 3500n],
    ['-99.9999', MAX_SATANG, 100_000_000n],
  ])('of %s makes %s satang %s', (text, price, expected) => {
    const percent = parsePercentage(text);
    expect(percent && addPercent(price, percent)).toBe(expected);
  });

  it.each(['-100', '-100.5', 'ten', '', '5%', '1.00001', '1e2', '--5'])('is not %j', (text) => {
    expect(parsePercentage(text)).toBeNull();
  });
});
