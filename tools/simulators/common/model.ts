import type { CallbackBehaviour, Rule } from './rules.js';
import type { CommonReadings } from './readings.js';
import type { Json } from './shapes.js';

/** A change of state to come; a vendor's own kind says to which state. */
export interface Step {
  readonly due_ms: number;
}

/** A purchase as every vendor keeps it. */
export interface Transaction {
  readonly trx_id: string;
  /** Our reference. */
  readonly ref_id: string;
  /** What is taken from the deposit for it at present, in the smallest unit that the vendor counts in. */
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
  /** What was answered; null without an answer. */
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
  /** The very text that is sent. */
  readonly body: string;
  /** The local address that it comes from; null leaves it to the account. */
  readonly from: string | null;
  readonly repeat: boolean;
  /** `held` until another callback of the transaction is delivered. */
  readonly state: 'waiting' | 'held' | 'delivered' | 'given_up';
  readonly due_ms: number;
  readonly attempts: readonly Attempt[];
}

/** What the vendor was asked. */
export interface VendorCall {
  /** Null for what the vendor does not have. */
  readonly call: string | null;
  readonly method: string;
  readonly path: string;
  readonly remoteAddress: string;
  readonly body: string;
  readonly ref_id: string | null;
  readonly sku: string | null;
  readonly player: string | null;
  readonly unknownFields: readonly string[];
  /** What the journal keeps of it besides. */
  readonly about: Json;
}

/** What the vendor decided, before a rule spoils the answer. */
export interface Reply {
  readonly decision: string;
  /** What the journal keeps of it besides, such as the code. */
  readonly about: Json;
  /** The purchase that it is about; its callback may be wanted before the answer. */
  readonly transaction?: Transaction;
  readonly warnings?: readonly string[];
}

/** What a client was sent; `body` is what of it was sent. */
export interface Answered {
  readonly kind: 'answered' | 'dropped';
  readonly status: number | null;
  readonly body: string | null;
}

/** One request as it was received, and what became of it. */
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
  /** How often this call has come with the reference, this time included; 0 without a reference. */
  readonly times_seen: number;
  /** By the vendor's clock since the reference arrived last, whatever became of it then. */
  readonly since_last_ms: number | null;
  /** Whether the body is, byte for byte, the first one of the reference; null for that one. */
  readonly same_body: boolean | null;
  readonly decision: string;
  /** The rule that applied. */
  readonly rule: number | null;
  /** What a careful client would not have done, and fields that the vendor does not know. */
  readonly warnings: readonly string[];
  /** Null while it is being worked on, and for ever if the process died then. */
  readonly answer: Answered | null;
};

/** What differs by vendor in what is kept. */
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
