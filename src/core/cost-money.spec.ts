import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { formatMicros, parseMicros, parseSignedMicros } from './cost-money.js';

describe('money of suppliers', () => {
  it('writes every amount so that reading it returns the same amount', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 10n ** 18n }), fc.nat(6), (micros, atLeast) => {
        expect(parseMicros(formatMicros(micros, atLeast))).toBe(micros);
      }),
    );
  });

  it.each([
    [0n, 0, '0'],
    [10_000_000_000n, 0, '10000'],
    [23_500_000n, 0, '23.5'],
    [23_500_000n, 2, '23.50'],
    [1n, 2, '0.000001'],
    [-5_000_000n, 2, '-5.00'],
    [-500_000n, 0, '-0.5'],
  ])('writes %s millionths, with at least %s fraction digits, as %s', (micros, atLeast, text) => {
    expect(formatMicros(micros, atLeast)).toBe(text);
  });

  it.each(['', '-1', '+1', '1.', '.5', '1.2345678', '1e3', '1,000', ' 1', '1000000000000.000001'])(
    'does not read %j',
    (text) => {
      expect(parseMicros(text)).toBeNull();
    },
  );

  it('reads negative amounts only if they are allowed', () => {
    expect(parseSignedMicros('-250.25')).toBe(-250_250_000n);
    expect(parseSignedMicros('250.25')).toBe(250_250_000n);
    for (const text of ['--1', '-', '- 1', '+1']) expect(parseSignedMicros(text)).toBeNull();
  });
});
