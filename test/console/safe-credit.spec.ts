import { describe, expect, it } from '@jest/globals';
import { isCreditable, isSafe } from '../../console/src/pages/deposits/safe-credit.js';

const PAYMENT = { currency: 'THB', reason: 'UNMATCHED', taken_back_amount: null, contradicted: false };
const DEPOSIT = { deposit_number: 'dep_Np3O7rcsqNmBTwD7', status: 'pending' };

describe('One click credits the suggested deposit', () => {
  it.each([
    ['LARGE', true],
    ['UNMATCHED', true],
    ['WALLET_FULL', true],
    ['AMBIGUOUS', false],
    ['CONTRADICTION', false],
    ['DOUBLE', false],
    ['NOT_IN_STATEMENT', false],
    ['TAKEN_BACK', false],
    ['TOO_EARLY', false],
    ['UNCONFIRMED', false],
    ['WRONG_CURRENCY', false],
    ['A_LATER_REASON', false],
    [null, false],
  ])('of a payment with the reason %s: %s', (reason, safe) => {
    expect(isSafe({ ...PAYMENT, reason }, DEPOSIT)).toBe(safe);
  });

  it('also when the deposit has expired', () => {
    expect(isSafe(PAYMENT, { ...DEPOSIT, status: 'expired' })).toBe(true);
  });

  it('but not when the deposit is paid, or when the payment only names a merchant', () => {
    expect(isSafe(PAYMENT, { ...DEPOSIT, status: 'paid' })).toBe(false);
    expect(isSafe(PAYMENT, { deposit_number: null, status: null })).toBe(false);
  });

  it('and not of a payment that was taken back in part, or is contradicted, whatever its reason', () => {
    expect(isSafe({ ...PAYMENT, taken_back_amount: '100.00' }, DEPOSIT)).toBe(false);
    expect(isSafe({ ...PAYMENT, contradicted: true }, DEPOSIT)).toBe(false);
  });

  it('and never of a payment that is not in THB, which no wallet can hold', () => {
    expect(isSafe({ ...PAYMENT, currency: 'USD' }, DEPOSIT)).toBe(false);
    expect(['THB', 'USD'].map((currency) => isCreditable({ currency }))).toEqual([true, false]);
  });
});
