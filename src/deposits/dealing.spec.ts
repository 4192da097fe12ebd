import { describe, expect, it } from '@jest/globals';
import { amountsToDeal, chooseAmount, type DealtBefore } from './dealing.js';

describe('amounts to deal', () => {
  it('of 1000.00 are 180, from 1000.01 to 1019.99, of one class, none in whole baht', () => {
    const amounts = amountsToDeal(100_000n, 2, 3);
    expect(amounts).toHaveLength(180);
    expect(amounts.every((each) => each > 100_000n && each <= 101_999n)).toBe(true);
    expect(amounts.every((each) => each % 11n === 3n && each % 100n !== 0n)).toBe(true);
  });

  it('span 4.99 of a small amount, and 49.99 of a large one', () => {
    expect(amountsToDeal(10_000n, 2, 3).at(-1)).toBeLessThanOrEqual(10_499n);
    expect(amountsToDeal(10_000n, 2, 3).at(-1)).toBeGreaterThan(10_485n);
    expect(amountsToDeal(70_000_000n, 2, 3).at(-1)).toBeLessThanOrEqual(70_004_999n);
  });

  it('are never one wrong digit, one swap of neighbours, or some whole baht apart', () => {
    const amounts = amountsToDeal(123_456n, 2, 3);
    const dealt = new Set(amounts.map(String));
    for (const amount of amounts.map(String)) {
      for (let at = 0; at < amount.length; at++) {
        for (const digit of '0123456789') {
          const typed = amount.slice(0, at) + digit + amount.slice(at + 1);
          if (typed !== amount) expect(dealt).not.toContain(typed);
        }
        const [one = '', other = ''] = amount.slice(at, at + 2);
        const swapped = amount.slice(0, at) + other + one + amount.slice(at + 2);
        if (swapped !== amount) expect(dealt).not.toContain(swapped);
      }
      for (const baht of [1n, 2n, 5n, 100n, 500n]) expect(dealt).not.toContain(String(BigInt(amount) + baht * 100n));
    }
  });
});

describe('the choice of an amount', () => {
  const free = (amount_to_pay: bigint, until: string | null, status: DealtBefore['status'] = null): DealtBefore => ({
    amount_to_pay,
    holds_amount: until === null ? null : false,
    hold_until: until === null ? null : new Date(until),
    status,
  });

  it('takes one that was never dealt before one that was', () => {
    expect(chooseAmount([free(1n, '2026-01-01', 'paid'), free(2n, null)])).toBe(2n);
  });

  it('takes none that is held', () => {
    expect(chooseAmount([{ ...free(1n, '2026-01-01'), holds_amount: true }])).toBeNull();
    expect(chooseAmount([])).toBeNull();
  });

  it('prefers, among those free the longest, one whose last deposit was paid', () => {
    const expired = Array.from({ length: 63 }, (_, index) => free(BigInt(index), '2026-01-01', 'expired'));
    expect(chooseAmount([...expired, free(100n, '2026-01-02', 'paid'), free(200n, '2026-01-03', 'paid')])).toBe(100n);
  });
});
