import type { CostMoney } from '../core/cost-money.js';
import type { Failure } from '../core/failures.js';

/**
 * A fault between us and a supplier.
 * - `credentials`: it does not accept our credentials or our address.
 * - `deposit`: our balance there is too low.
 * - `configuration`: the product is not set up under this SKU.
 * - `rate`: we call more often than it allows.
 * - `ban`: it has banned us for a while because we called too often.
 * - `busy`: it is away or overloaded.
 */
export type Fault = 'credentials' | 'deposit' | 'configuration' | 'rate' | 'ban' | 'busy';

/** A refusal for good: nothing was bought under this reference, and nothing will be. */
export interface Refusal extends Failure {
  kind: 'failed';
  /** Whether another supplier may sell the unit. */
  failover?: boolean;
  /** The time after which the same supplier may sell it, under another reference. */
  retryAfterMs?: number;
  /** Whether it is about the price. Workers must then read the price again before they buy another unit. */
  isPriceRefused?: boolean;
  /** Whether the refusal is not final yet: it counts once the supplier has repeated it. */
  confirm?: boolean;
}

/**
 * The code of a card, or a top-up's serial number, that a supplier hands over for a unit. It is worth as much as the purchase, so
 * it stays secret. If a supplier does not say whether a text is a code or a serial number, the text counts as the code.
 */
export interface Delivery {
  serial: string | null;
  code: string | null;
  /** As `yyyy-mm-dd`; null where it does not expire, or the supplier does not say. */
  expiresOn: string | null;
}

/**
 * The meaning of a call or a callback for an attempt (supplier protocol). All steps from the adapter to the settlement use it.
 * - `processing`: accepted; an inquiry follows.
 * - `not_accepted`: this send certainly bought nothing; workers may repeat it. The fault is `busy` unless `fault` names another.
 * - `never_seen`: the supplier does not know the reference.
 * - `unknown`: anything else; the unit may have been bought.
 *
 * `cost` is what the supplier charges for the unit.
 */
export type SupplierOutcome =
  | { kind: 'succeeded'; supplierReference: string | null; cost?: CostMoney; deliveries?: Delivery[] }
  | Refusal
  | { kind: 'processing'; detail?: string; supplierReference?: string; cost?: CostMoney }
  | { kind: 'not_accepted'; detail: string; fault?: Fault; retryAfterMs?: number }
  | { kind: 'never_seen' }
  | UnknownOutcome;

export interface UnknownOutcome {
  kind: 'unknown';
  detail: string;
  supplierReference?: string;
  /** The fault that the answer shows, although it decides nothing about the unit. */
  fault?: Fault;
  retryAfterMs?: number;
  /** Whether only a callback can say more: another inquiry would not. */
  waitsForCallback?: true;
  /** Whether the supplier reference names no purchase of ours. The service then drops it if only a callback reported it. */
  isMisnamed?: true;
  /** A second purchase, which nobody ordered, that the supplier made or is making under our reference. */
  besides?: { supplierReference: string; cost?: CostMoney };
}

/** An outcome that settles a unit for good. */
export type DefiniteOutcome = Extract<SupplierOutcome, { kind: 'succeeded' | 'failed' }>;

export type UndecidedOutcome = Exclude<SupplierOutcome, DefiniteOutcome>;

export const isDefinite = (outcome: SupplierOutcome): outcome is DefiniteOutcome =>
  outcome.kind === 'succeeded' || outcome.kind === 'failed';

export type AboutAnother = UnknownOutcome & Required<Pick<UnknownOutcome, 'besides'>>;

/** Whether it reports a second purchase under our reference. */
export const isAboutAnother = (outcome: SupplierOutcome): outcome is AboutAnother =>
  outcome.kind === 'unknown' && outcome.besides !== undefined;

/** The details of an outcome, besides its kind, for the order history, logs and reports. */
export function outcomeDetail(outcome: SupplierOutcome | { kind: string; detail: string }): string | null {
  if ('code' in outcome) return `${outcome.code}: ${outcome.message}`;
  return ('detail' in outcome && outcome.detail) || null;
}

/** The cost in an outcome, as columns; null where it has none. */
export function costColumns(outcome: SupplierOutcome): {
  cost_micros: bigint | null;
  cost_currency: string | null;
} {
  const cost = 'cost' in outcome ? outcome.cost : undefined;
  return { cost_micros: cost?.micros ?? null, cost_currency: cost?.currency ?? null };
}
