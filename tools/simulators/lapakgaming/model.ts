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
  /** What every order is answered while it is set, such as INSUFFICIENT_BALANCE. */
  readonly code: Code | null;
  /** Where orders are called back that name no address of their own. */
  readonly callback_url: string | null;
  readonly product_callback_url: string | null;
  readonly callback_from: string | null;
  readonly fx_rates: readonly FxRate[];
  /** How many products the catalogue has besides those of the account. */
  readonly made_up_products: number;
}

export interface FxRate {
  readonly from_currency: string;
  readonly to_currency: string;
  readonly buy_rate: number;
  readonly sell_rate: number;
}

/** A product as the list has it, and how orders of it go. */
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
  /** Not of the list: what each order is refused with. */
  readonly refused_with: Code | null;
  /** Not of the list: what becomes of an order; one that ends PENDING stays so. */
  readonly ends: Status;
  /** Not of the list: pieces left; null does not count them. */
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
  /** Not of the list: false is NOT_ALLOWED. */
  readonly allowed: boolean;
  /** Not of the list: whether an order needs the address of the player, as those of Hoyoverse's games do. */
  readonly end_user_ip: boolean;
}

/** What was sold from `at_ms` on. */
export interface Catalogue {
  readonly at_ms: number;
  readonly products: readonly Product[];
  readonly categories: readonly Category[];
}

/** A change of state to come. `transactions` has a status for each piece; without it all are as the order. */
export interface Step {
  readonly status: Status;
  readonly due_ms: number;
  readonly transactions?: readonly Status[];
  readonly note?: string;
  readonly voucher_code?: string;
}

/** One piece of an order. */
export interface Piece {
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
  /** The price of one piece. */
  readonly price: number;
  readonly total_price: number;
  readonly is_voucher: boolean;
  readonly status: Status;
  readonly transactions: readonly Piece[];
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
  /** What follows `Bearer`, or null. */
  readonly bearer: string | null;
  /** The body of an order, else the query; null when the body is not a JSON object. */
  readonly fields: Json | null;
  /** Why the vendor can't read it. */
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
  /** What is decided. */
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
