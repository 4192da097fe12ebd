import { readingSet, type ReadingsOf } from '../common/readings.js';

/**
 * The behaviour that the simulator chooses where the vendor's documents are silent or ambiguous. The first of each
 * list is the default: the reading that is harder on a client, unless the comment says otherwise. The letter says
 * how we know: C is seen in clients, I is our own inference, D is documented but ambiguous, D2 comes from a
 * transcription of the manual.
 */
const CHOICES = {
  /** C: a ref_id that is repeated too early is refused. I: with code 85. */
  repeat_too_early: ['rc_85', 'allowed'],
  /** I: the vendor decides codes that form no transaction before it looks the reference up, or after. */
  reference_lookup: ['last', 'first'],
  /** I: a known ref_id with another SKU or number gets the state of the first transaction, or rc 49. */
  repeat_with_other_content: ['first_transaction', 'rc_49'],
  /** I: testing needs the key of development, and nothing else accepts that key (rc 41). */
  transaction_key: ['by_testing', 'either'],
  /** I: balance and price list. Not the harder one: a sandbox could not be tried at all otherwise. */
  read_key: ['either', 'production'],
  /** I: whether testing knows only the SKU of the manual's examples. Not the harder one: no source says so. */
  test_sku: ['any', 'xld10'],
  /** I: the answer of testing to a number that is not in the table. */
  unknown_test_number: ['54', '03', '00', '02'],
  /** C: rc as a number is seen in careless proxies. Not the harder one: text is documented. */
  rc_type: ['text', 'number'],
  /** D: sn, buyer_last_saldo, tele and wa are optional. Not the harder one: clients do see them. */
  optional_members: ['present', 'absent'],
  /** D: the manual calls it a string, its examples show an integer. */
  price_list_price: ['number', 'text'],
  /** I: the answer instead of a list that was requested too often. */
  price_list_limited: ['rc_83_object', 'empty_list', 'http_429'],
  /** D: "cut-off" is the meaning of both codes; only 58 uses the reference up. */
  cut_off_rc: ['58', '66'],
  /** I: whether the minute that ends a cut-off still belongs to it. */
  cut_off_end: ['inclusive', 'exclusive'],
  /** D: "per day" of multi=false. */
  multi_window: ['rolling_24h', 'calendar_day'],
  /** D: whether a transaction that failed counts for multi=false. */
  multi_counts: ['made', 'standing'],
  /** I: a product that the seller has switched off. */
  seller_off_rc: ['53', '62', '43'],
  /** I: a product that we have switched off. */
  buyer_off_rc: ['43'],
  /** I: a dot in customer_no without allow_dot is refused with rc 54, taken out, or kept. */
  dot_without_allow_dot: ['rc_54', 'strip', 'keep'],
  /** D: the event `create` exists. I: whether it repeats the synchronous answer. */
  create_event: ['sent', 'not_sent'],
  /** C: a callback is delivered again after a non-2xx. I: whether with the same delivery id. */
  retry_delivery_id: ['new', 'same'],
  /** I: whether cb_url gets the signature of the webhook's secret. Not the harder one. */
  cb_url_signature: ['signed', 'absent'],
  /** I: the event header of a ping; only create and update are documented. */
  ping_event: ['create', 'ping', 'absent'],
} as const;

const NUMBERS = {
  /** C: seconds between two sends of one ref_id. */
  repeat_gap_seconds: 60,
  /** D: a repeat of anything older is a new transaction. */
  new_transaction_after_days: 90,
  /** C: clients see 200 with refusals. Not the harder one; 400 is worth a try. */
  refusal_http_status: 200,
  /** C: how long after the synchronous answer a pending transaction ends (2 to 7 s are seen). */
  settle_after_ms: 3_000,
  /** D: all products, also by category, brand or type. */
  price_list_all_seconds: 300,
  /** D2: one product by code. */
  price_list_code_seconds: 1,
  /** D: by category, brand or type the data is 10 to 15 minutes old. */
  filtered_list_age_minutes: 15,
  /** I: the vendor's days and cut-offs are those of Asia/Jakarta. */
  utc_offset_minutes: 420,
  /** I: more new references than this within a minute get rc 85; 0 is no limit. No number is documented. */
  transactions_per_minute: 0,
};

/** C: delays before a callback is delivered again after a non-2xx; the schedule is not documented. */
const RETRY_SCHEDULE_MS = [10_000, 60_000, 300_000, 1_800_000];

export type Readings = ReadingsOf<typeof CHOICES, typeof NUMBERS>;

export const READINGS = readingSet(CHOICES, NUMBERS, RETRY_SCHEDULE_MS);
