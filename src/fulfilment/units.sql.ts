import type { Statement } from '../database/database.js';

/** A unit that this process may act on, once, under the lease of its claim. */
export interface ClaimedUnit {
  order_id: bigint;
  item: number;
  unit: number;
  supplier_id: number;
  /** The supplier's code. */
  supplier: string;
  claim: number;
  action: 'send' | 'inquire';
  /** A send of another claim never came back: its process died or stopped. */
  interrupted: boolean;
  sends: number;
  inquiries: number;
  order_number: string;
  user_id: string;
  server_id: string | null;
  character_id: string | null;
  request_id: string | null;
  supplier_sku: string;
  adapter: 'http';
  base_url: string;
  token_sealed: Buffer | null;
  timeout_ms: number;
}

/**
 * Takes due units and commits the intent to act on each. A unit that was left in `sending` past its lease is taken for
 * an inquiry: what became of its send is unknown.
 * $1 suppliers, $2 room of each, $3 room altogether, $4 process, $5 milliseconds of lease beyond the supplier's timeout.
 */
export const CLAIM_UNITS: Statement = {
  name: 'units.claim',
  text: `
    WITH due AS (
      SELECT found.* FROM unnest($1::int[], $2::int[]) AS lane(supplier_id, room)
      CROSS JOIN LATERAL (
        SELECT order_id, item, unit, state, next_action FROM order_units
        WHERE supplier_id = lane.supplier_id AND next_action_at <= statement_timestamp()
        ORDER BY next_action_at LIMIT lane.room FOR NO KEY UPDATE SKIP LOCKED) found
      LIMIT $3),
    claimed AS (
      UPDATE order_units u SET
        state = CASE due.next_action WHEN 'send' THEN 'sending' ELSE 'unknown' END,
        next_action = 'inquire',
        next_action_at = statement_timestamp() + make_interval(secs => (s.timeout_ms + $5::int) / 1000.0),
        claim = u.claim + 1,
        claimed_by = $4,
        sends = u.sends + CASE due.next_action WHEN 'send' THEN 1 ELSE 0 END,
        inquiries = CASE due.next_action WHEN 'send' THEN 0 ELSE u.inquiries + 1 END,
        first_sent_at = coalesce(u.first_sent_at, statement_timestamp()),
        last_sent_at = CASE due.next_action WHEN 'send' THEN statement_timestamp() ELSE u.last_sent_at END,
        unknown_since = CASE due.next_action WHEN 'send' THEN u.unknown_since
                                             ELSE coalesce(u.unknown_since, statement_timestamp()) END,
        updated_at = statement_timestamp()
      FROM due, suppliers s
      WHERE u.order_id = due.order_id AND u.item = due.item AND u.unit = due.unit AND s.id = u.supplier_id
      RETURNING u.order_id, u.item, u.unit, u.supplier_id, u.claim, due.next_action AS action,
                due.state = 'sending' AS interrupted, u.sends, u.inquiries,
                s.code AS supplier, s.adapter, s.base_url, s.token_sealed, s.timeout_ms),
    -- An order or item that is locked is being settled, and then marked there: waiting here could close a circle.
    -- Pending is said in a way that the index of open orders does not serve: each order is to be found by its id, and
    -- after a quiet time PostgreSQL would take that index for empty and look through all of it.
    started AS (
      UPDATE orders SET status = 'processing', updated_at = date_trunc('milliseconds', statement_timestamp())
      WHERE id IN (SELECT id FROM orders
                   WHERE id IN (SELECT order_id FROM claimed) AND status NOT IN ('processing', 'completed', 'failed')
                   FOR NO KEY UPDATE SKIP LOCKED)),
    started_items AS (
      UPDATE order_items i SET status = 'processing'
      FROM (SELECT order_id, position FROM order_items
            WHERE (order_id, position) IN (SELECT order_id, item FROM claimed) AND status = 'pending'
            FOR NO KEY UPDATE SKIP LOCKED) waiting
      WHERE i.order_id = waiting.order_id AND i.position = waiting.position)
    SELECT claimed.*, o.order_number, o.user_id, o.server_id, o.character_id, o.request_id, i.supplier_sku
    FROM claimed
    JOIN orders o ON o.id = claimed.order_id
    JOIN order_items i ON i.order_id = claimed.order_id AND i.position = claimed.item`,
};

export interface PostponedUnit {
  supplier_id: number;
  state: 'queued' | 'unknown' | 'review';
  /** Milliseconds until the unit is due again; null in review. */
  due_in_ms: number | null;
  order_id: bigint;
  item: number;
  unit: number;
}

/**
 * Records outcomes that settle nothing, for claims that still hold (contract, section 8, rule 3).
 * - not accepted, and never unknown before: queued again.
 * - unknown for too long: review.
 * - never seen, and quiet for long enough since the last send: sent again, under the same reference.
 * - else: inquired about again.
 * $1–$3 units, $4 claims, $5 outcomes, $6 delays in ms, $7 whether it may be sent again, $8 whether it can be inquired
 * about, $9 quiet period in ms, $10 review after, in ms.
 */
export const POSTPONE_UNITS: Statement = {
  name: 'units.postpone',
  text: `
    WITH decided AS (
      SELECT u.order_id, u.item, u.unit, c.delay_ms,
        CASE WHEN c.outcome = 'not_accepted' AND u.unknown_since IS NULL THEN 'requeue'
             WHEN NOT c.can_inquire THEN 'review'
             WHEN u.unknown_since <= statement_timestamp() - make_interval(secs => $10::bigint / 1000.0) THEN 'review'
             WHEN c.outcome = 'never_seen' AND c.may_resend
                  AND u.last_sent_at <= statement_timestamp() - make_interval(secs => $9::bigint / 1000.0) THEN 'resend'
             ELSE 'inquire' END AS decision
      FROM unnest($1::bigint[], $2::smallint[], $3::smallint[], $4::int[], $5::text[], $6::int[], $7::bool[], $8::bool[])
           AS c(order_id, item, unit, claim, outcome, delay_ms, may_resend, can_inquire)
      JOIN order_units u ON u.order_id = c.order_id AND u.item = c.item AND u.unit = c.unit AND u.claim = c.claim
      WHERE u.state IN ('sending', 'unknown')
      ORDER BY u.order_id, u.item, u.unit FOR NO KEY UPDATE OF u)
    UPDATE order_units u SET
      claimed_by = NULL,
      state = CASE d.decision WHEN 'requeue' THEN 'queued' WHEN 'review' THEN 'review' ELSE 'unknown' END,
      next_action = CASE WHEN d.decision IN ('requeue', 'resend') THEN 'send' ELSE 'inquire' END,
      next_action_at = CASE d.decision WHEN 'review' THEN NULL WHEN 'resend' THEN statement_timestamp()
                       ELSE statement_timestamp() + make_interval(secs => d.delay_ms / 1000.0) END,
      unknown_since = CASE d.decision WHEN 'requeue' THEN NULL
                                      ELSE coalesce(u.unknown_since, statement_timestamp()) END,
      updated_at = statement_timestamp()
    FROM decided d
    WHERE u.order_id = d.order_id AND u.item = d.item AND u.unit = d.unit
    RETURNING u.supplier_id, u.state, u.order_id, u.item, u.unit,
      CASE d.decision WHEN 'review' THEN NULL WHEN 'resend' THEN 0 ELSE d.delay_ms END AS due_in_ms`,
};

/** Ends the claims of workers that are gone: their units are due at once, for an inquiry. $1 processes. */
export const RELEASE_UNITS: Statement = {
  name: 'units.release',
  text: `UPDATE order_units SET next_action_at = statement_timestamp(), updated_at = statement_timestamp()
         WHERE claimed_by = ANY($1::text[]) AND next_action_at > statement_timestamp()`,
};

/** Suppliers with due units, for the reconciler: one probe of the index for each supplier. */
export const FIND_OVERDUE: Statement = {
  name: 'units.find_overdue',
  text: `SELECT id FROM suppliers s WHERE EXISTS (
           SELECT 1 FROM order_units WHERE supplier_id = s.id AND next_action_at <= statement_timestamp())`,
};
