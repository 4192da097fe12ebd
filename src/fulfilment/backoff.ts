import type { UndecidedOutcome } from '../suppliers/supplier-outcome.js';

const MAX_DELAY_MS = 60_000;
/** After which a supplier is asked what became of a send, unless its adapter says otherwise (contract, section 8). */
export const FIRST_INQUIRY_MS = 2_000;

/** A supplier that asks for less than this asks for nothing: our own delays hold, which grow. */
const MIN_RETRY_AFTER_MS = 1_000;

/** Wait before a send that was not accepted is repeated: 1 s, doubling to 60 s (contract, section 8). */
export const resendDelayMs = (sends: number): number => Math.min(1_000 * 2 ** Math.max(sends - 1, 0), MAX_DELAY_MS);

/** Wait before the next inquiry about a unit: after the send as long as given, doubling to 60 s (contract, section 8). */
export const inquiryDelayMs = (inquiries: number, firstMs = FIRST_INQUIRY_MS): number =>
  Math.min(firstMs * 2 ** inquiries, Math.max(firstMs, MAX_DELAY_MS));

interface UndecidedCall {
  unit: { sends: number; inquiries: number; is_repeat: boolean };
  outcome: UndecidedOutcome;
  firstMs: number;
  minGapMs: number;
}

/** Wait before the call that follows one that decided nothing. */
export function nextCallDelayMs({ unit, outcome, firstMs, minGapMs }: UndecidedCall): number {
  // Nothing reached the supplier, so it has not been called about this attempt.
  const isResent = outcome.kind === 'not_accepted' && !unit.is_repeat;
  const usual = isResent ? resendDelayMs(unit.sends) : inquiryDelayMs(unit.inquiries, firstMs);
  const given = ('retryAfterMs' in outcome && outcome.retryAfterMs) || 0;
  const asked = given < MIN_RETRY_AFTER_MS ? 0 : Math.round(given);
  if (isResent) return asked || usual;
  return Math.max(asked, usual, minGapMs);
}
