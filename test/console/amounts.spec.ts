import { describe, expect, it } from '@jest/globals';
import { plainAmount, readAmount } from '../../console/src/kit/read-amount.js';

describe('An amount that an operator types', () => {
  it.each([
    ['1240.5', 124_050n],
    ['1,240.50', 124_050n],
    [' 1,240,000 ', 124_000_000n],
    ['0.05', 5n],
    ['1234567890123', 123_456_789_012_300n],
    ['9,999,999,999,999.99', 999_999_999_999_999n],
  ])('%s is read', (text, satang) => {
    expect(readAmount(text)).toBe(satang);
  });

  it.each(['1500,00', '1,5', '1,50,000', '12,34.5', ',500', '1.234', '1.240,50', '12345678901234', '-5', ''])(
    '%s is not',
    (text) => {
      expect(readAmount(text)).toBeNull();
    },
  );

  it('may have more digits after the point where it is a supplier’s', () => {
    expect(['1,500.125', '1500,00'].map(plainAmount)).toEqual(['1500.125', null]);
  });
});
