import type { CostMoney } from '../core/cost-money.js';
import type { Failure } from '../core/failures.js';

/**
 * A fault between us and a supplier.
 * - `credentials`: the supplier does not accept our credentials or our address.
 * - `deposit`: our balance at the supplier is too low.
 * - `configuration`: we cannot buy with this offer, because of its settings or our rights.
 * - `rate`: we call more often than the supplier allows.
 * - `ban`: the supplier bans us for a while because we called too often.
 */
export type Fault = 'credentials' | 'deposit' | 'configuration' | 'rate' | 'ban';

/**
 * A refusal. Unless `confirm` is set, nothing was bought under this reference, and nothing will be. At a supplier that does
 * not deduplicate, a refusal in a callback, or in the answer to a send, is about one send only: another send of the attempt may
 * have bought the unit.
 */
export interface Refusal extends Failure {
  kind: 'failed';
  /** Whether another offer, of this supplier or another, may still buy the unit. */
  failover?: boolean;
  /** The time after which the same supplier may sell the unit, under another reference. */
  retryAfterMs?: number;
  /**
   * Set if the refusal is about the price, or about an amount that identifies the product. Then workers read the
   * product again.
   */
  isPriceRefused?: boolean;
  /**
   * Set if the refusal is not final yet. It counts once the supplier repeats it or, at a supplier that does not deduplicate, once
   * an inquiry surely finds no purchase.
   */
  confirm?: boolean;
  /** The supplier's reference of the refused purchase, if the supplier has made one. */
  supplierReference?: string;
}

/**
 * The code of a card, or a top-up's serial number, that a supplier delivers for a unit. A code is worth as much as the purchase,
 * so it stays secret. If it is not clear whether a text is a code or a serial number, the text counts as a code.
 */
export interface UnitDelivery {
  serial: string | null;
  code: string | null;
  /** As `yyyy-mm-dd`; null if it does not expire, or the supplier does not say. */
  expiresOn: string | null;
}

/**
 * The meaning of a call or a callback for an attempt (supplier protocol). All steps from the adapter to the settlement
 * use it.
 * - `processing`: the supplier has accepted the purchase, and an inquiry follows.
 * - `not_accepted`: this send certainly bought nothing, and workers may repeat it. Without `fault`, the cause may
 *   pass by itself: for example, the supplier could not be reached or is overloaded.
 * - `never_seen`: the supplier does not know the reference.
 * - `unknown`: anything else. The supplier may have sold the unit.
 *
 * `cost` is the amount that the supplier charges for the unit.
 */
export type SupplierOutcome =
  | { kind: 'succeeded'; supplierReference: string | null; cost?: CostMoney; deliveries?: UnitDelivery[] }
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
  /** Set if only a callback can decide the attempt, and another inquiry cannot. */
  waitsForCallback?: true;
  /**
   * Set if the supplier knows no purchase of ours by the supplier's reference that we stored. If nothing has proved
   * that reference, the service clears it.
   */
  isMisnamed?: true;
  /** A second purchase under our reference that the supplier has made, or is making, although we ordered only one. */
  besides?: { supplierReference: string; cost?: CostMoney; deliveries?: UnitDelivery[] };
}

/** An outcome that can end an attempt: bought or refused. */
export type DefiniteOutcome = Extract<SupplierOutcome, { kind: 'succeeded' | 'failed' }>;

export type UndecidedOutcome = Exclude<SupplierOutcome, DefiniteOutcome>;

export const isDefinite = (outcome: SupplierOutcome): outcome is DefiniteOutcome =>
  outcome.kind === 'succeeded' || outcome.kind === 'failed';

export type AboutAnother = UnknownOutcome & Required<Pick<UnknownOutcome, 'besides'>>;

/** Whether the outcome reports a second purchase under our reference. */
export const isAboutAnother = (outcome: SupplierOutcome): outcome is AboutAnother =>
  outcome.kind === 'unknown' && outcome.besides !== undefined;

/** The details of an outcome, besides its kind, for the order history, logs and reports. */
export function outcomeDetail(outcome: SupplierOutcome | { kind: string; detail: string }): string | null {
  if ('code' in outcome) return `${outcome.code}: ${outcome.message}`;
  return ('detail' in outcome && outcome.detail) || null;
}

/** The cost in an outcome, as columns; null if it has none. */
export function costColumns(outcome: SupplierOutcome): {
  cost_micros: bigint | null;
  cost_currency: string | null;
} {
  const cost = 'cost' in outcome ? outcome.cost : undefined;
  return { cost_micros: cost?.micros ?? null, cost_currency: cost?.currency ?? null };
}
