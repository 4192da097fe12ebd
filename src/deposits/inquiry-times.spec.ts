import { describe, expect, it } from '@jest/globals';
import { nextInquiry } from './inquiry-times.js';

const MADE = new Date('2026-11-24T08:00:00Z');
const after = (seconds: number): Date => new Date(MADE.getTime() + seconds * 1_000);
const TIMES = { firstMs: 60_000, maxGapMs: 600_000 };

describe('the next inquiry', () => {
  it.each([
    [61, 122],
    [130, 260],
    [700, 1_300],
    [3_500, 3_600],
    [3_600, 7_200],
    [3_600 + 82_000, 3_600 + 85_600],
    [3_600 + 83_000, null],
  ])('after %d seconds of an offer of an hour is at %p', (asked, next) => {
    const deposit = { created_at: MADE, expires_at: after(3_600), asked_at: after(asked) };
    expect(nextInquiry(deposit, TIMES, true)).toEqual(next === null ? null : after(next));
    expect(nextInquiry(deposit, TIMES, false)).toEqual(after(next ?? asked + 3_600));
  });
});
