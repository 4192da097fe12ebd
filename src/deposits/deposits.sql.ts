import { rowsOf, statement } from '../database/parameters.js';

const NOW = `date_trunc('milliseconds', statement_timestamp())`;

/** The deposit `d` with its channel's code. */
const DEPOSIT = `d.*, (SELECT code FROM deposit_channels WHERE id = d.channel_id) AS channel`;

/** For each amount, the last deposit of the channel to which it was dealt. Deposits that operators made were dealt none. */
export const DEALT_BEFORE = statement(
  'deposits.dealt_before',
  { channelId: 'int', amounts: rowsOf({ amount_to_pay: 'bigint' }) },
  ({ channelId, amounts }) => `
    SELECT dealt.amount_to_pay, last.holds_amount, last.hold_until, last.status
    FROM ${amounts.as('dealt')} LEFT JOIN LATERAL (
      SELECT d.holds_amount, d.hold_until, d.status FROM deposits d
      WHERE d.channel_id = ${channelId} AND d.amount_to_pay = dealt.amount_to_pay AND d.amount_to_pay <> d.amount
      ORDER BY d.created_at DESC LIMIT 1) last ON true`,
);

/** Inserts a deposit, unless another one holds the amount or has the merchant's reference. */
export const INSERT_DEPOSIT = statement(
  'deposits.insert',
  {
    ...({ depositNumber: 'text', merchantId: 'int', channelId: 'int', referenceId: 'text' } as const),
    ...({ reference: 'text', amount: 'bigint', amountToPay: 'bigint', qrPayload: 'text?' } as const),
    ...({ holdsAmount: 'boolean', seconds: 'int', holdHours: 'int', metadata: 'text?', source: 'text' } as const),
  },
  (of) => `
    INSERT INTO deposits (deposit_number, merchant_id, channel_id, reference_id, reference, amount, amount_to_pay, qr_payload,
                          holds_amount, expires_at, hold_until, metadata, source, created_at, updated_at)
    SELECT ${of.depositNumber}, ${of.merchantId}, ${of.channelId}, ${of.referenceId}, ${of.reference}, ${of.amount},
           ${of.amountToPay}, ${of.qrPayload}, ${of.holdsAmount}, expires_at, expires_at + ${of.holdHours} * interval '1 hour',
           ${of.metadata}::json, ${of.source}, ${NOW}, ${NOW}
    FROM (SELECT ${NOW} + ${of.seconds} * interval '1 second' AS expires_at) moment
    ON CONFLICT DO NOTHING RETURNING id`,
);

/** Locks deposits in the order of their ids. */
export const LOCK_DEPOSITS = statement(
  'deposits.lock_many',
  { ids: rowsOf({ id: 'bigint' }) },
  ({ ids }) => `SELECT id FROM deposits WHERE id IN (SELECT id FROM ${ids.as('asked')}) ORDER BY id FOR NO KEY UPDATE`,
);

/** Adds booked payments to their deposits, whatever the deposits' status. The caller must hold the locks. */
export const PAY_DEPOSITS = statement(
  'deposits.pay',
  { booked: rowsOf({ id: 'bigint', amount: 'bigint', paid_at: 'timestamptz' }) },
  ({ booked }) => `
    UPDATE deposits d SET status = 'paid', paid_amount = d.paid_amount + b.amount, paid_at = coalesce(d.paid_at, b.paid_at),
                          updated_at = ${NOW}
    FROM (SELECT id, sum(amount)::bigint AS amount, min(paid_at) AS paid_at FROM ${booked.as('each')} GROUP BY id) b
    WHERE d.id = b.id RETURNING ${DEPOSIT}`,
);

export const FIND_BOOKED_PAYMENTS = statement(
  'deposits.booked_payments',
  { deposits: rowsOf({ id: 'bigint' }) },
  ({ deposits }) => `
    SELECT deposit_id, public_id, amount, paid_at, booked_at, booked_by FROM incoming_payments
    WHERE deposit_id IN (SELECT id FROM ${deposits.as('asked')}) AND state = 'booked' ORDER BY booked_at, id`,
);

const CANDIDATE = `d.id, d.deposit_number, d.merchant_id, d.reference, d.status, d.amount, d.amount_to_pay, d.created_at,
                   d.expires_at, d.hold_until`;

/** Deposits of a channel that payments may be for: by reference, or by an amount that was dealt. */
export const FIND_CANDIDATES = statement(
  'deposits.candidates',
  {
    ...({ channelId: 'int', from: 'timestamptz', until: 'timestamptz' } as const),
    ...({ references: 'text[]', amounts: rowsOf({ amount: 'bigint' }) } as const),
  },
  ({ channelId, from, until, references, amounts }) => `
    SELECT ${CANDIDATE} FROM deposits d WHERE d.channel_id = ${channelId} AND d.reference = ANY(${references})
    UNION
    SELECT ${CANDIDATE} FROM (SELECT DISTINCT amount FROM ${amounts.as('each')}) paid
    JOIN deposits d ON d.channel_id = ${channelId} AND d.amount_to_pay = paid.amount AND d.amount_to_pay <> d.amount
                   AND d.created_at > ${from} AND d.created_at < ${until}`,
);

export const FIND_EXPIRED = statement(
  'deposits.find_expired',
  { limit: 'int' },
  ({ limit }) => `
    SELECT id, merchant_id FROM deposits WHERE status = 'pending' AND expires_at <= statement_timestamp()
    ORDER BY expires_at LIMIT ${limit}`,
);

/** Ends offers that nothing else has ended meanwhile. */
export const EXPIRE_DEPOSITS = statement(
  'deposits.expire',
  { deposits: rowsOf({ id: 'bigint' }) },
  ({ deposits }) => `
    UPDATE deposits d SET status = 'expired', updated_at = ${NOW}
    WHERE d.id IN (SELECT id FROM deposits WHERE id IN (SELECT id FROM ${deposits.as('asked')}) AND status = 'pending'
                   ORDER BY id FOR NO KEY UPDATE)
    RETURNING ${DEPOSIT}`,
);

/** Frees amounts whose time is over, with the clocks' difference, so that the times of two deposits never overlap. */
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
