import { readingSet, type ReadingsOf } from '../common/readings.js';

/**
 * The behaviour that the simulator chooses where the vendor's documents are silent. The first of each list is the
 * default: the reading that is harder on a client, unless the comment says otherwise. The letter says how we know:
 * D is documented, C is seen in clients, I is our own inference.
 */
const CHOICES = {
  /** I: a repeated mch_order_id buys again, returns the order on record, or is refused. */
  repeated_reference: ['buys_again', 'same_order', 'refused'],
  /** C: the signed text is form-encoded from the values. I: or it is the received text. */
  signed_text: ['form_encoded', 'as_received'],
  /** D has two codes for a wrong signature, and does not say which applies. */
  signature_error: ['1022', '1002'],
  /** D has two codes for a wrong clock as well. */
  clock_error: ['1021', '1024'],
  /** C: the codes of a success that clients accept. */
  success_code: ['200', '2000', '2010'],
  /** I: the HTTP status of a refusal is its code if that is a status, else 400; or it is always 200. */
  error_http_status: ['code', '200'],
  /** I: amounts are text or numbers. */
  amount_type: ['text', 'number'],
  /** I: the money of a purchase is returned when it failed, or when it is refunded. */
  money_back: ['when_failed', 'when_refunded'],
  /** I: the vendor calls back every change of state, or only the last. */
  callback_of: ['every_state', 'last_state'],
} as const;

const NUMBERS = {
  /** I: how long a purchase takes. */
  settle_after_ms: 3_000,
  /** D: the largest difference of a timestamp. */
  clock_tolerance_seconds: 120,
  /** I: more calls than this within a minute get 429; 0 is no limit. */
  calls_per_minute: 0,
  /** D: repeated 429 lead to a ban. I: the number of them. */
  ban_after: 3,
  /** D: a ban lasts from two minutes to three days. I: each lasts twice as long as the one before. */
  ban_seconds: 120,
  /** I: the vendor's clock is that of Asia/Kuala_Lumpur. */
  utc_offset_minutes: 480,
};

/** I: the schedule is not documented. */
const RETRY_SCHEDULE_MS = [60_000, 300_000];

export type Readings = ReadingsOf<typeof CHOICES, typeof NUMBERS>;

export const READINGS = readingSet(CHOICES, NUMBERS, RETRY_SCHEDULE_MS);
