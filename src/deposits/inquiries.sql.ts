import { SANDBOX_CHANNEL_ID } from '../core/sandbox.js';
import { statement } from '../database/parameters.js';
import { CALLBACK_IS_DUE } from './callbacks/channel-callbacks.repository.js';
import { NOW } from './deposits.sql.js';

/** The channels of deposits and callbacks with inquiries that are due. */
export const LIST_DUE_CHANNELS = statement(
  'deposits.list_due_channels',
  {},
  () => `
    SELECT DISTINCT channel_id FROM deposits
    WHERE next_inquiry_at <= statement_timestamp() AND channel_payment_id IS NOT NULL
    UNION SELECT DISTINCT channel_id FROM channel_callbacks WHERE ${CALLBACK_IS_DUE}`,
);

/** Claims deposits whose inquiries are due. If the process dies, others inquire when the lease ends. */
export const CLAIM_INQUIRIES = statement(
  'deposits.claim_inquiries',
  { channelId: 'int', limit: 'int', leaseMs: 'int' },
  ({ channelId, limit, leaseMs }) => `
    UPDATE deposits SET asked_at = ${NOW}, next_inquiry_at = ${NOW} + ${leaseMs} * interval '1 ms'
    WHERE id IN (SELECT id FROM deposits
                 WHERE channel_id = ${channelId} AND next_inquiry_at <= statement_timestamp()
                   AND channel_payment_id IS NOT NULL
                 ORDER BY next_inquiry_at LIMIT ${limit} FOR NO KEY UPDATE SKIP LOCKED)
    RETURNING id, channel_payment_id, status, created_at, expires_at, answered_at, asked_at, next_inquiry_at,
              (SELECT earlier.asked_at FROM deposits earlier WHERE earlier.id = deposits.id) AS asked_before`,
);

/**
 * Records the answer to an inquiry. A callback that came meanwhile has set an earlier inquiry, which stays. An offer that the
 * vendor has ended expires at once.
 */
export const RECORD_INQUIRY = statement(
  'deposits.record_inquiry',
  {
    ...({ id: 'bigint', claimedUntil: 'timestamptz', nextAt: 'timestamptz?' } as const),
    ...({ answeredAt: 'timestamptz?', hasEnded: 'boolean' } as const),
  },
  ({ id, claimedUntil, nextAt, answeredAt, hasEnded }) => `
    UPDATE deposits SET
      next_inquiry_at = CASE WHEN next_inquiry_at = ${claimedUntil} THEN ${nextAt} ELSE next_inquiry_at END,
      answered_at = greatest(answered_at, ${answeredAt}),
      expires_at = CASE WHEN ${hasEnded} AND status = 'pending' THEN least(expires_at, ${answeredAt}) ELSE expires_at END
    WHERE id = ${id}`,
);

/** Sandbox deposits with something to report now. Never finds a deposit of another channel. */
export const LIST_DUE_IN_SANDBOX = statement(
  'deposits.list_due_in_sandbox',
  { limit: 'int', id: 'bigint?' },
  ({ limit, id }) => `
    SELECT id, merchant_id, deposit_number, amount, amount_to_pay, created_at,
           extract(epoch FROM expires_at - created_at)::int AS expires_in,
           extract(epoch FROM next_inquiry_at - created_at)::float8 AS reported_after
    FROM deposits
    WHERE channel_id = ${SANDBOX_CHANNEL_ID} AND next_inquiry_at <= statement_timestamp() AND id = coalesce(${id}, id)
    ORDER BY next_inquiry_at LIMIT ${limit}`,
);

export const SET_INQUIRY = statement(
  'deposits.set_inquiry',
  { id: 'bigint', after: 'int?' },
  ({ id, after }) => `
    UPDATE deposits SET next_inquiry_at = created_at + ${after} * interval '1 second' WHERE id = ${id}`,
);
