import { formatMicros } from '../core/cost-money.js';
import { pick } from '../core/members.js';
import type { AttemptOfUnit } from './order-support.repository.js';

/**
 * - `sending`: a worker sends the attempt now, or will send it.
 * - `processing`: the supplier has accepted the attempt and has not delivered yet.
 * - `unknown`: the attempt may have bought something, and workers query the supplier.
 * - `review`: the attempt may have bought something, and an operator decides.
 * - `withdrawn`: the attempt certainly bought nothing, and never will.
 */
export const ATTEMPT_STATES = [
  'sending',
  'processing',
  'unknown',
  'review',
  'succeeded',
  'failed',
  'withdrawn',
] as const;
type AttemptState = (typeof ATTEMPT_STATES)[number];

const COPIED = ['number', 'supplier', 'supplier_sku', 'reference', 'supplier_reference'] as const;

/** An attempt as operators see it (contract, section 7). */
export interface AttemptView extends Pick<AttemptOfUnit, (typeof COPIED)[number]> {
  state: AttemptState;
  /** The cost that the supplier reported, in `currency`; null if the supplier reported none. */
  cost: string | null;
  currency: string | null;
  failure_code: string | null;
}

export const toAttemptView = (attempt: AttemptOfUnit): AttemptView => ({
  ...pick(attempt, ...COPIED),
  state: stateOf(attempt),
  cost: attempt.cost_micros === null ? null : formatMicros(attempt.cost_micros),
  currency: attempt.cost_micros === null ? null : attempt.cost_currency,
  failure_code: attempt.failure_code,
});

function stateOf({ state, last_outcome, failure_code }: AttemptOfUnit): AttemptState {
  if (state === 'queued') return 'sending';
  if (state === 'unknown' && last_outcome === 'processing') return 'processing';
  const wasAccepted = last_outcome !== null && last_outcome !== 'not_accepted';
  const isWithdrawn =
    failure_code === 'CANCELLED_BY_OPERATOR' || (failure_code === 'SUPPLIER_UNAVAILABLE' && !wasAccepted);
  return state === 'failed' && isWithdrawn ? 'withdrawn' : state;
}
