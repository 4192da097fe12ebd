import { formatMicros } from '../core/cost-money.js';
import type { FailureCode } from '../core/failures.js';
import type { AttemptOfUnit } from './order-support.repository.js';

/**
 * - `sending`: nothing is known to be bought under its reference, and it is or will be sent.
 * - `processing`: accepted by the supplier, which has not delivered yet.
 * - `unknown`, `review`: it may have been bought; the supplier is asked, or the operator decides.
 * - `withdrawn`: certainly not bought, and never will be.
 */
export type AttemptState = 'sending' | 'processing' | 'unknown' | 'review' | 'succeeded' | 'failed' | 'withdrawn';

/** An attempt as operators see it (contract, section 7). */
export interface AttemptView {
  number: number;
  supplier: string;
  supplier_sku: string;
  reference: string;
  supplier_reference: string | null;
  state: AttemptState;
  /** What the supplier said that it took, in its currency; null where it does not say. */
  cost: string | null;
  currency: string | null;
  failure_code: string | null;
}

export const toAttemptView = (attempt: AttemptOfUnit): AttemptView => ({
  number: attempt.number,
  supplier: attempt.supplier,
  supplier_sku: attempt.supplier_sku,
  reference: attempt.reference,
  supplier_reference: attempt.supplier_reference,
  state: stateOf(attempt),
  cost: attempt.cost_micros === null ? null : formatMicros(attempt.cost_micros),
  currency: attempt.cost_micros === null ? null : attempt.cost_currency,
  failure_code: attempt.failure_code,
});

/** The latest attempt of a unit stands as the unit does. */
function stateOf({ state, last_outcome, failure_code }: AttemptOfUnit): AttemptState {
  if (state === 'queued') return 'sending';
  if (state === 'unknown' && last_outcome === 'processing') return 'processing';
  if (state === 'failed' && wasNeverAccepted(failure_code, last_outcome)) return 'withdrawn';
  return state;
}

/** Nobody refused it: it was given up. */
const wasNeverAccepted = (code: FailureCode | null, lastOutcome: string | null): boolean =>
  code === 'CANCELLED_BY_OPERATOR' ||
  (code === 'SUPPLIER_UNAVAILABLE' && (lastOutcome === null || lastOutcome === 'not_accepted'));
