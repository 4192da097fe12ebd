import type { ProductKind } from '../core/product-kind.js';

/** By what the supplier that is built in decides what becomes of a unit. */
export interface SandboxPurchase {
  /** What is bought: the code of a card, or a top-up. */
  kind: ProductKind;
  userId: string;
  /** Which piece of its order it is, counted from 1 over all items. */
  piece: number;
  /** How long ago the attempt was sent first, in milliseconds. */
  ageMs: number;
}

/** What a supplier knows an attempt by. */
export interface NamedAttempt {
  /** What was asked for. */
  sku: string;
  reference: string;
  /** The supplier's own name of the purchase, where it has said one. */
  supplierReference: string | null;
  /** Of units of the sandbox, absent of others: what its supplier would have kept if it kept anything. */
  sandbox?: SandboxPurchase;
}
