import { describe, expect, it } from '@jest/globals';
import { formatBaht } from '../../core/money.js';
import { readAmount } from './cells.js';

describe('an amount of a statement', () => {
  it('is read to the satang', () => {
    const all = Array.from({ length: 10_000 }, (_, satang) => BigInt(satang));
    expect(all.map((satang) => readAmount(formatBaht(satang)))).toEqual(all);
    expect(readAmount('-1,234,567.89')).toBe(-123_456_789n);
  });
});
