import { readingSet, type ReadingsOf } from '../common/readings.js';

/**
 * The behaviour that the simulator chooses, since no page of the vendor's manual was seen. The first of each list is the
 * default: the reading that is harder on a client, unless the comment says otherwise. The letter says how we know:
 * D is first-party data, C is seen in clients, I is our own inference.
 */
const CHOICES = {
  /** C: a known dest_ref gets 30016, even if something else is wrong or different. Not the harder one. I: `last`. */
  reference_lookup: ['first', 'last'],
  /** I: whether 30016 contains the transaction_id of the first purchase. */
  duplicate_answer: ['bare', 'with_transaction_id'],
  /** I: whether a dest_ref whose purchase failed can be used again. */
  failed_reference: ['remembered', 'released'],
  /** C: clients send 12 to 20 capitals and digits. Not the harder one: no shorter one was seen to be refused. */
  dest_ref_format: ['up_to_20', '12_to_20'],
  /** I: whether a purchase without resp_url is 30005. */
  resp_url: ['required', 'optional'],
  /** C: whole amounts without decimals, others with two. I: that anything else is 30007. */
  amount_format: ['strict', 'any'],
  /** D: the server is the second word of pay_to_ref1. C: some clients send it in pay_to_ref2. */
  server_in: ['ref1', 'ref2'],
  /** C: pay_to_ref1 of a cash card is ten zeros. I: that anything else is 30009. */
  cashcard_ref1: ['zeros', 'any'],
  /** I: the code for a wrong password; the table has none. */
  wrong_password: ['20003', '20001', '20004'],
  /** I: total_amount and balance are text or numbers, in every answer. */
  amount_type: ['text', 'number'],
  /** I: bill_id, transaction_id and queue_id are text or numbers. */
  id_type: ['text', 'number'],
  /** D: prices of the catalogue are numbers. I: that they could be texts. */
  catalogue_price: ['number', 'text'],
  /** I: the purchase is debited when it is accepted, or when it has succeeded. */
  debit: ['on_acceptance', 'on_success'],
  /** C: get_output answers 30004 while a purchase is under way. I: or a status that is not final. */
  pending_output: ['30004', 'status'],
  /** I: whether the vendor also calls back a purchase under way, with a status that is not final. */
  pending_callback: ['absent', 'sent'],
  /** C: serial and PIN come in fields of the callback, or in its text. I: or not at all. */
  pin_in_callback: ['fields', 'sms', 'absent'],
  /** I: the output has them too, in the fields or the text of a callback. Not the harder one. */
  pin_in_output: ['fields', 'sms', 'absent'],
  /** C: the word SUCCEED accepts a callback. I: or any 2xx. */
  callback_accepted_by: ['succeed', 'any_2xx'],
} as const;

const NUMBERS = {
  /** I: how long a dest_ref is remembered; the same one later buys again. 0 is for ever. */
  reference_memory_minutes: 60,
  /** I: how long a purchase takes. */
  settle_after_ms: 3_000,
  /** I: how long it takes where `congestion` is not empty. */
  congested_settle_after_ms: 600_000,
  /** C: clients see refusals with 200. */
  refusal_http_status: 200,
  /** I: more calls than this within a minute get 10003; 0 is no limit. No number is known. */
  calls_per_minute: 0,
  /** I: the vendor's clock is that of Asia/Bangkok. */
  utc_offset_minutes: 420,
};

/** I: no repeated callback was seen. */
const RETRY_SCHEDULE_MS: readonly number[] = [];

export type Readings = ReadingsOf<typeof CHOICES, typeof NUMBERS>;

export const READINGS = readingSet(CHOICES, NUMBERS, RETRY_SCHEDULE_MS);
