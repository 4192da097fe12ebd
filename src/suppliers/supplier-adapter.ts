import type { Satang } from '../core/money.js';
import type { UnitFailureCode } from '../core/failures.js';

/** One unit, as a supplier is asked to buy it. `reference` is the unit's for ever, never an attempt's. */
export interface TopUp {
  reference: string;
  sku: string;
  userId: string;
  serverId: string | null;
  characterId: string | null;
}

/** How a supplier is reached: the operator's settings at the moment of the claim. */
export interface SupplierSettings {
  baseUrl: string;
  token: string | null;
  timeoutMs: number;
}

/**
 * What a call to a supplier tells about a unit (supplier protocol). Only `succeeded` and `failed` are definite.
 * - `processing`: accepted, ask again.
 * - `not_accepted`: certainly not bought by this send; it may be sent again.
 * - `never_seen`: the supplier says that the reference is new to it.
 * - `unknown`: anything else; it may have been bought.
 */
export type Outcome =
  | { kind: 'succeeded'; supplierReference: string | null }
  | { kind: 'failed'; code: UnitFailureCode; message: string }
  | { kind: 'processing' }
  | { kind: 'not_accepted'; detail: string; retryAfterMs?: number; credentialsRefused?: boolean }
  | { kind: 'never_seen' }
  | { kind: 'unknown'; detail: string; retryAfterMs?: number };

/**
 * What we have left at a supplier, as it writes it; or why that is not known, and whether it was reached and answers us:
 * not every supplier tells.
 */
export type SupplierBalance =
  { known: true; amount: Satang; currency: string } | { known: false; detail: string; reached: boolean };

/** A kind of supplier. No method throws for what a supplier or the network does: that is an outcome. */
export interface SupplierAdapter {
  /** Whether sending a reference again buys nothing a second time; where not, a unit is never sent twice. */
  readonly deduplicates: boolean;
  /** Asks for one purchase. */
  send(supplier: SupplierSettings, topUp: TopUp): Promise<Outcome>;
  /** Asks what became of a reference; null where the supplier cannot be asked. */
  readonly inquire: ((supplier: SupplierSettings, reference: string) => Promise<Outcome>) | null;
  /** Asks what we have left there. */
  balance(supplier: SupplierSettings): Promise<SupplierBalance>;
}

/** The word for an outcome in timelines, logs and metrics. */
export const outcomeDetail = (outcome: Outcome): string | null => {
  if (outcome.kind === 'failed') return `${outcome.code}: ${outcome.message}`;
  return 'detail' in outcome ? outcome.detail : null;
};
