import type { Satang } from '../../core/money.js';
import type { PaymentState } from '../incoming-payment.entity.js';

/**
 * Counts and sums of lines, by the states of their payments. `linked`: the lines only confirm payments of slips. `out`:
 * the money left the account.
 */
export type Tally = Record<PaymentState | 'linked' | 'out', { lines: number; amount: Satang }>;

/** What an import did. */
export interface ImportResult {
  channel: string;
  /** All lines of the file. */
  lines: number;
  /** The new lines. */
  added: Tally;
  opening: Satang | null;
  closing: Satang | null;
  coveredUntil: Date | null;
  /**
   * The days without a line between the lines imported before and the file, if their lines may be missing. That is a guess from the last
   * imported day. Once a file with balances is imported, lines of these days are refused.
   */
  daysWithoutLines: string[];
}

export const nothing = (): Tally => {
  const none = (): Tally['out'] => ({ lines: 0, amount: 0n });
  return { booked: none(), waiting: none(), returned: none(), ignored: none(), linked: none(), out: none() };
};

/** @param states of the payments, by the identities of their lines. */
export function add(
  tally: Tally,
  lines: readonly { amount: Satang; identity: string }[],
  states: ReadonlyMap<string, PaymentState | 'linked'>,
): void {
  for (const { amount, identity } of lines) {
    const sum = tally[states.get(identity) ?? 'out'];
    sum.lines++;
    sum.amount += amount;
  }
}
