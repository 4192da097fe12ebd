/** What a supplier knows an attempt by. */
export interface NamedAttempt {
  /** What was asked for. */
  sku: string;
  reference: string;
  /** The supplier's own name of the purchase, where it has said one. */
  supplierReference: string | null;
}
