import type { UndecidedOutcome } from '../suppliers/supplier-outcome.js';

const MAX_DELAY_MS = 60_000;
/** The delay from a send to its first inquiry, unless the adapter sets another delay (contract, section 8). */
export const FIRST_INQUIRY_MS = 2_000;

/** The service ignores a shorter delay that a supplier asks for, because its own delays are at least this long. */
const MIN_RETRY_AFTER_MS = 1_000;

/** The delay before the repetition of a send that was not accepted: 1 s, doubling to 60 s (contract, section 8). */
export const resendDelayMs = (sends: number): number => Math.min(1_000 * 2 ** Math.max(sends - 1, 0), MAX_DELAY_MS);

/** The delay before the next inquiry: `firstMs` after the send, doubling to 60 s (contract, section 8). */
export const inquiryDelayMs = (inquiries: number, firstMs = FIRST_INQUIRY_MS): number =>
  Math.min(firstMs * 2 ** inquiries, Math.max(firstMs, MAX_DELAY_MS));

interface UndecidedCall {
  unit: { attempt_sends: number; inquiries: number; is_repeat: boolean };
  outcome: UndecidedOutcome;
  firstMs: number;
  minGapMs: number;
}

/** The delay before the next call about an attempt, after a call that decided nothing. */
export function nextCallDelayMs({ unit, outcome, firstMs, minGapMs }: UndecidedCall): number {
  // The supplier accepted nothing, so the gap between two calls about an attempt does not apply.
  const isResent = outcome.kind === 'not_accepted' && !unit.is_repeat;
  const usual = isResent
    ? resendDelayMs(unit.attempt_sends)
    : inquiryDelayMs(unit.inquiries, Math.max(firstMs, minGapMs));
  const wanted = ('retryAfterMs' in outcome && outcome.retryAfterMs) || 0;
  const retryAfterMs = wanted < MIN_RETRY_AFTER_MS ? 0 : Math.round(wanted);
  if (isResent) return retryAfterMs || usual;
  return Math.max(retryAfterMs, usual);
}
