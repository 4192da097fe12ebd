import { describe, expect, it } from '@jest/globals';
import { nextInquiry } from './inquiry-times.js';

const MADE = new Date('2026-11-24T08:00:00Z');
const after = (seconds: number): Date => new Date(MADE.getTime() + seconds * 1_000);
const DAY = 86_400;
const deposited = (asked: number, changes: { asked_before: Date | null; answered_at: Date | null }) => ({
  created_at: MADE,
  expires_at: after(3_600),
  asked_at: after(asked),
  ...changes,
});
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
    const deposit = deposited(asked, { asked_before: after(asked - 3_600), answered_at: after(asked - 3_600) });
    expect(nextInquiry(deposit, TIMES, true)).toEqual(next === null ? null : after(next));
    expect(nextInquiry(deposit, TIMES, false)).toEqual(after(next ?? asked + 3_600));
  });

  it.each<[string, number | null]>([
    ['of an expired deposit', null],
    ['of a deposit that was paid weeks ago', 61],
  ])('%s without an answer comes some times more within three days', (_, answered) => {
    const begun = 30 * DAY;
    const answered_at = answered === null ? null : after(answered);
    let [asked, asked_before] = [begun, after(answered ?? begun - 3_600)];
    const gaps: number[] = [];
    for (;;) {
      const next = nextInquiry(deposited(asked, { asked_before, answered_at }), TIMES, false);
      if (next === null) break;
      const seconds = (next.getTime() - MADE.getTime()) / 1_000;
      // Each one comes a moment late.
      [asked_before, asked] = [after(asked), seconds + 5];
      gaps.push(Math.floor((asked - (asked_before.getTime() - MADE.getTime()) / 1_000) / 3_600));
    }
    expect(gaps).toEqual(answered === null ? [2, 4, 8, 16, 32] : [1, 2, 4, 8, 16, 32]);
  });

  // Within a day, and between 32 and 32.5 hours, the callback counts as one of our own repetitions.
  it.each([25, 31, 33, 48, 720])('begins again %d hours later after a callback: over a day, not 32', (hours) => {
    const asked = 30 * DAY;
    const later = asked + hours * 3_600;
    for (const answered_at of [null, after(61)]) {
      const called = deposited(later, { asked_before: after(asked), answered_at });
      expect(nextInquiry(called, TIMES, false)).toEqual(after(later + 3_600));
    }
  });
});
