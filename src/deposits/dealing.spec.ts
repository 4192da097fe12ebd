import { describe, expect, it } from '@jest/globals';
import { amountsToDeal, chooseAmount, type FreeAmount } from './dealing.js';

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
  const free = (amount_to_pay: bigint, status: FreeAmount['status']): FreeAmount => ({ amount_to_pay, status });

  it('takes one that was never dealt before one that was', () => {
    expect(chooseAmount([free(1n, 'paid'), free(2n, null)])).toBe(2n);
  });

  it('finds none if all are held', () => {
    expect(chooseAmount([])).toBeNull();
  });

  it('prefers one whose last deposit was paid', () => {
    const expired = Array.from({ length: 63 }, (_, index) => free(BigInt(index), 'expired'));
    expect(chooseAmount([...expired, free(100n, 'paid')])).toBe(100n);
    expect(chooseAmount(expired)).toBeLessThan(63n);
  });
});
