import { readingSet } from '../common/readings.js';

/**
 * The behaviour that the simulator chooses where the vendor's documents are silent or ambiguous. The first of each
 * list is the default: the reading that is harder on a client, unless the comment says otherwise. The letter says
 * how we know: D is documented but ambiguous, C is seen in clients, I is our own inference.
 */
const CHOICES = {
  /**
   * D: the reference is for idempotency, but the answer to the second order is not shown: the tid of the first (not
   * the harder one), a refusal, or no idempotency at all.
   */
  repeated_reference: ['same_tid', 'refused', 'new_order'],
  /** I: the code of that refusal; the list of codes has none for it. */
  repeated_reference_code: ['UNKNOWN_ERROR', 'SYSTEM_ERROR', 'NOT_ALLOWED'],
  /** I: the vendor checks an order before it looks its reference up, or after. */
  reference_lookup: ['last', 'first'],
  /** I: the answer to an inquiry for an unknown order. Not the harder one. */
  unknown_order: ['TID_NOT_FOUND', 'SYSTEM_ERROR', 'no_data'],
  /** I, from the vendor's own test: a different price is refused, both a lower and a higher one. */
  price_check: ['equality', 'maximum'],
  /** I: the price of an order for several transactions is that of one, or the total. */
  price_basis: ['per_piece', 'total'],
  /** I: the code of an order that can't be read, or lacks what is mandatory. */
  malformed_code: ['UNKNOWN_ERROR', 'SYSTEM_ERROR', 'NOT_ALLOWED'],
  /** I: the code of an order for a Hoyoverse game without the address of the player. */
  end_user_ip_missing: ['UNKNOWN_ERROR', 'SYSTEM_ERROR', 'NOT_ALLOWED'],
  /** I: what happens without the zone or server that the category's form asks for. */
  additional_id_missing: ['USER_ID_EMPTY', 'refunded'],
  /** D: one refusal is documented, with null; C: clients see an empty object. */
  refusal_data: ['null', 'empty_object'],
  /** I: no body is documented for it, and no code. */
  too_many_requests_body: ['html', 'json'],
  /** I: whether the limit of "Get Products" covers the list of all products too. */
  product_limit_covers: ['product_and_all_products', 'product'],
  /** C: the status of an order of which some transactions are done. */
  mixed_order_status: ['PENDING', 'SUCCESS'],
  /** C: a client expects no transactions while an order is pending. Not the harder one. */
  pending_transactions: ['listed', 'absent'],
  /** C: a client converts statuses to upper case before it compares them. Not the harder one. */
  status_case: ['upper', 'lower'],
  /** C: the reference is in callbacks. I: whether also in the answer to an inquiry. Not the harder one. */
  reference_in_status: ['present', 'absent'],
  /** D: `code` of a callback "indicates the overall status". */
  callback_code: ['SUCCESS', 'order_status'],
  /** D: "the value of voucher code" (not the harder one); C: a client reads a PIN and a serial number from it. */
  voucher_code_form: ['code', 'pin_and_serial'],
} as const;

const NUMBERS = {
  /** D for one refusal: 400. C: clients see 200 with refusals. */
  refusal_http_status: 400,
  /** D: "500 internal server error"; that it comes with the two error codes is I. */
  system_error_http_status: 500,
  /** I: the time from acceptance to the end of an order; it does not depend on the product's process time. */
  settle_after_ms: 3_000,
  /** I: the time for which an inquiry does not find an accepted order. Not the harder one. */
  order_unknown_for_ms: 0,
  /** I: how long the vendor remembers a reference; a later repetition is a new order. No number is documented. */
  reference_kept_days: 30,
  /** D: of all calls, by source address. */
  requests_per_10_seconds: 500,
  /** D: of "Get Products". */
  product_requests_per_10_seconds: 50,
  /** D: the list of best products is renewed every 5 minutes. */
  group_products_age_seconds: 300,
  /** I: the vendor's days are those of Asia/Jakarta. */
  utc_offset_minutes: 420,
};

/** I: the vendor does not retry callbacks; its panel has a button for that. */
const RETRY_SCHEDULE_MS: readonly number[] = [];

export const READINGS = readingSet(CHOICES, NUMBERS, RETRY_SCHEDULE_MS);

export type Readings = typeof READINGS.defaults;
