import type { CostMoney } from '../core/cost-money.js';
import type { NamedAttempt } from './named-attempt.js';
import type { Delivery, SupplierOutcome } from './supplier-outcome.js';

/** What a supplier called us with, as it came in. */
export interface RawCallback {
  method: 'GET' | 'POST';
  /** By name in lower case; of a header that came more than once, all values joined by commas. */
  headers: Record<string, string | undefined>;
  query: Record<string, string>;
  body: Buffer;
  receivedAt: Date;
}

/** What a callback is answered with; 200 and `{"status":"ok"}` unless the vendor wants something else. */
export interface CallbackReply {
  status: number;
  contentType: string;
  body: string;
}

/**
 * What a callback says.
 * - `ping`: nothing; it only tries whether we are there.
 * - `refused`: it does not prove that it comes from the supplier. Answered 401.
 * - `unreadable`: it proves that, and can't be understood. It is kept for the operator.
 * - `about`: an attempt, by our reference or by theirs. With an outcome only where a secret covers all that it says: that
 *   settles the unit; it may depend on the attempt that is named. Without one it only makes us ask.
 * - `products`: these SKUs have changed. It proves nothing, so that the supplier is asked about those that we know.
 */
export type CallbackReading = { reply?: CallbackReply } & (
  | { kind: 'ping' }
  | { kind: 'refused'; detail: string }
  | { kind: 'unreadable'; detail: string }
  | { kind: 'products'; skus: string[] }
  | {
      kind: 'about';
      reference?: string;
      supplierReference?: string;
      outcome?: SupplierOutcome | ((attempt: NamedAttempt) => SupplierOutcome);
      /** Of one without an outcome, that it says nothing but what is known where its attempt succeeded: nothing proves it. */
      saysSold?: true;
      /** By which the supplier names this callback: one that comes again is the same one. */
      deliveryId?: string;
      /** What was bought, as far as it says: for the operator, where no book knows the purchase. */
      purchase?: { sku?: string; player?: string; cost?: CostMoney };
    }
);

export interface CallbackReader<Settings = unknown> {
  /** Reads a callback: no call to anybody, no clock, no throw whatever it holds. */
  read(raw: RawCallback, settings: Settings): CallbackReading;
  /**
   * What the body of a callback hands over. It is looked at only once the supplier has told, asked by us, that it made
   * this very purchase, and only for a code that its answer did not have. Absent where answers have it all.
   */
  deliveriesIn?(body: Buffer): Delivery[];
}
