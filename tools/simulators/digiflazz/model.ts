import type { Status } from './codes.js';
import type { CallbackBehaviour, Rule } from './rules.js';

export type Environment = 'development' | 'production';

/** Our account at the vendor. Amounts are whole rupiah. */
export interface Account {
  readonly username: string;
  readonly keys: Readonly<Record<Environment, string>>;
  readonly allow_list: Readonly<Record<Environment, readonly string[]>>;
  readonly deposit: number;
  /** False: rc 61. */
  readonly ever_deposited: boolean;
  /** What every purchase is answered while it is set, such as 82. */
  readonly rc: string | null;
  readonly webhook: { readonly id: string; readonly url: string | null; readonly secret: string | null };
  /** The local address that callbacks come from; null leaves it to the system. */
  readonly callback_from: string | null;
  readonly tickets: readonly { amount: number; notes: string; paid: boolean }[];
}

export interface Product {
  readonly buyer_sku_code: string;
  readonly product_name: string;
  readonly category: string;
  readonly brand: string;
  readonly type: string;
  readonly seller_name: string;
  readonly desc: string;
  readonly price: number;
  readonly buyer_product_status: boolean;
  readonly seller_product_status: boolean;
  readonly unlimited_stock: boolean;
  readonly stock: number;
  readonly multi: boolean;
  readonly start_cut_off: string;
  readonly end_cut_off: string;
  /** Not of the price list: what each purchase is answered; null is success at once. */
  readonly rc: string | null;
  /** Not of the price list: a regular expression that customer_no must match (rc 57); null takes anything. */
  readonly customer_no_pattern: string | null;
}

/** The products as they were from `at_ms` on. */
export interface Catalogue {
  readonly at_ms: number;
  readonly products: readonly Product[];
}

/** A change of state to come. */
export interface Step {
  readonly rc: string;
  readonly due_ms: number;
  readonly sn?: string;
}

export interface Transaction {
  readonly trx_id: string;
  readonly ref_id: string;
  readonly buyer_sku_code: string;
  readonly customer_no: string;
  readonly testing: boolean;
  /** `api`, or another connection type of the account: references are shared between them. */
  readonly channel: string;
  readonly status: Status;
  readonly rc: string;
  readonly message: string;
  readonly sn: string;
  readonly price: number;
  /** What is taken from the deposit for it at present. */
  readonly debited: number;
  readonly buyer_last_saldo: number;
  readonly ever_succeeded: boolean;
  /** Whether its SKU counts stock and one piece is gone. */
  readonly holds_stock: boolean;
  readonly made_at_ms: number;
  readonly last_sent_ms: number;
  readonly sends: number;
  readonly cb_url: string | null;
  readonly steps: readonly Step[];
  readonly callback: CallbackBehaviour;
}

export interface Attempt {
  readonly at: string;
  readonly delivery_id: string;
  readonly status: number | null;
  readonly error: string | null;
}

/** A callback on its way. */
export interface Delivery {
  readonly n: number;
  readonly trx_id: string | null;
  readonly ref_id: string | null;
  readonly url: string;
  readonly event: string | null;
  readonly delivery_id: string;
  /** The very bytes that are sent. */
  readonly body: string;
  readonly signature: string | null;
  readonly from: string | null;
  readonly repeat: boolean;
  /** `held` until another callback of the transaction is delivered. */
  readonly state: 'waiting' | 'held' | 'delivered' | 'given_up';
  readonly due_ms: number;
  readonly attempts: readonly Attempt[];
}

/** One request as it was received, and what became of it. */
export interface JournalEntry {
  readonly n: number;
  readonly at: string;
  readonly method: string;
  readonly path: string;
  readonly remote_address: string;
  readonly body: string;
  readonly ref_id: string | null;
  readonly sku: string | null;
  readonly player: string | null;
  readonly max_price: number | null;
  readonly testing: boolean;
  /** How often the reference has arrived, this time included; 0 without a reference. */
  readonly times_seen: number;
  /** By the vendor's clock since the reference arrived last, whatever became of it then. */
  readonly since_last_ms: number | null;
  /** Whether the body is, byte for byte, the first one of the reference; null for that one. */
  readonly same_body: boolean | null;
  readonly decision: string;
  readonly rc: string | null;
  /** The rule that applied. */
  readonly rule: number | null;
  /** What a careful client would not have done, and fields that the vendor does not know. */
  readonly warnings: readonly string[];
  /** Null while it is being worked on, and for ever if the process died then. */
  readonly answer: {
    readonly kind: 'answered' | 'dropped';
    status: number | null;
    body: string | null;
  } | null;
}

/** A change of the state on disk: in full or not at all. */
export interface Change {
  readonly account?: Account;
  readonly catalogue?: Catalogue;
  readonly readings?: Json;
  readonly offset_ms?: number;
  /** When a price list was last given: of all products (`*`) or by code. */
  readonly price_lists?: Readonly<Record<string, number>>;
  readonly transactions?: readonly Transaction[];
  readonly deliveries?: readonly Delivery[];
  /** Replaces all rules. */
  readonly rules?: readonly Rule[];
  readonly entry?: JournalEntry;
}

type Json = Record<string, unknown>;
