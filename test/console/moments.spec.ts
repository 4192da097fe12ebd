import { describe, expect, it } from '@jest/globals';
import {
  addDays,
  dayOf,
  formatAgo,
  formatDuration,
  formatMoment,
  formatMonth,
  formatUtc,
  isWithin,
  monthsUntil,
  startOfDay,
  zoneName,
} from '../../console/src/i18n/moments.js';

const AT = '2026-11-22T18:30:05.120Z';

describe('Moments in the console', () => {
  it('are shown in the operator’s zone, in Thai with the Gregorian year', () => {
    expect(formatMoment(AT, 'en', 'Asia/Bangkok')).toBe('23 Nov 2026, 01:30:05');
    expect(formatMoment(AT, 'th', 'Asia/Bangkok')).toBe('23 พ.ย. 2026, 01:30:05');
    expect(formatMoment(AT, 'en', 'UTC')).toBe('22 Nov 2026, 18:30:05');
    expect([zoneName('Asia/Bangkok'), zoneName('Asia/Kathmandu')]).toEqual(['GMT+7', 'GMT+5:45']);
  });

  it('have months from the first one on, newest first, in a zone and not too many', () => {
    const at = new Date('2026-01-31T17:30:00Z');
    const from = new Date('2025-11-30T16:59:00Z');
    expect(monthsUntil(at, 'Asia/Bangkok', { from, most: 9 })).toEqual(['2026-02', '2026-01', '2025-12', '2025-11']);
    expect(monthsUntil(at, 'UTC', { from, most: 2 })).toEqual(['2026-01', '2025-12']);
    expect(monthsUntil(at, 'UTC', { from: at, most: 9 })).toEqual(['2026-01']);
    expect([formatMonth('2026-02', 'en'), formatMonth('2026-02', 'th')]).toEqual(['February 2026', 'กุมภาพันธ์ 2026']);
  });

  it('are compared by their days, at any hour', () => {
    for (const now of ['2026-11-22T17:00:00Z', '2026-11-23T16:59:59Z'].map((each) => new Date(each))) {
      const isRecent = (day: string): boolean => isWithin(day, 31, 'Asia/Bangkok', now);
      expect(['2026-10-22', '2026-10-23', '2026-11-23'].map(isRecent)).toEqual([false, true, true]);
    }
  });

  it('show UTC and their age', () => {
    expect(formatUtc(AT)).toBe('2026-11-22 18:30:05 UTC');
    expect(formatAgo(AT, 'en', Date.parse('2026-11-22T18:33:10Z'))).toBe('3 minutes ago');
    expect(formatAgo(AT, 'en', Date.parse('2026-11-24T18:33:10Z'))).toBe('2 days ago');
    expect(formatAgo(AT, 'en', Date.parse(AT) + 120)).toBe('now');
    expect(formatAgo(AT, 'th', Date.parse(AT) + 120)).toBe('ขณะนี้');
  });

  it.each([
    [412, '412 ms'],
    [1_000, '1 s'],
    [278_000, '4 min 38 s'],
    [3_600_000, '1 h'],
    [3_605_000, '1 h'],
    [93_900_000, '1 d 2 h'],
  ])('last %s ms as %s', (ms, text) => {
    // A no-break space keeps number and unit on one line.
    expect(formatDuration(ms, 'en').replaceAll('\u00A0', ' ')).toBe(text);
  });

  it.each([
    ['Asia/Bangkok', '2026-11-22', '2026-11-21T17:00:00.000Z'],
    ['UTC', '2026-11-22', '2026-11-22T00:00:00.000Z'],
    // The days on which clocks go forward and back.
    ['Europe/Berlin', '2026-03-29', '2026-03-28T23:00:00.000Z'],
    ['Europe/Berlin', '2026-10-26', '2026-10-25T23:00:00.000Z'],
    ['America/New_York', '2026-11-02', '2026-11-02T05:00:00.000Z'],
  ])('begin a day in %s at %s with %s', (zone, day, start) => {
    expect(startOfDay(day, zone)).toBe(start);
    expect(dayOf(new Date(start), zone)).toBe(day);
  });

  it('count days', () => {
    expect([addDays('2026-02-28', 1), addDays('2026-01-01', -1)]).toEqual(['2026-03-01', '2025-12-31']);
  });
});
