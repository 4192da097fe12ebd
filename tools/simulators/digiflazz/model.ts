import type * as common from '../common/model.js';
import type { Status } from './codes.js';
import type { Readings } from './readings.js';
import type { DigiflazzCall } from './requests.js';
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
  /** The code for every purchase while it is set, such as 82. */
  readonly rc: string | null;
  readonly webhook: { readonly id: string; readonly url: string | null; readonly secret: string | null };
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
  /** Not in the price list: the code for each purchase; null is success at once. */
  readonly rc: string | null;
  /** Not in the price list: a regular expression that customer_no must match (rc 57); null takes anything. */
  readonly customer_no_pattern: string | null;
}

/** The products from `at_ms` on. */
export interface Catalogue {
  readonly at_ms: number;
  readonly products: readonly Product[];
}

/** A future change of state. */
export interface Step extends common.Step {
  readonly rc: string;
  readonly sn?: string;
}

export interface Transaction extends common.Transaction {
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
  readonly buyer_last_saldo: number;
  /** Whether its SKU counts stock and this transaction holds one. */
  readonly holds_stock: boolean;
  readonly cb_url: string | null;
  readonly steps: readonly Step[];
  readonly callback: CallbackBehaviour;
}

/** The vendor's answer, before a rule spoils it. */
export interface Reply extends common.Reply {
  readonly http: number;
  readonly data: Readonly<Record<string, unknown>> | readonly unknown[];
  readonly about: { readonly rc: string | null };
  readonly transaction?: Transaction;
}

export interface Kinds extends common.Kinds {
  readonly account: Account;
  readonly transaction: Transaction;
  readonly readings: Readings;
  readonly rule: Rule;
  readonly call: DigiflazzCall;
  readonly reply: Reply;
  readonly change: {
    readonly catalogue?: Catalogue;
    /** The last time of a price list, of all products (`*`) or by code. */
    readonly price_lists?: Readonly<Record<string, number>>;
  };
}

/** A change of the state on disk: in full or not at all. */
export type Change = common.Change<Kinds>;
