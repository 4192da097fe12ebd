import type * as common from '../common/model.js';
import type { Json } from '../common/shapes.js';
import type { Readings } from './readings.js';
import type { SeagmCall } from './requests.js';
import type { CallbackBehaviour, Card, PlannedStep, Rule } from './rules.js';

export type Kind = 'recharge' | 'card';

/** Our account at the vendor. */
export interface Account {
  readonly uid: string;
  readonly secret_key: string;
  readonly currency: string;
  /** In the smallest unit that the simulator counts in. */
  readonly available: number;
  /** The code for every purchase while it is set. */
  readonly code: number | null;
  readonly callback_url: string | null;
  readonly callback_from: string | null;
}

export interface ProductType {
  readonly id: number;
  readonly kind: Kind;
  readonly category_id: number;
  readonly category_name: string;
  readonly name: string;
  readonly par_value: string;
  readonly par_value_currency: string;
  /** A decimal. */
  readonly unit_price: string;
  readonly account_check: boolean;
  readonly fields: readonly { readonly name: string; readonly label: string; readonly type: string }[];
}

/** A future change of state. */
export type Step = common.Step & Omit<PlannedStep, 'after_ms'>;

export interface Transaction extends common.Transaction {
  readonly trade_id: string;
  readonly kind: Kind;
  readonly type_id: number;
  readonly fields: Readonly<Record<string, string>>;
  readonly buy_amount: number;
  readonly currency: string;
  readonly unit_price: number;
  readonly status_code: number;
  readonly refunded_reason: string;
  readonly cards: readonly Card[];
  readonly changed_at_ms: number;
  readonly steps: readonly Step[];
  readonly callback: CallbackBehaviour;
}

export interface Reply extends common.Reply {
  readonly http: number;
  readonly body: Json;
  readonly about: { readonly code: number | null; readonly info_code: number | null };
  readonly transaction?: Transaction;
}

/** The number of calls that came too fast, and the end of the ban. */
export interface Ban {
  readonly strikes: number;
  readonly bans: number;
  readonly until_ms: number;
}

export interface Kinds extends common.Kinds {
  readonly account: Account;
  readonly transaction: Transaction;
  readonly readings: Readings;
  readonly rule: Rule;
  readonly call: SeagmCall;
  readonly reply: Reply;
  readonly change: { readonly types?: readonly ProductType[]; readonly ban?: Ban };
}

/** A change of the state on disk: in full or not at all. */
export type Change = common.Change<Kinds>;
