import { rowsOf, statement } from '../database/parameters.js';

export const NOW = `date_trunc('milliseconds', statement_timestamp())`;

/**
 * In SQL: the slips that were presented for a deposit as JSON, oldest first, each with the payment that it reports.
 * @param deposit its alias.
 */
export const slipsOf = (deposit: string): string => `(
  SELECT json_agg(json_build_object('slip_ref', s.slip_ref, 'state', s.state, 'code', s.code, 'created_at', s.created_at,
                                    'payment_id', p.public_id) ORDER BY s.id)
  FROM slip_checks s LEFT JOIN incoming_payments p ON p.channel_id = s.channel_id AND p.slip_ref = s.slip_ref
  WHERE s.deposit_id = ${deposit}.id)`;

const CHANNEL_AND_SLIPS = `(SELECT code FROM deposit_channels WHERE id = d.channel_id) AS channel, ${slipsOf('d')} AS slips`;
/** The deposit `d` with its channel's code and its slips. */
const DEPOSIT = `d.*, ${CHANNEL_AND_SLIPS}`;
/** The same without the image of the QR code, which may have 87 KB. */
const LISTED = `d.id, d.deposit_number, d.merchant_id, d.channel_id, d.reference_id, d.reference, d.status, d.amount, d.amount_to_pay,
                d.paid_amount, d.qr_payload, d.channel_payment_id, d.asked_at, d.answered_at, d.holds_amount, d.hold_until, d.expires_at,
                d.paid_at, d.cancelled_at, d.expired_at, d.next_inquiry_at, d.metadata, d.source, d.created_at, d.updated_at, ${CHANNEL_AND_SLIPS}`;

/** In SQL: the booked payments of a deposit as the text of a JSON array, oldest first. */
export const bookedPaymentsOf = (deposit: string): string => `(
  SELECT coalesce(json_agg(json_build_object(
           'public_id', p.public_id, 'amount', p.amount::text, 'paid_at', p.paid_at, 'booked_at', p.booked_at,
           'booked_by', p.booked_by, 'slip_ref', p.slip_ref) ORDER BY p.booked_at, p.id), '[]')::text
  FROM incoming_payments p WHERE p.deposit_id = ${deposit}.id AND p.state = 'booked')`;

/**
 * Free amounts: at random those that were never dealt, and then those that have been free the longest. To a deposit without added
 * satang, no amount was dealt.
 */
export const LIST_FREE_AMOUNTS = statement(
  'deposits.list_free_amounts',
  { channelId: 'int', amounts: rowsOf({ amount_to_pay: 'bigint' }), limit: 'int' },
  ({ channelId, amounts, limit }) => `
    SELECT dealt.amount_to_pay, last.status
    FROM ${amounts.as('dealt')} LEFT JOIN LATERAL (
      SELECT d.holds_amount, d.hold_until, d.status FROM deposits d
      WHERE d.channel_id = ${channelId} AND d.amount_to_pay = dealt.amount_to_pay AND d.amount_to_pay <> d.amount
      ORDER BY d.created_at DESC LIMIT 1) last ON true
    WHERE last.holds_amount IS NOT TRUE ORDER BY last.hold_until NULLS FIRST, random() LIMIT ${limit}`,
);

/** Inserts a deposit, unless another one holds the amount or has the merchant's reference. */
export const INSERT_DEPOSIT = statement(
  'deposits.insert',
  {
    ...({ depositNumber: 'text', merchantId: 'int', channelId: 'int', referenceId: 'text' } as const),
    ...({ reference: 'text', amount: 'bigint', amountToPay: 'bigint', qrPayload: 'text?' } as const),
    ...({ holdsAmount: 'boolean', seconds: 'int', holdHours: 'int', metadata: 'text?', source: 'text' } as const),
    inquiryAfter: 'int?',
  },
  (of) => `
    INSERT INTO deposits AS d (deposit_number, merchant_id, channel_id, reference_id, reference, amount, amount_to_pay, qr_payload,
                               holds_amount, expires_at, hold_until, metadata, source, created_at, updated_at, next_inquiry_at)
    SELECT ${of.depositNumber}, ${of.merchantId}, ${of.channelId}, ${of.referenceId}, ${of.reference}, ${of.amount},
           ${of.amountToPay}, ${of.qrPayload}, ${of.holdsAmount}, expires_at, expires_at + ${of.holdHours} * interval '1 hour',
           ${of.metadata}::json, ${of.source}, ${NOW}, ${NOW}, ${NOW} + ${of.inquiryAfter} * interval '1 second'
    FROM (SELECT ${NOW} + ${of.seconds} * interval '1 second' AS expires_at) moment
    ON CONFLICT DO NOTHING RETURNING ${DEPOSIT}`,
);

/** One creation of a merchant at a time, so that its limits hold. The first number is unique among our advisory locks. */
export const LOCK_CREATIONS = statement(
  'deposits.lock_creations',
  { merchantId: 'int' },
  ({ merchantId }) => `SELECT pg_advisory_xact_lock(hashtext('deposits'), ${merchantId})`,
);

/**
 * The merchant's deposits until now: whether one has the reference, how many are open, and how many hold an amount of the
 * channel. `wait_seconds`: how long the merchant must wait before the next creation.
 */
export const FIND_USE = statement(
  'deposits.use',
  { merchantId: 'int', referenceId: 'text', channelId: 'int', maxOpen: 'int', maxHeld: 'int', perMinute: 'int' },
  ({ merchantId, referenceId, channelId, maxOpen, maxHeld, perMinute }) => `
    SELECT EXISTS (SELECT FROM deposits WHERE merchant_id = ${merchantId} AND reference_id = ${referenceId}) AS is_made,
           (SELECT count(*) FROM (SELECT FROM deposits WHERE merchant_id = ${merchantId} AND status = 'pending'
                                  LIMIT ${maxOpen}) open)::int AS open,
           (SELECT count(*) FROM (SELECT FROM deposits WHERE merchant_id = ${merchantId} AND channel_id = ${channelId}
                                    AND holds_amount LIMIT ${maxHeld}) held)::int AS held,
           (SELECT ceil(extract(epoch FROM created_at + interval '1 minute' - statement_timestamp()))::int FROM deposits
            WHERE merchant_id = ${merchantId} AND source = 'api'
            ORDER BY id DESC OFFSET greatest(${perMinute} - 1, 0) LIMIT 1) AS wait_seconds`,
);

export const FIND_DEPOSIT = statement(
  'deposits.find',
  { merchantId: 'int', referenceId: 'text' },
  ({ merchantId, referenceId }) => `
    SELECT ${DEPOSIT}, ${bookedPaymentsOf('d')} AS booked
    FROM deposits d WHERE d.merchant_id = ${merchantId} AND d.reference_id = ${referenceId}`,
);

const page = (condition: 'any' | 'reference') =>
  statement(
    `deposits.page.${condition}`,
    {
      ...({ merchantId: 'int', referenceId: 'text?', status: 'text?', before: 'bigint', limit: 'int' } as const),
      ...({ createdFrom: 'timestamptz?', createdTo: 'timestamptz?' } as const),
    },
    ({ merchantId, referenceId, status, before, limit, createdFrom, createdTo }) => `
    SELECT ${LISTED}, ${bookedPaymentsOf('d')} AS booked FROM deposits d
    WHERE d.merchant_id = ${merchantId} AND d.id < ${before} AND (${status} IS NULL OR d.status = ${status})
      AND ${condition === 'any' ? `${referenceId} IS NULL` : `d.reference_id = ${referenceId}`}
      AND d.created_at >= coalesce(${createdFrom}, '-infinity') AND d.created_at <= coalesce(${createdTo}, 'infinity')
    ORDER BY d.id DESC LIMIT ${limit}`,
  );

/** Pages of a merchant's deposits, newest first: of all deposits, or only the one with a reference. */
export const DEPOSITS_PAGE = { any: page('any'), reference: page('reference') };

export const CANCEL_DEPOSIT = statement(
  'deposits.cancel',
  { merchantId: 'int', referenceId: 'text' },
  ({ merchantId, referenceId }) => `
    UPDATE deposits d SET status = 'cancelled', qr_image = NULL, cancelled_at = ${NOW}, updated_at = ${NOW}
    WHERE merchant_id = ${merchantId} AND reference_id = ${referenceId} AND status = 'pending' RETURNING ${DEPOSIT}`,
);

/** Whether an offer still lacks its QR code, because its channel makes the code only after the creation. */
const UNFINISHED = `status = 'pending' AND qr_payload IS NULL AND qr_image IS NULL`;

/** Adds the QR code that the channel has made to an offer without one. */
export const FINISH_DEPOSIT = statement(
  'deposits.finish',
  {
    ...({ id: 'bigint', qrPayload: 'text?', qrImage: 'text?', paymentId: 'text?' } as const),
    ...({ expiresAt: 'timestamptz?', inquiryAfter: 'int?' } as const),
  },
  ({ id, qrPayload, qrImage, paymentId, expiresAt, inquiryAfter }) => `
    UPDATE deposits SET qr_payload = ${qrPayload}, qr_image = ${qrImage}, channel_payment_id = ${paymentId},
                        expires_at = greatest(least(expires_at, ${expiresAt}), created_at),
                        next_inquiry_at = ${NOW} + ${inquiryAfter} * interval '1 second', updated_at = ${NOW}
    WHERE id = ${id} AND ${UNFINISHED} RETURNING id`,
);

/** Claims the making of a QR code for one process. A claim that is older than any call belongs to a process that has died. */
export const CLAIM_CODE = statement(
  'deposits.claim_code',
  { id: 'bigint', leaseMs: 'int' },
  ({ id, leaseMs }) => `
    UPDATE deposits SET asked_at = ${NOW}
    WHERE id = ${id} AND ${UNFINISHED} AND coalesce(asked_at <= statement_timestamp() - ${leaseMs} * interval '1 ms', true)
    RETURNING id`,
);

/** Ends a claim without a QR code. The next one may begin after a pause. */
export const RELEASE_CODE = statement(
  'deposits.release_code',
  { id: 'bigint', leaseMs: 'int', pauseMs: 'int' },
  ({ id, leaseMs, pauseMs }) => `
    UPDATE deposits SET asked_at = ${NOW} + (${pauseMs} - ${leaseMs}) * interval '1 ms' WHERE id = ${id} AND ${UNFINISHED}`,
);

/** Locks deposits in the order of their ids. */
export const LOCK_DEPOSITS = statement(
  'deposits.lock_many',
  { ids: rowsOf({ id: 'bigint' }) },
  ({ ids }) => `SELECT id FROM deposits WHERE id IN (SELECT id FROM ${ids.as('given')}) ORDER BY id FOR NO KEY UPDATE`,
);

/** Adds booked payments to their deposits, whatever the deposits' status. The caller must hold the locks. */
export const PAY_DEPOSITS = statement(
  'deposits.pay',
  { booked: rowsOf({ id: 'bigint', amount: 'bigint', paid_at: 'timestamptz' }) },
  ({ booked }) => `
    UPDATE deposits d SET status = 'paid', qr_image = NULL, paid_amount = d.paid_amount + b.amount, paid_at = coalesce(d.paid_at, b.paid_at),
                          updated_at = ${NOW}
    FROM (SELECT id, sum(amount)::bigint AS amount, min(paid_at) AS paid_at FROM ${booked.as('each')} GROUP BY id) b
    WHERE d.id = b.id RETURNING ${DEPOSIT}`,
);

export const LIST_BOOKED_PAYMENTS = statement(
  'deposits.booked_payments',
  { deposits: rowsOf({ id: 'bigint' }) },
  ({ deposits }) => `
    SELECT deposit_id, public_id, amount, paid_at, booked_at, slip_ref FROM incoming_payments
    WHERE deposit_id IN (SELECT id FROM ${deposits.as('given')}) AND state = 'booked' ORDER BY booked_at, id`,
);

const CANDIDATE = `d.id, d.deposit_number, d.channel_id, d.merchant_id, d.reference, d.channel_payment_id, d.status, d.amount, d.amount_to_pay,
                   d.created_at, d.expires_at, d.cancelled_at, d.hold_until,
                   EXISTS (SELECT FROM incoming_payments p
                           WHERE p.deposit_id = d.id AND p.state = 'waiting' AND p.reason = 'WALLET_FULL') AS is_full`;

/**
 * A channel's deposits that payments may be for, found by any of their names, or by an amount that was dealt. A deposit number
 * also finds deposits of other channels.
 */
export const LIST_CANDIDATES = statement(
  'deposits.candidates',
  {
    ...({ channelId: 'int', from: 'timestamptz', until: 'timestamptz' } as const),
    ...({ references: 'text[]', amounts: rowsOf({ amount: 'bigint' }) } as const),
  },
  ({ channelId, from, until, references, amounts }) => `
    SELECT ${CANDIDATE} FROM deposits d WHERE d.channel_id = ${channelId} AND d.reference = ANY(${references})
    UNION
    SELECT ${CANDIDATE} FROM deposits d WHERE d.deposit_number = ANY(${references})
    UNION
    SELECT ${CANDIDATE} FROM deposits d WHERE d.channel_id = ${channelId} AND d.channel_payment_id = ANY(${references})
    UNION
    SELECT ${CANDIDATE} FROM (SELECT DISTINCT amount FROM ${amounts.as('each')}) paid
    JOIN deposits d ON d.channel_id = ${channelId} AND d.amount_to_pay = paid.amount AND d.amount_to_pay <> d.amount
                   AND d.created_at > ${from} AND d.created_at < ${until}`,
);

/**
 * Offers that may expire now. If the vendor knows the deposit's payment, it must first answer an inquiry that begins after the
 * end of the offer, because the payment may just have been made. After ten minutes, the offer expires without that answer.
 */
export const LIST_EXPIRED = statement(
  'deposits.list_expired',
  { limit: 'int' },
  ({ limit }) => `
    SELECT id, merchant_id FROM deposits WHERE status = 'pending' AND expires_at <= statement_timestamp()
      AND (channel_payment_id IS NULL OR answered_at >= expires_at
           OR expires_at <= statement_timestamp() - interval '10 minutes')
    ORDER BY expires_at LIMIT ${limit}`,
);

/** Ends offers that nothing else has ended meanwhile. */
export const EXPIRE_DEPOSITS = statement(
  'deposits.expire',
  { deposits: rowsOf({ id: 'bigint' }) },
  ({ deposits }) => `
    UPDATE deposits d SET status = 'expired', qr_image = NULL, expired_at = ${NOW}, updated_at = ${NOW}
    WHERE d.id IN (SELECT id FROM deposits WHERE id IN (SELECT id FROM ${deposits.as('given')}) AND status = 'pending'
                   ORDER BY id FOR NO KEY UPDATE)
    RETURNING ${DEPOSIT}`,
);

/**
 * Frees amounts a while after the end of their hold, because the clocks of banks differ from ours. So the times of two deposits
 * with one amount never overlap.
 */
export const FREE_AMOUNTS = statement(
  'deposits.free_amounts',
  { limit: 'int', marginMs: 'int' },
  ({ limit, marginMs }) => `
    UPDATE deposits SET holds_amount = false
    WHERE id IN (SELECT id FROM deposits
                 WHERE holds_amount AND hold_until <= statement_timestamp() - ${marginMs} * interval '1 ms'
                 ORDER BY hold_until LIMIT ${limit} FOR NO KEY UPDATE SKIP LOCKED)
    RETURNING id`,
);
