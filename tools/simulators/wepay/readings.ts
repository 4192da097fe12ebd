import { readingSet, type ReadingsOf } from '../common/readings.js';

/**
 * What the simulator takes the vendor to do where no page of its manual was seen. The first of each list is the
 * default: the reading that is harder on a client, unless the comment says otherwise. The letter says how we know:
 * D is first-party data, C is seen in clients, I is our own inference.
 */
const CHOICES = {
  /** C: a known dest_ref gets 30016, whatever else is wrong or different. Not the harder one. `last`: I. */
  reference_lookup: ['first', 'last'],
  /** I: whether 30016 tells the transaction_id of the first one. */
  duplicate_answer: ['bare', 'with_transaction_id'],
  /** I: whether a dest_ref whose purchase failed can be used again. */
  failed_reference: ['remembered', 'released'],
  /** C: clients send 12 to 20 capitals and digits. Not the harder one: nobody saw a shorter one refused. */
  dest_ref_format: ['up_to_20', '12_to_20'],
  /** I: whether a purchase without resp_url is 30005. */
  resp_url: ['required', 'optional'],
  /** C: whole amounts without decimals, others with two. I: that anything else is 30007. */
  amount_format: ['strict', 'any'],
  /** D: the server is the second word of pay_to_ref1. C: some clients send it in pay_to_ref2. */
  server_in: ['ref1', 'ref2'],
  /** C: pay_to_ref1 of a cash card is ten zeros. I: that anything else is 30009. */
  cashcard_ref1: ['zeros', 'any'],
  /** I: the code for a password that is wrong; no code of the table says so. */
  wrong_password: ['20003', '20001', '20004'],
  /** I: total_amount and balance are text or numbers; so are they in the balance. */
  amount_type: ['text', 'number'],
  /** I: bill_id, transaction_id and queue_id are text or numbers. */
  id_type: ['text', 'number'],
  /** D: prices of the catalogue are numbers. I: that they could be texts. */
  catalogue_price: ['number', 'text'],
  /** I: money is taken when the purchase is accepted, or when it has succeeded. */
  debit: ['on_acceptance', 'on_success'],
  /** C: get_output answers 30004 while a purchase is under way. I: or a status that is not final. */
  pending_output: ['30004', 'status'],
  /** I: whether a callback also tells that a purchase is under way, with a status that is not final. */
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
  /** I: further calls within a minute get 10003; 0 is no limit. No number is known. */
  calls_per_minute: 0,
  /** I: the vendor's clock is that of Asia/Bangkok. */
  utc_offset_minutes: 420,
};

/** I: nobody saw a callback delivered again. */
const RETRY_SCHEDULE_MS: readonly number[] = [];

export type Readings = ReadingsOf<typeof CHOICES, typeof NUMBERS>;

export const READINGS = readingSet(CHOICES, NUMBERS, RETRY_SCHEDULE_MS);
