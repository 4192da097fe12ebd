import type { UnitFailureCode } from '../core/failures.js';

/**
 * What a call to a supplier tells about a unit (supplier protocol), on all its way from the adapter to the settlement.
 * - `processing`: accepted, ask again.
 * - `not_accepted`: certainly not bought by this send; it may be sent again.
 * - `never_seen`: the supplier says that the reference is new to it.
 * - `unknown`: anything else; it may have been bought.
 */
export type SupplierOutcome =
  | { kind: 'succeeded'; supplierReference: string | null }
  | { kind: 'failed'; code: UnitFailureCode; message: string }
  | { kind: 'processing'; supplierReference?: string }
  | { kind: 'not_accepted'; detail: string; retryAfterMs?: number; credentialsRefused?: boolean }
  | { kind: 'never_seen' }
  | { kind: 'unknown'; detail: string; retryAfterMs?: number };

/** What settles a unit for good: the supplier's word, or the operator's. */
export type DefiniteOutcome = Extract<SupplierOutcome, { kind: 'succeeded' | 'failed' }>;

export type UndecidedOutcome = Exclude<SupplierOutcome, DefiniteOutcome>;

export const isDefinite = (outcome: SupplierOutcome): outcome is DefiniteOutcome =>
  outcome.kind === 'succeeded' || outcome.kind === 'failed';

/** What timelines, logs and reports say of an outcome besides its kind. */
export function outcomeDetail(outcome: SupplierOutcome | { kind: string; detail: string }): string | null {
  if ('code' in outcome) return `${outcome.code}: ${outcome.message}`;
  return 'detail' in outcome ? outcome.detail : null;
}
