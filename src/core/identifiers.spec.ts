import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { DAY_MS } from './durations.js';
import { newEventId, newOrderNumber } from './identifiers.js';

const KINDS = [
  ['order numbers', newOrderNumber, /^ord_[0-9A-Z]{6}[0-9A-Za-z]{10}$/],
  ['event ids', newEventId, /^evt_[0-9A-Z]{6}[0-9A-Za-z]{16}$/],
] as const;

/** Makes an identifier at each of these moments. */
const madeAt = (make: () => string, moments: number[]): string[] =>
  moments.map((moment) => {
    jest.setSystemTime(moment);
    return make();
  });

/** The orders of an index: by bytes, and by the collation of a language. */
const ORDERS = [undefined, new Intl.Collator('en').compare];

afterEach(() => void jest.useRealTimers());

describe.each(KINDS)('%s', (_, make, shape) => {
  it('begin with their time, so that later ones sort after earlier ones in every collation', () => {
    jest.useFakeTimers();
    const from = Date.UTC(2026, 0);
    const moments = Array.from({ length: 2_000 }, (__, n) => from + n * 1_000 + n * n * 100_000);
    const made = madeAt(make, moments);
    for (const compare of ORDERS) expect(made.toSorted(compare)).toEqual(made);
  });

  it('have the same form at any time, even with a very wrong clock', () => {
    jest.useFakeTimers();
    const moments = [0, Date.UTC(2019), Date.UTC(2020), Date.UTC(2088), Date.UTC(2200)];
    for (const made of madeAt(make, moments)) expect(made).toMatch(shape);
  });

  it('differ within one second, and after the clock was set back', () => {
    jest.useFakeTimers();
    const moments = Array.from({ length: 20_000 }, (__, n) => Date.UTC(2026, 0) - (n % 2) * DAY_MS);
    expect(new Set(madeAt(make, moments)).size).toBe(20_000);
  });
});
