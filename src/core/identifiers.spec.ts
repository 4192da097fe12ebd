import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { DAY_MS } from './durations.js';
import { newEventId, newOrderNumber } from './identifiers.js';

const KINDS = [
  ['order numbers', newOrderNumber, /^ord_[0-9A-Z]{6}[0-9A-Za-z]{10}$/],
  ['event ids', newEventId, /^evt_[0-9A-Z]{6}[0-9A-Za-z]{16}$/],
] as const;

/** Makes one at each of these moments. */
const madeAt = (make: () => string, moments: number[]): string[] =>
  moments.map((moment) => {
    jest.setSystemTime(moment);
    return make();
  });

/** As an index has them: by bytes, and as a language orders words. */
const ORDERS = [undefined, new Intl.Collator('en').compare];

afterEach(() => void jest.useRealTimers());

describe.each(KINDS)('%s', (_, make, shape) => {
  it('begin with their time: in every collation, later ones come after earlier ones', () => {
    jest.useFakeTimers();
    const from = Date.UTC(2026, 0);
    const moments = Array.from({ length: 2_000 }, (__, n) => from + n * 1_000 + n * n * 100_000);
    const made = madeAt(make, moments);
    for (const compare of ORDERS) expect(made.toSorted(compare)).toEqual(made);
  });

  it('have the same shape at any time, also when the clock is far from right', () => {
    jest.useFakeTimers();
    const moments = [0, Date.UTC(2019), Date.UTC(2020), Date.UTC(2088), Date.UTC(2200)];
    for (const made of madeAt(make, moments)) expect(made).toMatch(shape);
  });

  it('differ within one second, and where the clock is set back', () => {
    jest.useFakeTimers();
    const moments = Array.from({ length: 20_000 }, (__, n) => Date.UTC(2026, 0) - (n % 2) * DAY_MS);
    expect(new Set(madeAt(make, moments)).size).toBe(20_000);
  });
});
