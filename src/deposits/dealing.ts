import { randomInt } from 'node:crypto';
import type { Satang } from '../core/money.js';
import type { DepositStatus } from './deposit.entity.js';

const MIN_SPAN = 499n;
const MAX_SPAN = 4_999n;
const CLASSES = 11n;
/** If all free amounts were dealt before, the choice is among this many of them, which have been free the longest. */
export const MAX_DRAWN = 64;

/**
 * The amounts that may be dealt to a deposit. They reach up to `spread` percent above its own amount, but at least 4.99 and at
 * most 49.99 baht. Divided by 11, they all have the same remainder, so a wrong digit, two swapped neighbours, or 1.00 too much
 * never turn one into another. None is in whole baht, because people type such amounts.
 */
export function amountsToDeal(amount: Satang, spread: number, amountClass: number): Satang[] {
  const wanted = (amount * BigInt(spread)) / 100n;
  const span = wanted < MIN_SPAN ? MIN_SPAN : wanted > MAX_SPAN ? MAX_SPAN : wanted;
  const least = amount + 1n;
  // The remainder of a negative bigint is negative.
  const first = least + ((((BigInt(amountClass) - least) % CLASSES) + CLASSES) % CLASSES);
  const amounts: Satang[] = [];
  for (let each = first; each <= amount + span; each += CLASSES) if (each % 100n !== 0n) amounts.push(each);
  return amounts;
}

/** A free amount with the status of the last deposit to which it was dealt; null if it was never dealt. */
export interface FreeAmount {
  amount_to_pay: Satang;
  status: DepositStatus | null;
}

/**
 * Chooses at random: an amount that was never dealt, or else one of the amounts that have been free the longest. It prefers an amount
 * whose last deposit was paid, because no late payer of that deposit is expected.
 * @param free never dealt ones, or else the {@link MAX_DRAWN} that have been free the longest.
 * @returns null if all are held.
 */
export function chooseAmount(free: readonly FreeAmount[]): Satang | null {
  const never = free.filter(({ status }) => status === null);
  if (never.length > 0) return anyOf(never);
  const paid = free.filter(({ status }) => status === 'paid');
  return anyOf(paid.length > 0 ? paid : free);
}

const anyOf = (some: readonly FreeAmount[]): Satang | null =>
  some[some.length > 1 ? randomInt(some.length) : 0]?.amount_to_pay ?? null;
