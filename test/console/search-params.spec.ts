import { describe, expect, it } from '@jest/globals';
import { day } from '../../console/src/search-params.js';

describe('A day that an operator types, or an address has', () => {
  it.each([
    ['2026-11-22', true],
    ['2024-02-29', true],
    ['2026-02-29', false],
    ['2026-02-30', false],
    ['2026-13-01', false],
    ['22/11/2026', false],
    ['2026-11-2', false],
    ['', false],
  ])('%s is in the calendar: %s', (text, isDay) => {
    expect(day(text)).toBe(isDay ? text : undefined);
  });
});
