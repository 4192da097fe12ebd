import type { CostMoney } from '../core/cost-money.js';
import type { Failure } from '../core/failures.js';

/**
 * What is wrong between us and a supplier.
 * - `credentials`: it does not accept who we say we are, or where we call from.
 * - `deposit`: what we have left there is not enough.
 * - `configuration`: what we call the product there is not set up.
 * - `rate`: we ask for more than it allows.
 * - `ban`: we asked for more than it allows until it shut us out for a while.
 * - `busy`: it is away, or has too much to do.
 */
export type Fault = 'credentials' | 'deposit' | 'configuration' | 'rate' | 'ban' | 'busy';

/** A refusal for good: nothing was bought under this reference, and nothing will be. */
export interface Refusal extends Failure {
  kind: 'failed';
  /** Whether another supplier may well sell what this one would not. */
  failover?: boolean;
  /** The same supplier may sell it after so long, under another reference. */
  retryAfterMs?: number;
  /** It is about the price: that is to be read again before it is tried for another unit. */
  isPriceRefused?: boolean;
  /** The refusal may not be its last word: it counts once it was said twice. */
  confirm?: boolean;
}

/**
 * What a supplier hands over for a unit: the code of a card, or a top-up's serial number. Worth as much as the purchase,
 * and kept as secret. One that does not tell which of the two it is, as the product says, is a code.
 */
export interface Delivery {
  serial: string | null;
  code: string | null;
  /** As `yyyy-mm-dd`; null where it does not expire, or the supplier does not tell. */
  expiresOn: string | null;
}

/**
 * What a call to a supplier tells about a unit (supplier protocol), on all its way from the adapter to the settlement.
 * - `processing`: accepted, ask again.
 * - `not_accepted`: certainly not bought by this send; it may be sent again. `busy` unless `fault` says otherwise.
 * - `never_seen`: the supplier says that the reference is new to it.
 * - `unknown`: anything else; it may have been bought. `fault` says what is wrong all the same, where that is known.
 *   `waitsForCallback`: asking again would tell no more, only a callback can. `isMisnamed`: what was asked about by the
 *   supplier's name for it is not ours, or does not exist; a name that only a callback told is forgotten.
 *
 * `cost` is what the supplier takes for the unit.
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
  fault?: Fault;
  retryAfterMs?: number;
  waitsForCallback?: true;
  isMisnamed?: true;
  /** What it sold, or is selling, under our reference besides the purchase that we know there: nobody asked for that. */
  besides?: { supplierReference: string; cost?: CostMoney };
}

/** What settles a unit for good: the supplier's word, or the operator's. */
export type DefiniteOutcome = Extract<SupplierOutcome, { kind: 'succeeded' | 'failed' }>;

export type UndecidedOutcome = Exclude<SupplierOutcome, DefiniteOutcome>;

export const isDefinite = (outcome: SupplierOutcome): outcome is DefiniteOutcome =>
  outcome.kind === 'succeeded' || outcome.kind === 'failed';

export type AboutAnother = UnknownOutcome & Required<Pick<UnknownOutcome, 'besides'>>;

/** Whether it tells of a purchase under our reference besides the one that we know. */
export const isAboutAnother = (outcome: SupplierOutcome): outcome is AboutAnother =>
  outcome.kind === 'unknown' && outcome.besides !== undefined;

/** What timelines, logs and reports say of an outcome besides its kind. */
export function outcomeDetail(outcome: SupplierOutcome | { kind: string; detail: string }): string | null {
  if ('code' in outcome) return `${outcome.code}: ${outcome.message}`;
  return ('detail' in outcome && outcome.detail) || null;
}

/** What an outcome says of the cost, as columns; null where it says nothing. */
export function costColumns(outcome: SupplierOutcome): {
  cost_micros: bigint | null;
  cost_currency: string | null;
} {
  const cost = 'cost' in outcome ? outcome.cost : undefined;
  return { cost_micros: cost?.micros ?? null, cost_currency: cost?.currency ?? null };
}
