import type * as common from '../common/model.js';
import { readingSet, type ReadingsOf } from '../common/readings.js';
import type * as rules from '../common/rules.js';
import { count, type Json, oneOf, text } from '../common/shapes.js';

/**
 * The behaviour that the simulator chooses where the vendor's documents are silent; the first of each list is the default.
 * D is documented, S is second-hand, I is our own inference.
 */
const CHOICES = {
  /** D: `charge.create` exists. I: whether charges of this kind cause it. */
  create_event: ['sent', 'not_sent'],
  /** I: the event of a charge that expires. */
  expire_event: ['charge.expire', 'charge.complete', 'none'],
  /** I: whether `expires_at` of a request counts for this kind. */
  expires_at: ['honoured', 'ignored', 'refused'],
  /** I: whether a repeated `Idempotency-Key` returns the same charge. */
  idempotency_key: ['ignored', 'honoured'],
  /** I: whether a code that has expired can be paid. */
  expired_code: ['payable', 'refused'],
  /** S: whether there is a list of all refunds. */
  refund_list: ['known', 'unknown'],
} as const;

const NUMBERS = {
  /** S: how long a code is valid unless the request says otherwise. */
  lifetime_seconds: 86_400,
  /** I: the size of an image. */
  image_bytes: 400,
  utc_offset_minutes: 420,
};

/** I: how often webhooks are repeated. */
const RETRY_SCHEDULE_MS = [60_000, 600_000, 3_600_000];

export type Readings = ReadingsOf<typeof CHOICES, typeof NUMBERS>;
export const READINGS = readingSet(CHOICES, NUMBERS, RETRY_SCHEDULE_MS);

export type Call = 'capability' | 'source' | 'charge' | 'retrieve' | 'list' | 'refunds' | 'expire' | 'image';
export type Status = 'pending' | 'successful' | 'failed' | 'expired' | 'reversed';

/** A state of a charge. Amounts are satang. */
export interface State {
  readonly status: Status;
  /** The amount that was really paid. */
  readonly amount?: number;
  readonly refunded_amount?: number;
}

export interface CallbackBehaviour extends rules.CallbackBehaviour {
  /** `stale` is right, with a timestamp of ten minutes ago; `other_header` is right under a name that is not documented. */
  readonly signature?: 'wrong' | 'absent' | 'stale' | 'other_header';
}

export interface Rule extends rules.Rule {
  /** The error code of a refusal, with the rule's `http` or 400. */
  readonly code?: string;
  readonly then?: readonly (State & { readonly after_ms: number })[];
  readonly callback?: CallbackBehaviour;
}

export const RULES: rules.RuleForms = {
  calls: ['capability', 'source', 'charge', 'retrieve', 'list', 'refunds', 'expire', 'image'] satisfies Call[],
  purchases: ['charge'],
  rule: { code: text },
  callback: { signature: oneOf('wrong', 'absent', 'stale', 'other_header') },
  step: {
    status: oneOf('pending', 'successful', 'failed', 'expired', 'reversed'),
    amount: count,
    refunded_amount: count,
  },
  stepNeeds: 'status',
};

export interface Account {
  readonly public_key: string;
  readonly secret_key: string;
  /** In base64. */
  readonly webhook_secret: string;
  /** The secret before it was rolled, and when that was. */
  readonly earlier_secret: string | null;
  readonly rolled_at_ms: number;
  readonly webhook_url: string | null;
  readonly callback_from: string | null;
  /** What was paid, less what was refunded, in satang. */
  readonly balance: number;
}

export interface Charge extends common.Transaction, Required<State> {
  readonly source: string;
  readonly metadata: Json;
  /** The address that the client used, for links. */
  readonly host: string;
  readonly idempotency_key: string | null;
  readonly expires_at_ms: number;
  readonly paid_at_ms: number | null;
  /** When it was refunded last. */
  readonly refunded_at_ms: number | null;
  readonly steps: readonly (common.Step & State)[];
  readonly callback: CallbackBehaviour;
}

export interface OpnCall extends common.VendorCall {
  readonly call: Call | null;
  readonly id: string;
  /** The members of the body or of the query. */
  readonly fields: Json;
  /** The key of the caller. */
  readonly key: string;
  readonly host: string;
  readonly idempotencyKey: string | null;
}

export interface Reply extends common.Reply {
  readonly http: number;
  /** JSON, or the text of an image. */
  readonly body: Json | string;
  readonly transaction?: Charge;
}

export interface Kinds extends common.Kinds {
  readonly account: Account;
  readonly transaction: Charge;
  readonly readings: Readings;
  readonly rule: Rule;
  readonly call: OpnCall;
  readonly reply: Reply;
}
