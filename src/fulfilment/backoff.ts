import type { UndecidedOutcome } from '../suppliers/supplier-outcome.js';

const MAX_DELAY_MS = 60_000;

/** A supplier that asks for less than this asks for nothing: our own delays hold, which grow. */
const LEAST_RETRY_AFTER_MS = 1_000;

/** Wait before a send that was not accepted is repeated: 1 s, doubling to 60 s (contract, section 8). */
export const resendDelayMs = (sends: number): number =>
  Math.min(1_000 * 2 ** Math.max(sends - 1, 0), MAX_DELAY_MS);

/** Wait before the next inquiry about a unit: 2 s after the send, doubling to 60 s (contract, section 8). */
export const inquiryDelayMs = (inquiries: number): number => Math.min(2_000 * 2 ** inquiries, MAX_DELAY_MS);

/** Wait before the call that follows one that decided nothing. */
export function nextCallDelayMs({
  unit,
  outcome,
}: {
  unit: { sends: number; inquiries: number };
  outcome: UndecidedOutcome;
}): number {
  const usual = outcome.kind === 'not_accepted' ? resendDelayMs(unit.sends) : inquiryDelayMs(unit.inquiries);
  const asked = ('retryAfterMs' in outcome && outcome.retryAfterMs) || 0;
  if (asked < LEAST_RETRY_AFTER_MS) return usual;
  return Math.round(outcome.kind === 'not_accepted' ? asked : Math.max(asked, usual));
}
