import type * as common from '../common/model.js';
import { readingSet, type ReadingsOf } from '../common/readings.js';
import type * as rules from '../common/rules.js';
import { count, type Json, oneOf, orNull, type Shapes, text } from '../common/shapes.js';

/**
 * The behaviour that the simulator chooses where the vendor's documents are silent; the first of each list is the default.
 * D is documented, C is seen in clients, I is our own inference.
 */
const CHOICES = {
  /** D: both versions have `checkDuplicate`. I: whether they report duplicates without it. */
  duplicates: ['when_wanted', 'always'],
  /** D: `matchAccount` wants the matched account. I: whether it comes without it. */
  matched_account: ['when_wanted', 'always', 'never'],
  /** D: accounts are masked. I: which digits are visible. */
  mask: ['end', 'middle', 'dashes', 'three_digits'],
  /** D: `SLIP_NOT_FOUND` and `API_SERVER_ERROR`. C: clients know a slip that is pending. I: the answer while a bank is late. */
  late_bank: ['not_found', 'pending', 'server_error'],
} as const;

export type Readings = ReadingsOf<typeof CHOICES, { utc_offset_minutes: number }>;
export const READINGS = readingSet(CHOICES, { utc_offset_minutes: 420 }, []);

export interface Rule extends rules.Rule {
  /** The code of a refusal, with the rule's `http` or 400. */
  readonly code?: string;
}

export const RULES: rules.RuleForms = {
  calls: ['verify', 'info'],
  purchases: ['verify'],
  match: { version: oneOf('v1', 'v2') },
  rule: { code: text },
  callback: {},
  step: {},
  stepNeeds: '',
};

/** The record of a transfer at the sending bank, unless a test changes it. Accounts are in full; answers mask them. */
export const ORDINARY_SLIP = {
  trans_ref: '',
  sending_bank: '014',
  /** A decimal in baht. */
  amount: '1000.00',
  currency: 'THB',
  date: '' as string | null,
  receiver_bank: '004',
  receiver_account: '0123456789' as string | null,
  receiver_proxy: null as string | null,
  proxy_type: 'MSISDN',
  ref1: '',
};

/** `payload` is the text of its code. The vendor can read it from `known_at_ms` on. */
export type Slip = typeof ORDINARY_SLIP & { readonly payload: string; readonly known_at_ms: number };

/** The body of `POST /_sim/slips`. */
export const SLIP: Shapes = {
  ...Object.fromEntries(Object.keys(ORDINARY_SLIP).map((name) => [name, orNull(text)])),
  amount: { expected: 'a decimal in a string', fits: (value) => /^\d{1,9}\.\d{2,3}$/.test(String(value)) },
  payload: text,
  late_ms: count,
};

export interface Account {
  readonly api_key: string;
  /** The calls that are left. */
  readonly quota: number;
  /** Our accounts, as bank code and number: `004:0123456789`. */
  readonly accounts: readonly string[];
  readonly callback_from: null;
}

export interface SlipCall extends common.VendorCall {
  readonly call: 'verify' | 'info' | null;
  readonly version: 'v1' | 'v2';
  readonly fields: Json;
  readonly key: string | null;
  readonly payload: string;
}

export interface Reply extends common.Reply {
  readonly http: number;
  readonly body: Json;
}

export interface Kinds extends common.Kinds {
  readonly account: Account;
  readonly readings: Readings;
  readonly rule: Rule;
  readonly call: SlipCall;
  readonly reply: Reply;
  readonly change: { readonly slip?: Slip };
}
