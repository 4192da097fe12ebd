import { claimedBy } from '../queues/claims.js';
import type { Statement } from '../database/database.js';
import { rowsOf, statement } from '../database/parameters.js';
import { unitReferenceIn } from '../orders/order.rows.js';

/** A unit that this process may act on, once, under the lease of its claim. */
export interface ClaimedUnit {
  order_id: bigint;
  item: number;
  unit: number;
  supplier_id: number;
  /** The supplier's code. */
  supplier: string;
  claim: number;
  /** `review` where nothing may be done but by the operator: a send would go to another address than the first one. */
  action: 'send' | 'inquire' | 'review';
  /** A send of another claim never came back: its process died or stopped. */
  interrupted: boolean;
  sends: number;
  inquiries: number;
  order_number: string;
  merchant_id: number;
  user_id: string;
  server_id: string | null;
  character_id: string | null;
  request_id: string | null;
  supplier_sku: string;
  /** The number of the attempt, and the reference that the supplier knows it by. */
  attempt: number;
  reference: string;
  adapter: string;
  base_url: string;
  token_sealed: Buffer | null;
  credentials_sealed: Buffer | null;
  options: Record<string, string>;
  timeout_ms: number;
}

/**
 * Takes due units and commits the intent to act on each. A unit that was left in `sending` past its lease is taken for
 * an inquiry: what became of its send is unknown. A unit in doubt is sent again only to the address that it was sent to
 * before: another one has never seen its reference and would buy it twice, so it goes to review. Each lease holds for
 * its supplier's timeout and the margin, in milliseconds. A unit's attempt begins with its first claim. One that the
 * version before has sent gets its attempt here too: that version used the reference of a first attempt.
 */
export const CLAIM_UNITS = statement(
  'units.claim',
  {
    suppliers: rowsOf({ supplier_id: 'int', free_slots: 'int' }),
    total: 'int',
    name: 'text',
    leaseMarginMs: 'int',
  },
  ({ suppliers, total, name, leaseMarginMs }) => `
    WITH due AS (
      SELECT found.* FROM ${suppliers.as('asked')}
      CROSS JOIN LATERAL (
        SELECT order_id, item, unit, supplier_id, attempt, state, next_action, unknown_since, sent_to FROM order_units
        WHERE supplier_id = asked.supplier_id AND next_action_at <= statement_timestamp()
        ORDER BY next_action_at LIMIT asked.free_slots FOR NO KEY UPDATE SKIP LOCKED) found
      LIMIT ${total}),
    decided AS (
      SELECT due.*, s.code AS supplier, s.adapter, s.base_url, s.token_sealed, s.credentials_sealed,
             s.options, s.timeout_ms,
             CASE WHEN due.next_action = 'send' AND due.unknown_since IS NOT NULL AND due.sent_to <> s.base_url
                  THEN 'review' ELSE due.next_action END AS action
      FROM due JOIN suppliers s ON s.id = due.supplier_id),
    claimed AS (
      UPDATE order_units u SET
        state = CASE d.action WHEN 'send' THEN 'sending' WHEN 'inquire' THEN 'unknown' ELSE 'review' END,
        next_action = 'inquire',
        next_action_at = CASE WHEN d.action <> 'review'
                              THEN statement_timestamp() + make_interval(secs => (d.timeout_ms + ${leaseMarginMs}) / 1000.0) END,
        claim = u.claim + 1,
        attempt = CASE WHEN d.action = 'review' THEN u.attempt ELSE greatest(u.attempt, 1) END,
        claimed_by = CASE WHEN d.action <> 'review' THEN ${name} END,
        sends = u.sends + CASE d.action WHEN 'send' THEN 1 ELSE 0 END,
        inquiries = CASE d.action WHEN 'send' THEN 0 WHEN 'inquire' THEN u.inquiries + 1 ELSE u.inquiries END,
        first_sent_at = coalesce(u.first_sent_at, statement_timestamp()),
        last_sent_at = CASE d.action WHEN 'send' THEN statement_timestamp() ELSE u.last_sent_at END,
        sent_to = CASE d.action WHEN 'send' THEN d.base_url ELSE u.sent_to END,
        unknown_since = CASE d.action WHEN 'inquire' THEN coalesce(u.unknown_since, statement_timestamp())
                                      ELSE u.unknown_since END,
        updated_at = statement_timestamp()
      FROM decided d
      WHERE u.order_id = d.order_id AND u.item = d.item AND u.unit = d.unit
      RETURNING u.order_id, u.item, u.unit, u.supplier_id, u.claim, d.action, d.state = 'sending' AS interrupted,
                u.attempt, u.attempt > d.attempt AS is_new_attempt, u.sends, u.inquiries, d.supplier, d.adapter, d.base_url,
                d.token_sealed, d.credentials_sealed, d.options, d.timeout_ms),
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
      WHERE i.order_id = waiting.order_id AND i.position = waiting.position),
    -- An attempt that begins here is not seen by this statement: what is written below is read from its origin.
    attempted AS (
      SELECT claimed.*, o.order_number, o.merchant_id, o.user_id, o.server_id, o.character_id, o.request_id,
             coalesce(a.supplier_sku, i.supplier_sku) AS supplier_sku,
             coalesce(a.reference, ${unitReferenceIn('o', 'claimed')}) AS reference
      FROM claimed
      JOIN orders o ON o.id = claimed.order_id
      JOIN order_items i ON i.order_id = claimed.order_id AND i.position = claimed.item
      LEFT JOIN unit_attempts a ON a.order_id = claimed.order_id AND a.item = claimed.item
        AND a.unit = claimed.unit AND a.number = claimed.attempt),
    begun AS (
      INSERT INTO unit_attempts (order_id, item, unit, number, supplier_id, supplier_sku, reference, created_at)
      SELECT order_id, item, unit, attempt, supplier_id, supplier_sku, reference,
             date_trunc('milliseconds', statement_timestamp())
      FROM attempted WHERE is_new_attempt)
    SELECT * FROM attempted`,
);

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
 */
export const POSTPONE_UNITS = statement(
  'units.postpone',
  {
    calls: rowsOf({
      order_id: 'bigint',
      item: 'smallint',
      unit: 'smallint',
      claim: 'int',
      outcome: 'text',
      delay_ms: 'int',
      may_resend: 'boolean',
      can_inquire: 'boolean',
      quiet_ms: 'bigint',
    }),
    reviewAfterMs: 'bigint',
  },
  ({ calls, reviewAfterMs }) => `
    WITH decided AS (
      SELECT u.order_id, u.item, u.unit, c.delay_ms,
        CASE WHEN c.outcome = 'not_accepted' AND u.unknown_since IS NULL THEN 'requeue'
             WHEN NOT c.can_inquire THEN 'review'
             WHEN u.unknown_since <= statement_timestamp() - make_interval(secs => ${reviewAfterMs} / 1000.0) THEN 'review'
             WHEN c.outcome = 'never_seen' AND c.may_resend
                  AND u.last_sent_at <= statement_timestamp() - make_interval(secs => c.quiet_ms / 1000.0) THEN 'resend'
             ELSE 'inquire' END AS decision
      FROM ${calls.as('c')}
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
);

/** Keeps what suppliers call the purchases of these attempts; what is known already stays. */
export const NAME_ATTEMPTS = statement(
  'unit_attempts.name',
  {
    attempts: rowsOf({
      order_id: 'bigint',
      item: 'smallint',
      unit: 'smallint',
      attempt: 'smallint',
      supplier_reference: 'text',
    }),
  },
  ({ attempts }) => `
    UPDATE unit_attempts a SET supplier_reference = c.supplier_reference
    FROM ${attempts.as('c')}
    WHERE a.order_id = c.order_id AND a.item = c.item AND a.unit = c.unit AND a.number = c.attempt
      AND a.supplier_reference IS NULL`,
);

/** Ends the claims of processes that are gone: their units are due at once, for an inquiry. */
export const TAKE_OVER_UNITS = statement(
  'units.take_over',
  { processes: 'text[]' },
  ({ processes }) => `
    UPDATE order_units SET next_action_at = statement_timestamp(), updated_at = statement_timestamp()
    WHERE ${claimedBy(processes)} AND next_action_at > statement_timestamp()`,
);

/** For claims for which nothing was sent: their units are due again at once, for what they were due before. */
const undone = (which: string): string => `
  UPDATE order_units SET
    state = CASE WHEN state = 'sending' AND unknown_since IS NULL THEN 'queued' ELSE 'unknown' END,
    next_action = CASE state WHEN 'sending' THEN 'send' ELSE 'inquire' END,
    next_action_at = statement_timestamp(),
    claimed_by = NULL,
    sends = sends - CASE state WHEN 'sending' THEN 1 ELSE 0 END,
    inquiries = inquiries - CASE state WHEN 'sending' THEN 0 ELSE 1 END,
    first_sent_at = CASE WHEN state <> 'sending' OR sends > 1 THEN first_sent_at END,
    last_sent_at = CASE WHEN state <> 'sending' OR sends > 1 THEN last_sent_at END,
    updated_at = statement_timestamp()
  WHERE ${which} AND state IN ('sending', 'unknown')
  RETURNING supplier_id`;

export const UNDO_CLAIMS = statement('units.undo_claims', { names: 'text[]' }, ({ names }) =>
  undone(`claimed_by = ANY(${names})`),
);

/** A unit under one of its claims. */
const CLAIM = { order_id: 'bigint', item: 'smallint', unit: 'smallint', claim: 'int' } as const;

const isClaim = ({ order_id, item, unit, claim }: Record<keyof typeof CLAIM, string>): string =>
  `order_id = ${order_id} AND item = ${item} AND unit = ${unit} AND claim = ${claim}`;

export const UNDO_CLAIM = statement('units.undo_claim', CLAIM, (claim) =>
  undone(`${isClaim(claim)} AND claimed_by IS NOT NULL`),
);

/** Keeps a claim, from now on for so many milliseconds, whose answer is known and could not be recorded yet. */
export const RENEW_CLAIM = statement(
  'units.renew_claim',
  { ...CLAIM, forMs: 'int' },
  ({ forMs, ...claim }) => `
    UPDATE order_units SET next_action_at = statement_timestamp() + make_interval(secs => ${forMs} / 1000.0),
           updated_at = statement_timestamp()
    WHERE ${isClaim(claim)} AND next_action_at IS NOT NULL`,
);

/** Leaves a unit to the operator whose answer is known and can't be recorded. */
export const REVIEW_UNIT = statement(
  'units.review',
  CLAIM,
  (claim) => `
    UPDATE order_units SET state = 'review', next_action_at = NULL, claimed_by = NULL,
           updated_at = statement_timestamp()
    WHERE ${isClaim(claim)} AND state IN ('sending', 'unknown')`,
);

/** A moment, null or not, that is never after now. */
const notAhead = (moment: string): string =>
  `CASE WHEN ${moment} > statement_timestamp() THEN statement_timestamp() ELSE ${moment} END`;

/**
 * After the database's clock was set back: what was written under a later time is due as long from now as it was from
 * then. No delay gets longer than its rule allows, however far the clock had gone.
 */
export const PULL_BACK_UNITS = statement(
  'units.pull_back',
  { limit: 'int' },
  ({ limit }) => `
    WITH ahead AS (
      SELECT order_id, item, unit FROM order_units
      WHERE next_action_at IS NOT NULL
        AND greatest(updated_at, unknown_since, last_sent_at) > statement_timestamp() + interval '1 millisecond'
      LIMIT ${limit} FOR NO KEY UPDATE SKIP LOCKED)
    UPDATE order_units u SET
      next_action_at = least(u.next_action_at, statement_timestamp() + greatest(u.next_action_at - u.updated_at, '0')),
      unknown_since = ${notAhead('u.unknown_since')},
      first_sent_at = ${notAhead('u.first_sent_at')},
      last_sent_at = ${notAhead('u.last_sent_at')},
      updated_at = statement_timestamp()
    FROM ahead WHERE u.order_id = ahead.order_id AND u.item = ahead.item AND u.unit = ahead.unit
    RETURNING u.supplier_id`,
);

/** Suppliers with due units, for the sweeper: one probe of the index for each supplier. */
export const FIND_OVERDUE: Statement = {
  name: 'units.find_overdue',
  text: `SELECT id FROM suppliers s WHERE EXISTS (
           SELECT 1 FROM order_units WHERE supplier_id = s.id AND next_action_at <= statement_timestamp())`,
};
