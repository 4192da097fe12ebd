import type { Satang } from '../core/money.js';
import type { Statement } from '../database/database.js';
import { ORDER_COLUMNS, type OrderRow } from './order.rows.js';
import { sourcesOf, UNIT_TRANSITIONS, type UnitState } from './states.js';

export type LockedOrder = OrderRow & { open_items: number; request_id: string | null; now: Date };

/** In the order of ids, so that batches of different workers never wait for each other in a circle. */
export const LOCK_ORDERS: Statement = {
  name: 'settlement.lock_orders',
  text: `SELECT ${ORDER_COLUMNS}, open_items, request_id, date_trunc('milliseconds', statement_timestamp()) AS now
         FROM orders WHERE id = ANY($1::bigint[]) ORDER BY id FOR NO KEY UPDATE`,
};

/** Those that nobody else holds. */
export const LOCK_FREE_ORDERS: Statement = {
  name: 'settlement.lock_free_orders',
  text: `${LOCK_ORDERS.text} SKIP LOCKED`,
};

export interface SettledUnit {
  order_id: bigint;
  item: number;
  unit: number;
  state: 'succeeded' | 'failed';
}

const quoted = (states: string[]): string => states.map((state) => `'${state}'`).join(', ');

/**
 * Never sent, or each send was certainly not accepted: whatever leaves a doubt sets `unknown_since`, for good. A claim
 * at the same moment either finds the unit failed, or has taken it out of `queued` before this looks.
 */
const CERTAINLY_NOT_BOUGHT = `u.state = 'queued' AND u.unknown_since IS NULL AND u.claimed_by IS NULL`;

/**
 * The compare-and-set that settles a unit at most once: one that was settled meanwhile is not returned. A refusal says
 * something of the call that it answers and of no other, so it settles only the claim of that call; what was bought was
 * bought, whichever call learned of it, because all calls have one reference. The operator decides what is in doubt, and
 * cancels what certainly was not bought; where that word gives no supplier's reference, what the supplier said earlier is
 * kept.
 */
export const SETTLE_UNITS: Statement = {
  name: 'settlement.settle_units',
  text: `UPDATE order_units u SET state = c.state,
                supplier_reference = coalesce(c.supplier_reference, u.supplier_reference),
                failure_code = c.failure_code, failure_message = c.failure_message, next_action_at = NULL, claimed_by = NULL,
                updated_at = date_trunc('milliseconds', statement_timestamp())
         FROM unnest($1::bigint[], $2::smallint[], $3::smallint[], $4::text[], $5::text[], $6::text[], $7::text[],
                     $8::int[], $9::bool[])
              AS c(order_id, item, unit, state, supplier_reference, failure_code, failure_message, claim, cancels)
         WHERE u.order_id = c.order_id AND u.item = c.item AND u.unit = c.unit
           AND (c.cancels OR u.state IN (${quoted(sourcesOf(UNIT_TRANSITIONS, 'succeeded', 'failed'))}))
           AND CASE WHEN c.cancels THEN ${CERTAINLY_NOT_BOUGHT}
                    WHEN c.claim IS NULL THEN u.state IN ('unknown', 'review')
                    ELSE c.state = 'succeeded' OR u.claim = c.claim END
         RETURNING u.order_id, u.item, u.unit, u.state`,
};

/** How a unit stands that an answer did not settle. */
export interface UnsettledUnit {
  /** Which of the answers, counted from 1. */
  answer: bigint;
  state: UnitState;
  /** Whether the word of the supplier contradicts how the unit was settled, and this was not known before. */
  is_new_case: boolean;
}

/**
 * How the units stand that answers of their suppliers did not settle. An answer that contradicts a settled unit becomes
 * a case for the operator, once: it was taken back, or bought after all, or bought a second time.
 * $1–$3 units, $4 states, $5 references of the supplier, $6 what was said.
 */
export const FIND_UNSETTLED: Statement = {
  name: 'settlement.find_unsettled',
  text: `
    WITH judged AS (
      SELECT c.answer, u.order_id, u.item, u.unit, u.supplier_id, u.state, c.supplier_reference, c.detail,
             CASE WHEN u.state = 'succeeded' AND c.state = 'failed' THEN 'taken_back'
                  WHEN u.state = 'failed' AND c.state = 'succeeded' THEN 'bought_late'
                  WHEN u.state = 'succeeded' AND c.supplier_reference <> u.supplier_reference THEN 'unknown_purchase'
                  END AS kind
      FROM unnest($1::bigint[], $2::smallint[], $3::smallint[], $4::text[], $5::text[], $6::text[])
           WITH ORDINALITY AS c(order_id, item, unit, state, supplier_reference, detail, answer)
      JOIN order_units u ON u.order_id = c.order_id AND u.item = c.item AND u.unit = c.unit),
    recorded AS (
      INSERT INTO supplier_reversals (order_id, item, unit, supplier_id, kind, supplier_reference, detail, created_at)
      SELECT order_id, item, unit, supplier_id, kind, supplier_reference, detail,
             date_trunc('milliseconds', statement_timestamp())
      FROM judged WHERE kind IS NOT NULL
      ON CONFLICT ON CONSTRAINT uq_supplier_reversals_unit_kind DO NOTHING
      RETURNING order_id, item, unit, kind)
    SELECT judged.answer, judged.state, recorded.kind IS NOT NULL AS is_new_case
    FROM judged LEFT JOIN recorded USING (order_id, item, unit, kind)`,
};

/** Adds settled units to their items; an item with no unit left ends, with the failure of its first failed unit. */
export const COUNT_UNITS: Statement = {
  name: 'settlement.count_units',
  text: `
    WITH counted AS (
      SELECT i.order_id, i.position, i.completed_quantity + d.completed AS completed,
             i.failed_quantity + d.failed AS failed, i.quantity
      FROM unnest($1::bigint[], $2::smallint[], $3::smallint[], $4::smallint[]) AS d(order_id, item, completed, failed)
      JOIN order_items i ON i.order_id = d.order_id AND i.position = d.item)
    UPDATE order_items i SET completed_quantity = c.completed, failed_quantity = c.failed,
      status = CASE WHEN c.completed + c.failed < c.quantity THEN 'processing'
                    WHEN c.failed = 0 THEN 'completed' ELSE 'failed' END,
      failure_code = cause.failure_code, failure_message = cause.failure_message
    FROM counted c
    LEFT JOIN LATERAL (
      SELECT u.failure_code, u.failure_message FROM order_units u
      WHERE u.order_id = c.order_id AND u.item = c.position AND u.state = 'failed'
        AND c.failed > 0 AND c.completed + c.failed = c.quantity
      ORDER BY u.unit LIMIT 1) cause ON true
    WHERE i.order_id = c.order_id AND i.position = c.position
    RETURNING i.order_id, i.position, i.status`,
};

/**
 * A claim passes over an order that is locked, because whoever settles its units marks it as started: so does who found
 * them claimed. $1 orders.
 */
export const START_ORDERS: Statement = {
  name: 'settlement.start_orders',
  text: `UPDATE orders o SET status = 'processing', updated_at = date_trunc('milliseconds', statement_timestamp())
         WHERE o.id = ANY($1::bigint[]) AND o.status = 'pending'
           AND EXISTS (SELECT 1 FROM order_units u WHERE u.order_id = o.id AND u.state <> 'queued')`,
};

export const UPDATE_ORDERS: Statement = {
  name: 'settlement.update_orders',
  text: `UPDATE orders o SET status = c.status, open_items = c.open_items, failure_code = c.failure_code,
                failure_message = c.failure_message, updated_at = $6
         FROM unnest($1::bigint[], $2::text[], $3::smallint[], $4::text[], $5::text[])
              AS c(id, status, open_items, failure_code, failure_message)
         WHERE o.id = c.id`,
};

/** One movement between a merchant's balances when an order ends. */
export interface Movement {
  merchantId: number;
  kind: 'order_spend' | 'order_refund';
  amount: Satang;
  availableAfter: Satang;
  orderId: bigint;
}

/**
 * $1–$5 movements in order, $6–$8 wallets with what returns to available and what leaves held. The clock is read under
 * the wallets' locks, so that a statement's times never run backwards.
 */
export const MOVE_MONEY: Statement = {
  name: 'settlement.move_money',
  text: `
    WITH moved AS (
      INSERT INTO transfers (merchant_id, kind, debit_account, credit_account, amount, available_after, order_id,
                             created_at)
      SELECT m.merchant_id, m.kind, 'held', CASE m.kind WHEN 'order_spend' THEN 'spent' ELSE 'available' END,
             m.amount, m.available_after, m.order_id, date_trunc('milliseconds', statement_timestamp())
      FROM unnest($1::int[], $2::text[], $3::bigint[], $4::bigint[], $5::bigint[])
           WITH ORDINALITY AS m(merchant_id, kind, amount, available_after, order_id, arrival)
      ORDER BY m.arrival)
    UPDATE wallets SET available = available + c.returned, held = held - c.leaving, updated_at = date_trunc('milliseconds', statement_timestamp())
    FROM unnest($6::int[], $7::bigint[], $8::bigint[]) AS c(merchant_id, returned, leaving)
    WHERE wallets.merchant_id = c.merchant_id`,
};
