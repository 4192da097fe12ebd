import { describe, expect, it } from '@jest/globals';
import { checkedBaht } from '../../core/money.js';
import { nextReport, offerInSandbox, sandboxPayments } from './sandbox-plan.js';

/** The times at which the channel reports, from the creation on. */
function reports(amount: string, expiresIn: number): number[] {
  const times: number[] = [];
  for (let next = nextReport(checkedBaht(amount), expiresIn, -1); next !== null;) {
    times.push(next);
    next = nextReport(checkedBaht(amount), expiresIn, next);
  }
  return times;
}

describe('the sandbox reports payments', () => {
  it.each<[amount: string, times: number[]]>([
    ['1000.00', [2]],
    ['1001.00', []],
    ['1002.00', [65]],
    ['1003.00', [2]],
    ['1004.00', [2]],
    ['1005.00', [2, 3]],
    ['1006.00', [2, 10]],
    ['1007.00', [2]],
    ['1008.00', [0, 1, 2]],
  ])('of %s at the seconds %j', (amount, times) => {
    expect(reports(amount, 60)).toEqual(times);
  });

  it('of other sums than asked for, and twice', () => {
    const differences = (amount: string): bigint[] =>
      sandboxPayments(checkedBaht(amount), 60).map(({ difference }) => difference);
    expect([differences('1003.00'), differences('1004.00')]).toEqual([[-100n], [100n]]);
    expect([differences('1005.00'), differences('1008.00')]).toEqual([[0n, 0n], [0n]]);
  });
});

describe('an offer in the sandbox', () => {
  it('adds satang, never whole baht, and names an id that no bank knows', () => {
    for (const amount of ['1.00', '999.99', '700000.00']) {
      const { amountToPay, qrPayload } = offerInSandbox(checkedBaht(amount), 900);
      expect(amountToPay > checkedBaht(amount) && amountToPay % 100n !== 0n && amountToPay % 11n === 3n).toBe(true);
      expect(qrPayload).toContain('02130000000000000');
    }
    expect(offerInSandbox(checkedBaht('1007.00'), 900)).toMatchObject({ qrPayload: null, inquiryAfter: null });
  });
});
