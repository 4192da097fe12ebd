import { rowsOf, statement } from '../../database/parameters.js';

/**
 * Slips of a channel are presented and decided one at a time. So a slip that is presented for several deposits is verified
 * once, and all of its rows get the same decision. The first number is unique among our advisory locks.
 */
export const LOCK_SLIPS = statement(
  'slip_checks.lock',
  { channelId: 'int' },
  ({ channelId }) => `SELECT pg_advisory_xact_lock(hashtext('slip_checks'), ${channelId})`,
);

/**
 * One channel at a time records a slip, because a slip may show the digits of two channels' accounts. The first number is unique
 * among our advisory locks.
 */
export const LOCK_SLIP = statement(
  'slip_checks.lock_slip',
  { slipRef: 'text' },
  ({ slipRef }) => `SELECT pg_advisory_xact_lock(hashtext('incoming_payments'), hashtext(${slipRef}))`,
);

/** Whether the deposit has the slip, how many slips it has, and for how many seconds the merchant must wait. */
export const FIND_USE = statement(
  'slip_checks.use',
  { depositId: 'bigint', merchantId: 'int', slipRef: 'text', perMinute: 'int' },
  ({ depositId, merchantId, slipRef, perMinute }) => `
    SELECT EXISTS (SELECT FROM slip_checks WHERE deposit_id = ${depositId} AND slip_ref = ${slipRef}) AS is_known,
           (SELECT count(*) FROM slip_checks WHERE deposit_id = ${depositId})::int AS slips,
           (SELECT ceil(extract(epoch FROM s.created_at + interval '1 minute' - statement_timestamp()))::int
            FROM slip_checks s JOIN deposits d ON d.id = s.deposit_id
            WHERE s.created_at > statement_timestamp() - interval '1 minute' AND d.merchant_id = ${merchantId}
            ORDER BY s.id DESC OFFSET ${perMinute} - 1 LIMIT 1) AS wait_seconds`,
);

const CHECK = 's.id, s.deposit_id, s.channel_id, s.slip_ref, s.tries';

/**
 * Adds a slip. A slip that is known from another deposit is not verified again. `tries` counts the caller's call, if it makes
 * one.
 * @returns the slip if it must be verified.
 */
export const INSERT_CHECK = statement(
  'slip_checks.insert',
  { depositId: 'bigint', channelId: 'int', slipRef: 'text', tries: 'int', waitSeconds: 'int' },
  ({ depositId, channelId, slipRef, tries, waitSeconds }) => `
    WITH added AS (
      INSERT INTO slip_checks AS s (deposit_id, channel_id, slip_ref, state, code, tries, next_at)
      SELECT ${depositId}, ${channelId}, ${slipRef}, coalesce(known.state, 'checking'), known.code,
             CASE WHEN known.state IS NULL THEN ${tries} ELSE 0 END,
             CASE WHEN known.state IS NULL THEN statement_timestamp() + ${waitSeconds} * interval '1 second' END
      FROM (VALUES (1)) one LEFT JOIN LATERAL (
        SELECT state, code FROM slip_checks WHERE channel_id = ${channelId} AND slip_ref = ${slipRef} ORDER BY id LIMIT 1) known ON true
      RETURNING ${CHECK}, s.next_at)
    SELECT * FROM added WHERE next_at IS NOT NULL`,
);

/** The channels with slips to verify now, and the paused ones whose slip services must be tested now. */
export const LIST_DUE_CHANNELS = statement(
  'slip_checks.list_due_channels',
  {},
  () => `
    SELECT * FROM deposit_channels
    WHERE slips_paused_until <= statement_timestamp()
       OR slips_paused_until IS NULL AND id IN (SELECT channel_id FROM slip_checks WHERE next_at <= statement_timestamp())`,
);

/** Claims slips to verify now. Each is due again after its next wait, unless an answer decides it. */
export const CLAIM_CHECKS = statement(
  'slip_checks.claim',
  { channelId: 'int', limit: 'int', waits: rowsOf({ tries: 'int', seconds: 'int' }) },
  ({ channelId, limit, waits }) => `
    UPDATE slip_checks s SET tries = s.tries + 1, next_at = statement_timestamp() + wait.seconds * interval '1 second'
    FROM ${waits.as('wait')}
    WHERE wait.tries = least(s.tries + 1, (SELECT count(*) FROM ${waits.as('all_waits')}))
      AND s.id IN (
        SELECT due.id FROM slip_checks due JOIN deposit_channels c ON c.id = due.channel_id
        WHERE due.channel_id = ${channelId} AND due.next_at <= statement_timestamp() AND c.slips_paused_until IS NULL
        ORDER BY due.next_at LIMIT ${limit} FOR NO KEY UPDATE OF due SKIP LOCKED)
    RETURNING ${CHECK}`,
);

/**
 * Decides a slip for all deposits for which it was presented. Two processes may call about one slip, so the answer of one may confirm it
 * after the other, whose last call had no answer, has refused it as unknown.
 */
export const DECIDE_SLIP = statement(
  'slip_checks.decide',
  { channelId: 'int', slipRef: 'text', state: 'text', code: 'text?' },
  ({ channelId, slipRef, state, code }) => `
    UPDATE slip_checks SET state = ${state}, code = ${code}, next_at = NULL
    WHERE channel_id = ${channelId} AND slip_ref = ${slipRef}
      AND (state = 'checking' OR code = 'SLIP_UNKNOWN' AND ${state} = 'confirmed')`,
);

/**
 * Stops the calls to the slip service of a channel for a while, unless the channel has other credentials now than the refused
 * ones. The refused call does not count as a try.
 */
export const PAUSE_SLIPS = statement(
  'slip_checks.pause',
  { id: 'bigint', channelId: 'int', sealed: 'bytea?', seconds: 'int' },
  ({ id, channelId, sealed, seconds }) => `
    WITH due AS (UPDATE slip_checks SET tries = greatest(tries - 1, 0), next_at = statement_timestamp()
                 WHERE id = ${id} AND state = 'checking')
    UPDATE deposit_channels SET slips_paused_until = statement_timestamp() + ${seconds} * interval '1 second'
    WHERE id = ${channelId} AND credentials_sealed IS NOT DISTINCT FROM ${sealed}`,
);

/** Claims a paused channel, to test whether its slip service accepts us again. It is due again after a while. */
export const CLAIM_PAUSED = statement(
  'slip_checks.claim_paused',
  { channelId: 'int', seconds: 'int' },
  ({ channelId, seconds }) => `
    UPDATE deposit_channels SET slips_paused_until = statement_timestamp() + ${seconds} * interval '1 second'
    WHERE id = ${channelId} AND slips_paused_until <= statement_timestamp()
    RETURNING id`,
);

export const RESUME_SLIPS = statement(
  'slip_checks.resume',
  { channelId: 'int' },
  ({ channelId }) => `UPDATE deposit_channels SET slips_paused_until = NULL WHERE id = ${channelId}`,
);
