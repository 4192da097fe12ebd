import type * as common from '../common/model.js';
import type { CallbackBehaviour, Rule } from '../common/rules.js';
import type { Json } from '../common/shapes.js';
import type { Code, Status } from './codes.js';
import type { Readings } from './readings.js';

/** Our account at the vendor. Amounts are whole rupiah. */
export interface Account {
  readonly secret_key: string;
  readonly allow_list: readonly string[];
  readonly balance: number;
  /** The code for every order while it is set, such as INSUFFICIENT_BALANCE. */
  readonly code: Code | null;
  /** The callback address of orders that name none. */
  readonly callback_url: string | null;
  readonly product_callback_url: string | null;
  readonly callback_from: string | null;
  readonly fx_rates: readonly FxRate[];
  /** The number of generated products, besides those of the account. */
  readonly made_up_products: number;
}

export interface FxRate {
  readonly from_currency: string;
  readonly to_currency: string;
  readonly buy_rate: number;
  readonly sell_rate: number;
}

/** A product of the list, and the course of its orders. */
export interface Product {
  readonly code: string;
  readonly category_code: string;
  readonly name: string;
  readonly provider_code: string;
  readonly price: number;
  /** Minutes. */
  readonly process_time: number;
  readonly country_code: string;
  readonly status: 'available' | 'empty';
  /** Not in the list: the code by which each order is refused. */
  readonly refused_with: Code | null;
  /** Not in the list: the final status of an order; PENDING stays pending. */
  readonly ends: Status;
  /** Not in the list: the stock; null is not counted. */
  readonly stock: number | null;
}

export interface Option {
  readonly value: string;
  readonly name: string;
}

export interface Form {
  readonly name: 'user_id' | 'additional_id' | 'additional_information' | 'orderdetail';
  readonly type: 'tel' | 'text' | 'number' | 'option' | 'textarea';
  readonly options: readonly Option[];
}

/** A game, in one country. */
export interface Category {
  readonly code: string;
  readonly name: string;
  readonly variant: 'DIGITAL' | 'VOUCHER';
  readonly check_id: string;
  readonly country_code: string;
  readonly forms: readonly Form[];
  readonly servers: readonly Option[];
  /** Not in the list: false is NOT_ALLOWED. */
  readonly allowed: boolean;
  /** Not in the list: whether an order needs the address of the player, as those of Hoyoverse's games do. */
  readonly end_user_ip: boolean;
}

/** The catalogue from `at_ms` on. */
export interface Catalogue {
  readonly at_ms: number;
  readonly products: readonly Product[];
  readonly categories: readonly Category[];
}

/** A future change of state. `transactions` has a status for each transaction; without it all have that of the order. */
export interface Step {
  readonly status: Status;
  readonly due_ms: number;
  readonly transactions?: readonly Status[];
  readonly note?: string;
  readonly voucher_code?: string;
}

/** One transaction of an order. */
export interface OrderTransaction {
  readonly id: string;
  readonly product_name: string;
  readonly note: string;
  readonly status: Status;
  readonly voucher_code: string;
}

/** An order; its `trx_id` is the vendor's tid. */
export interface Order extends common.Transaction {
  /** Null for an order without one, whose `ref_id` is its tid. */
  readonly partner_reference_id: string | null;
  readonly product_code: string;
  readonly user_id: string;
  readonly additional_id: string;
  /** The price of one transaction. */
  readonly price: number;
  readonly total_price: number;
  readonly is_voucher: boolean;
  readonly status: Status;
  readonly transactions: readonly OrderTransaction[];
  readonly callback_url: string | null;
  readonly steps: readonly Step[];
}

export type Call =
  | 'order'
  | 'order_status'
  | 'category'
  | 'all-products'
  | 'product'
  | 'group-products'
  | 'best-product'
  | 'fx-rate'
  | 'balance';

/** A request as it was received. */
export interface LapakCall extends common.VendorCall {
  readonly call: Call | null;
  /** The token after `Bearer`, or null. */
  readonly bearer: string | null;
  /** The body of an order, else the query; null when the body is not a JSON object. */
  readonly fields: Json | null;
  /** The reason why the vendor can't read it. */
  readonly problem: string | null;
}

export interface LapakReply extends common.Reply {
  readonly http: number;
  readonly code: Code;
  readonly data: unknown;
  /** A page instead of JSON. */
  readonly isPage?: boolean;
}

export interface LapakRule extends Rule {
  /** The code that is decided. */
  readonly code?: Code;
  readonly note?: string;
  readonly voucher_code?: string;
  readonly then?: readonly (Omit<Step, 'due_ms'> & { readonly after_ms: number })[];
  readonly body?: 'truncated' | 'html' | 'empty' | 'no_data';
  readonly callback?: CallbackBehaviour;
}

export interface Kinds extends common.Kinds {
  readonly account: Account;
  readonly transaction: Order;
  readonly readings: Readings;
  readonly rule: LapakRule;
  readonly call: LapakCall;
  readonly reply: LapakReply;
  readonly change: { readonly catalogue?: Catalogue };
}

export type Change = common.Change<Kinds>;
