import { describe, expect, it } from '@jest/globals';
import { retryAfterMs } from './retry-after.js';

const NOW = Date.parse('2026-01-15T08:30:00.500Z');

describe('Retry-After', () => {
  it.each<[string | string[] | undefined, number | null]>([
    ['120', 120_000],
    [' 120 ', 120_000],
    ['0', 0],
    ['3600', 3_600_000],
    ['3601', 3_600_000],
    ['99999999999999999999', 3_600_000],
    [['5', '9'], 5_000],
    ['Thu, 15 Jan 2026 08:31:00 GMT', 59_500],
    ['Thursday, 15-Jan-26 08:31:00 GMT', 59_500],
    ['Thu Jan 15 08:31:00 2026', 59_500],
    ['Thu, 15 Jan 2026 08:29:00 GMT', 0],
    ['Fri, 16 Jan 2026 08:30:00 GMT', 3_600_000],
    [undefined, null],
    ['', null],
    ['-5', null],
    ['1.5', null],
    ['1e3', null],
    ['soon', null],
    ['2026-01-15', null],
    ['Thu, 99 Jan 2026 08:31:00 GMT', null],
  ])('%j means %p ms', (header, ms) => {
    expect(retryAfterMs(header, NOW, 3_600_000)).toBe(ms);
  });
});
