import type * as common from '../common/model.js';
import type { Json } from '../common/shapes.js';
import type { Readings } from './readings.js';
import type { WepayCall } from './requests.js';
import type { Rule, Type } from './rules.js';

/** Our account at the vendor. */
export interface Account {
  readonly username: string;
  readonly password: string;
  readonly allow_list: readonly string[];
  /** The amount to spend, in satang. */
  readonly available: number;
  /** The code for every purchase while it is set, such as 20004. */
  readonly code: string | null;
  readonly callback_from: string | null;
}

/** An element of the catalogue export, and further settings of the company. */
export interface Company {
  readonly company_id: string;
  readonly company_name: string;
  readonly type: Type;
  /** In baht, added to what is charged. */
  readonly fee: string;
  readonly refundable: boolean;
  /** Prices are decimals; none means any amount from `sof_min` to `sof_max`. */
  readonly denomination: readonly { readonly price: string; readonly description: string }[];
  readonly congestion: readonly string[];
  readonly gameservers: readonly { readonly value: string; readonly name: string }[];
  readonly refs_format: Readonly<Record<string, string>>;
  readonly sof_min: string;
  readonly sof_max: string;
  /** The discount in percent of the amount. */
  readonly discount: string;
  /** The code for each purchase; null is 00000. */
  readonly code: string | null;
}

/** A future change of state. */
export interface Step extends common.Step {
  readonly status: string;
  readonly operator_trxnsid?: string;
  readonly serial?: string;
  readonly pin?: string;
}

export interface Transaction extends common.Transaction {
  readonly type: Type;
  readonly company: string;
  /** As it was sent. */
  readonly amount: string;
  readonly ref1: string;
  readonly ref2: string | null;
  readonly resp_url: string | null;
  /** 2 is a success, 4 a failure, anything else is not final. */
  readonly status: string;
  /** Its cost, in satang. */
  readonly total: number;
  readonly bill_id: string;
  readonly queue_id: string;
  readonly operator_trxnsid: string;
  readonly serial: string;
  readonly pin: string;
  readonly steps: readonly Step[];
}

export interface Reply extends common.Reply {
  readonly http: number;
  readonly data: Json;
  readonly about: { readonly code: string | null };
  readonly transaction?: Transaction;
}

export interface Kinds extends common.Kinds {
  readonly account: Account;
  readonly transaction: Transaction;
  readonly readings: Readings;
  readonly rule: Rule;
  readonly call: WepayCall;
  readonly reply: Reply;
  readonly change: { readonly companies?: readonly Company[] };
}

/** A change of the state on disk: in full or not at all. */
export type Change = common.Change<Kinds>;
