import type { CallbackBehaviour, Rule } from './rules.js';
import type { CommonReadings } from './readings.js';
import type { Json } from './shapes.js';

/** A future change of state. A vendor's own type has the state. */
export interface Step {
  readonly due_ms: number;
}

/** A purchase as every vendor keeps it. */
export interface Transaction {
  readonly trx_id: string;
  /** Our reference. */
  readonly ref_id: string;
  /** The amount that the deposit pays for it at present, in the vendor's smallest unit. */
  readonly debited: number;
  readonly ever_succeeded: boolean;
  readonly sends: number;
  readonly made_at_ms: number;
  readonly last_sent_ms: number;
  readonly steps: readonly Step[];
  readonly callback: CallbackBehaviour;
}

export interface Attempt {
  readonly at: string;
  readonly status: number | null;
  /** The answer; null without one. */
  readonly body: string | null;
  readonly error: string | null;
}

/** A callback on its way. */
export interface Delivery {
  readonly n: number;
  readonly trx_id: string | null;
  readonly ref_id: string | null;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The exact text that is sent. */
  readonly body: string;
  /** The local address that it comes from; null leaves it to the account. */
  readonly from: string | null;
  readonly repeat: boolean;
  /** `held` until another callback of the transaction is delivered. */
  readonly state: 'waiting' | 'held' | 'delivered' | 'given_up';
  readonly due_ms: number;
  readonly attempts: readonly Attempt[];
}

/** A request to the vendor. */
export interface VendorCall {
  /** Null if it is none of the vendor's calls. */
  readonly call: string | null;
  readonly method: string;
  readonly path: string;
  readonly remoteAddress: string;
  readonly body: string;
  readonly ref_id: string | null;
  readonly sku: string | null;
  readonly player: string | null;
  readonly unknownFields: readonly string[];
  /** More members of it for the journal. */
  readonly about: Json;
}

/** The vendor's decision, before a rule spoils the answer. */
export interface Reply {
  readonly decision: string;
  /** More members for the journal, such as the code. */
  readonly about: Json;
  /** The purchase of the call. A rule may want its callback before the answer. */
  readonly transaction?: Transaction;
  readonly warnings?: readonly string[];
}

/** The answer to a client; `body` is the part that was sent. */
export interface Answered {
  readonly kind: 'answered' | 'dropped';
  readonly status: number | null;
  readonly body: string | null;
}

/** A request as it was received, with its decision and answer. */
export type JournalEntry = Json & {
  readonly n: number;
  readonly at: string;
  readonly call: string | null;
  readonly method: string;
  readonly path: string;
  readonly remote_address: string;
  readonly body: string;
  readonly ref_id: string | null;
  readonly sku: string | null;
  readonly player: string | null;
  /** The number of these calls with the reference, this one included; 0 without a reference. */
  readonly times_seen: number;
  /** The time by the vendor's clock since the last call with the reference, whatever its decision was. */
  readonly since_last_ms: number | null;
  /** Whether the body has the same bytes as the first one with the reference; null for the first one. */
  readonly same_body: boolean | null;
  readonly decision: string;
  /** The rule that applied. */
  readonly rule: number | null;
  /** Fields that the vendor does not know, and acts that a careful client avoids. */
  readonly warnings: readonly string[];
  /** Null until it is answered, and for ever if the process died before. */
  readonly answer: Answered | null;
};

/** The types that differ by vendor. */
export interface Kinds {
  /** `callback_from`: the local address that callbacks come from; null leaves it to the system. */
  readonly account: { readonly callback_from: string | null };
  readonly transaction: Transaction;
  readonly readings: CommonReadings;
  readonly rule: Rule;
  readonly call: VendorCall;
  readonly reply: Reply;
  /** Members of a change besides those of all vendors. */
  readonly change: object;
}

/** A change of the state on disk: in full or not at all. */
export type Change<K extends Kinds> = K['change'] & {
  readonly account?: K['account'];
  readonly readings?: K['readings'];
  readonly offset_ms?: number;
  readonly transactions?: readonly K['transaction'][];
  readonly deliveries?: readonly Delivery[];
  /** Replaces all rules. */
  readonly rules?: readonly K['rule'][];
  readonly entry?: JournalEntry;
};
