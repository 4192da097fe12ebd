import { Injectable } from '@nestjs/common';
import type { Queryable, Transaction, Statement } from '../database/database.js';
import { outcomeDetail, type SupplierOutcome } from '../suppliers/supplier-outcome.js';
import { type ItemRow, type OrderRow, STORED_ORDER_COLUMNS, type UnitRow } from './order.rows.js';
import { isOf, isSentOnce, isSold } from './unit-conditions.sql.js';
import { LIST_ITEMS_OF } from './orders.repository.js';
import { rowsOf, statement } from '../database/parameters.js';
import { OR_SOONER } from './attempt-checks.sql.js';
import type { OrderUnit } from './order-unit.entity.js';
import type { Order } from './order.entity.js';
import { sourcesOf, UNIT_TRANSITIONS } from './states.js';

/** The record of a call to a supplier about a unit, or of a callback from the supplier, for the order history. */
export interface CallRecord {
  /** The key of the attempt. */
  unit: Pick<UnitRow, 'order_id' | 'item' | 'unit'> & { attempt: number };
  kind: 'send' | 'inquiry' | 'callback';
  /** `withheld`: the process made no call. `interrupted`: the process may have made the call, but recorded nothing. */
  outcome: SupplierOutcome | { kind: 'withheld' | 'interrupted'; detail: string };
  durationMs: number;
  /** The process that made the call or received the callback. */
  process: string;
}

export type LockedOrder = OrderRow & Pick<Order, 'open_items' | 'request_id'> & { now: Date };

/** Locks in the order of ids, so that batches of different workers never deadlock. */
export const LOCK_ORDERS: Statement = {
  name: 'settlement.lock_orders',
  text: `SELECT ${STORED_ORDER_COLUMNS}, open_items, request_id, date_trunc('milliseconds', statement_timestamp()) AS now
         FROM orders WHERE id = ANY($1::bigint[]) ORDER BY id FOR NO KEY UPDATE`,
};

/** Like {@link LOCK_ORDERS}, but skips orders that another transaction has locked. */
const LOCK_FREE_ORDERS: Statement = {
  name: 'settlement.lock_free_orders',
  text: `${LOCK_ORDERS.text} SKIP LOCKED`,
};

export type SettledUnit = Pick<OrderUnit, 'order_id' | 'item' | 'unit'> & { state: 'succeeded' | 'failed' };

/** A settled unit, or one that went to review instead. */
export type WrittenUnit = Omit<SettledUnit, 'state'> & { state: SettledUnit['state'] | 'review' };

const UNIT = { order_id: 'bigint', item: 'smallint', unit: 'smallint' } as const;

const quoted = (states: string[]): string => states.map((state) => `'${state}'`).join(', ');

/**
 * In SQL: whether the supplier has certainly not accepted any send of the unit's latest attempt. While an attempt is in doubt,
 * `unknown_since` is set. A concurrent claim is harmless: if the claim is first, the unit is no longer `queued`; if it is second,
 * it finds the new state.
 */
const CERTAINLY_NOT_BOUGHT = `u.state = 'queued' AND u.unknown_since IS NULL AND u.claimed_by IS NULL`;

/**
 * Settles each unit at most once, by compare-and-set. Returns the units that it settled or sent to review.
 * - An answer settles a unit only if its attempt is still the unit's latest attempt.
 * - A refusal answers one call, so it settles a unit only if the claim of that call is still the latest claim. For a success, the
 *   claim does not matter, because all calls of an attempt have one reference. A report about the whole attempt has no claim.
 * - If the supplier may sell each send of an attempt, a reported refusal is about one of them. After several sends it settles
 *   nothing, because another one may be bought.
 * - A supplier's refusal does not settle a unit that waits to be sent, but a success does.
 * - An operator settles units in doubt or in review, and cancels units that were certainly not bought.
 * - While an open discrepancy reports that an earlier attempt bought the unit, only an operator's decision fails it: a supplier's
 *   refusal sends it to review, and a cancellation does nothing.
 * - With `seen_attempt`, an operator's decision settles only that attempt. A unit without an attempt has attempt 0, which
 *   operators see as 1. So a seen 1 fits attempt 0, but a seen 0 does not fit attempt 1: that attempt has begun since.
 * - A row without a supplier's reference does not change the stored reference.
 */
export const SETTLE_UNITS = statement(
  'settlement.settle_units',
  {
    units: rowsOf({
      ...UNIT,
      state: 'text',
      supplier_reference: 'text?',
      failure_code: 'text?',
      failure_message: 'text?',
      claim: 'int?',
      is_about_one_send: 'boolean',
      attempt: 'smallint?',
      cancels: 'boolean',
      seen_attempt: 'smallint?',
      call_process: 'text?',
      call_duration_ms: 'int?',
    }),
  },
  ({ units }) => `
    UPDATE order_units u SET
           (state, next_action, unknown_since, failure_code, failure_message) = (
             SELECT CASE WHEN is_sold THEN 'review' ELSE c.state END, CASE WHEN is_sold THEN 'inquire' ELSE u.next_action END,
                    CASE WHEN is_sold THEN coalesce(u.unknown_since, statement_timestamp()) ELSE u.unknown_since END,
                    CASE WHEN NOT is_sold THEN c.failure_code END, CASE WHEN NOT is_sold THEN c.failure_message END
             FROM (SELECT CASE WHEN c.state = 'failed' AND c.attempt > 1 THEN ${isSold('u')} ELSE false END AS is_sold) refused),
           supplier_reference = coalesce(c.supplier_reference, u.supplier_reference),
           next_action_at = NULL, claimed_by = NULL,
           call_process = c.call_process, call_duration_ms = c.call_duration_ms,
           updated_at = date_trunc('milliseconds', statement_timestamp())
    FROM ${units.as('c')}
    WHERE ${isOf('c', 'u')}
      AND (c.cancels OR u.state IN (${quoted(sourcesOf(UNIT_TRANSITIONS, 'succeeded', 'failed'))}))
      AND (u.state <> 'queued' OR c.cancels OR c.state = 'succeeded')
      AND (c.attempt IS NULL OR u.attempt = c.attempt)
      AND (c.seen_attempt IS NULL OR c.seen_attempt IN (u.attempt, greatest(u.attempt, 1)))
      AND CASE WHEN c.cancels THEN ${CERTAINLY_NOT_BOUGHT} AND NOT (u.attempt > 1 AND ${isSold('u')})
               WHEN c.attempt IS NULL THEN u.state IN ('unknown', 'review')
               WHEN c.claim IS NULL THEN c.state = 'succeeded' OR NOT c.is_about_one_send OR ${isSentOnce('u')}
               ELSE c.state = 'succeeded' OR u.claim = c.claim END
    RETURNING u.order_id, u.item, u.unit, u.state`,
);

/** A unit that an answer did not settle. */
export interface UnsettledUnit {
  /** The number of the answer, from 1. */
  answer: bigint;
  state: OrderUnit['state'];
  /** Whether the answer opened a discrepancy, or changed an open one. */
  changes_discrepancy: boolean;
}

/** A supplier may report a late sale without its code, such as in a list of sales. Then an inquiry must fetch the code. */
const INQUIRE_FOR_CODE = `
      INSERT INTO attempt_checks (order_id, item, unit, attempt, due_at)
      SELECT DISTINCT r.order_id, r.item, r.unit, r.attempt, statement_timestamp() + interval '1 minute'
      FROM recorded r JOIN weighed w USING (order_id, item, unit, attempt, opens)
      JOIN order_items i ON i.order_id = r.order_id AND i.position = r.item
      JOIN unit_attempts a ON ${isOf('r', 'a')} AND a.number = r.attempt
      WHERE r.opens = 'bought_late' AND w.delivered_sealed IS NULL AND i.kind = 'code'
      ${OR_SOONER}`;

/**
 * The latest discrepancy about the same attempt. Its latest report is `r.says`. A discrepancy that names another purchase counts
 * only if there is no other one, and not if references tell the purchases apart.
 */
const EARLIER = `
      SELECT DISTINCT ON (judged.answer) judged.answer, r.id, r.status,
             r.delivered_sealed IS NULL AS lacks_delivery,
             count(*) OVER (PARTITION BY judged.answer) AS discrepancies,
             judged.is_news AND judged.reported IN ('succeeded', 'failed') AND judged.reported
               <> coalesce(r.says, CASE r.kind WHEN 'taken_back' THEN 'failed' ELSE 'succeeded' END) AS is_different
      FROM judged JOIN supplier_reversals r
        ON ${isOf('judged', 'r')} AND r.attempt = judged.attempt
      WHERE r.kind <> 'unknown_purchase'
        AND (judged.is_told_apart AND r.supplier_reference <> judged.supplier_reference) IS NOT TRUE
      ORDER BY judged.answer, coalesce(r.supplier_reference <> judged.supplier_reference, false), r.id DESC`;

/** Purchases that no discrepancy names. `listed` is how many purchases these answers have of the attempt. */
const UNNAMED = `
      SELECT j.answer, dense_rank() OVER (
               PARTITION BY j.order_id, j.item, j.unit, j.attempt, j.kind ORDER BY j.supplier_reference) AS nth, (
               SELECT count(DISTINCT o.supplier_reference) FROM judged o WHERE o.order_id = j.order_id AND o.item = j.item
                 AND o.unit = j.unit AND o.attempt = j.attempt AND o.kind = j.kind AND NOT o.is_news) AS listed
      FROM judged j
      WHERE (j.kind = 'unknown_purchase' OR j.kind = 'bought_late' AND (NOT j.is_news OR j.is_told_apart)) AND NOT EXISTS (
        SELECT FROM supplier_reversals r WHERE ${isOf('j', 'r')}
          AND r.attempt = j.attempt AND r.kind = j.kind AND (r.supplier_reference IS NOT DISTINCT FROM j.supplier_reference
            OR j.is_told_apart AND r.supplier_reference IS NULL))`;

/**
 * Judges answers that settled nothing, and returns the states of their units. The `state` of an answer is `succeeded`, `failed`
 * or `besides`: a second purchase under the same reference.
 * - An answer that contradicts its settled unit opens a discrepancy: the supplier took the purchase back (`taken_back`), sold the
 *   unit after a failure (`bought_late`), or sold it twice (`unknown_purchase`). If an operator settled the unit with our reference
 *   of the attempt, the supplier's own reference is no contradiction.
 * - A success of an attempt that is not the latest one also opens a discrepancy (`bought_late`). If the latest attempt has certainly
 *   bought nothing, the unit goes to review, where an operator decides whether to buy again. While such a discrepancy is open,
 *   `BEGIN_NEXT_ATTEMPTS` sends new attempts of the unit to review, and `CLAIM_UNITS` sends nothing again for it.
 * - A second purchase opens a discrepancy in any state of the unit.
 * - A repeated answer opens no second discrepancy. An answer that differs from the latest discrepancy is written to it while it is
 *   open. If an operator has closed it, the answer opens another one.
 * - Without `is_news`, an answer is repeated, or may be older than the discrepancy. So it never counts as different.
 * - Each purchase under one reference has a discrepancy of its own. Of late sales, a list or a statement proves as many as it has
 *   itself. The supplier's reference alone proves none, because some suppliers change their references later. With
 *   `is_about_one_send`, the supplier may sell each send. Then its references tell the purchases apart.
 * - A late answer may have the code that the discrepancy about a late sale lacks. Then the discrepancy stores the code.
 *
 * For each answer, `opens` is the kind of the discrepancy to open, `notes` is the id of the discrepancy to change, and `completes`
 * is the id of the discrepancy that gets its code.
 */
export const JUDGE_UNSETTLED = statement(
  'settlement.judge_unsettled',
  {
    answers: rowsOf({
      ...UNIT,
      attempt: 'smallint',
      state: 'text',
      supplier_reference: 'text?',
      detail: 'text?',
      cost_micros: 'bigint?',
      cost_currency: 'text?',
      is_news: 'boolean',
      is_about_one_send: 'boolean',
      delivered_sealed: 'bytea?',
    }),
  },
  ({ answers }) => `
    WITH judged AS (
      SELECT c.answer, u.order_id, u.item, u.unit, c.attempt, coalesce(a.supplier_id, u.supplier_id) AS supplier_id, u.state,
             c.supplier_reference, c.detail, c.state AS reported, c.is_news, c.delivered_sealed,
             c.is_about_one_send AND c.supplier_reference IS NOT NULL AS is_told_apart,
             CASE WHEN c.cost_micros IS NULL THEN a.cost_micros ELSE c.cost_micros END AS cost_micros,
             CASE WHEN c.cost_micros IS NOT NULL THEN c.cost_currency
                  WHEN a.cost_micros IS NOT NULL THEN a.cost_currency END AS cost_currency,
             CASE WHEN c.state = 'besides'
                  THEN CASE WHEN c.supplier_reference IS DISTINCT FROM u.supplier_reference THEN 'unknown_purchase' END
                  WHEN c.attempt < u.attempt THEN CASE c.state WHEN 'succeeded' THEN 'bought_late' END
                  WHEN u.state = 'succeeded' AND c.state = 'failed' THEN 'taken_back'
                  WHEN u.state = 'failed' AND c.state = 'succeeded' THEN 'bought_late'
                  WHEN u.state = 'succeeded' AND c.supplier_reference
                       <> CASE WHEN u.supplier_reference IS DISTINCT FROM a.reference THEN u.supplier_reference
                               WHEN NOT a.is_hearsay THEN a.supplier_reference END THEN 'unknown_purchase'
                  END AS kind
      FROM ${answers.numbered('c', 'answer')}
      JOIN order_units u ON ${isOf('c', 'u')}
      LEFT JOIN unit_attempts a ON ${isOf('c', 'a')}
        AND a.number = c.attempt),
    earlier AS (${EARLIER}),
    unnamed AS (${UNNAMED}),
    weighed AS (
      SELECT judged.*, coalesce(unnamed.nth, 1) AS nth,
             CASE WHEN judged.kind = 'unknown_purchase' THEN CASE WHEN unnamed.nth > 0 THEN judged.kind END
                  WHEN unnamed.nth > 0
                  THEN CASE WHEN judged.is_told_apart OR coalesce(earlier.discrepancies, 0) + unnamed.nth <= greatest(unnamed.listed, 1)
                            THEN judged.kind END
                  WHEN earlier.id IS NULL THEN judged.kind
                  WHEN NOT earlier.is_different OR earlier.status = 'open' THEN NULL
                  WHEN judged.reported = 'succeeded' THEN 'bought_late' ELSE 'taken_back' END AS opens,
             CASE WHEN earlier.is_different AND earlier.status = 'open' THEN earlier.id END AS notes,
             CASE WHEN judged.kind = 'bought_late' AND unnamed.nth IS NULL AND earlier.lacks_delivery
                    AND judged.delivered_sealed IS NOT NULL THEN earlier.id END AS completes
      FROM judged LEFT JOIN earlier USING (answer) LEFT JOIN unnamed USING (answer)),
    noted AS (
      UPDATE supplier_reversals r
      SET says = CASE r.id WHEN w.notes THEN w.reported ELSE r.says END,
          detail = CASE r.id WHEN w.notes THEN concat_ws(': ', 'the supplier now reports ' || w.reported, w.detail) ELSE r.detail END,
          delivered_sealed = coalesce(r.delivered_sealed, w.delivered_sealed)
      FROM weighed w WHERE r.id = coalesce(w.notes, w.completes) AND (w.notes IS NULL OR r.status = 'open')
      RETURNING r.id),
    recorded AS (
      INSERT INTO supplier_reversals (order_id, item, unit, attempt, supplier_id, kind, supplier_reference, detail,
                                      cost_micros, cost_currency, delivered_sealed, turn, created_at)
      SELECT order_id, item, unit, attempt, supplier_id, opens, supplier_reference, detail, cost_micros, cost_currency,
             delivered_sealed, nth + coalesce((
               SELECT max(r.turn) FROM supplier_reversals r WHERE r.order_id = w.order_id AND r.item = w.item
                 AND r.unit = w.unit AND r.attempt = w.attempt AND r.kind = w.opens), 0),
             date_trunc('milliseconds', statement_timestamp())
      FROM weighed w WHERE opens IS NOT NULL
      ON CONFLICT ON CONSTRAINT uq_supplier_reversals_unit_kind DO NOTHING
      RETURNING order_id, item, unit, attempt, kind AS opens, supplier_reference),
    code_inquiries AS (${INQUIRE_FOR_CODE}),
    sent_to_review AS (
      UPDATE order_units u SET state = 'review', next_action = 'inquire', next_action_at = NULL,
             unknown_since = statement_timestamp(), updated_at = statement_timestamp()
      FROM weighed w
      WHERE w.reported = 'succeeded' AND (w.opens = 'bought_late' OR w.notes IS NOT NULL)
        AND ${isOf('w', 'u')}
        AND u.attempt > w.attempt AND ${CERTAINLY_NOT_BOUGHT})
    SELECT w.answer, w.state, r.opens IS NOT NULL OR noted.id IS NOT NULL AS changes_discrepancy
    FROM weighed w LEFT JOIN recorded r
      ON (r.order_id, r.item, r.unit, r.attempt, r.opens) = (w.order_id, w.item, w.unit, w.attempt, w.opens)
      AND r.supplier_reference IS NOT DISTINCT FROM w.supplier_reference
    LEFT JOIN noted ON noted.id = w.notes`,
);

/**
 * Adds settled units to the counts of their items. An item ends with its last open unit, and gets the failure of its first
 * failed unit.
 */
export const COUNT_UNITS = statement(
  'settlement.count_units',
  { units: rowsOf({ order_id: 'bigint', item: 'smallint', completed: 'smallint', failed: 'smallint' }) },
  ({ units }) => `
    WITH counted AS (
      SELECT i.order_id, i.position, i.completed_quantity + d.completed AS completed,
             i.failed_quantity + d.failed AS failed, i.quantity
      FROM ${units.as('d')}
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
);

export const UPDATE_ORDERS = statement(
  'settlement.update_orders',
  {
    orders: rowsOf({
      id: 'bigint',
      status: 'text',
      open_items: 'smallint',
      failure_code: 'text?',
      failure_message: 'text?',
    }),
    now: 'timestamptz',
  },
  ({ orders, now }) => `
    UPDATE orders o SET status = c.status, open_items = c.open_items, failure_code = c.failure_code,
           failure_message = c.failure_message, updated_at = ${now}
    FROM ${orders.as('c')}
    WHERE o.id = c.id`,
);

/**
 * Writes movements of money and the new balances. `movements` must be in the order in which merchants see them. `wallets` has the
 * sums of the movements: `returned` is added to the available balance, and `leaving` is subtracted from the held balance. The
 * clock is read under the wallets' locks, so that times in a merchant's list of movements never run backwards.
 */
const MOVE_MONEY = statement(
  'settlement.move_money',
  {
    movements: rowsOf({
      merchant_id: 'int',
      kind: 'text',
      amount: 'bigint',
      available_after: 'bigint',
      order_id: 'bigint',
    }),
    wallets: rowsOf({ merchant_id: 'int', returned: 'bigint', leaving: 'bigint' }),
  },
  ({ movements, wallets }) => `
    WITH moved AS (
      INSERT INTO transfers (merchant_id, kind, debit_account, credit_account, amount, available_after, order_id,
                             created_at)
      SELECT m.merchant_id, m.kind, 'held', CASE m.kind WHEN 'order_spend' THEN 'spent' ELSE 'available' END,
             m.amount, m.available_after, m.order_id, date_trunc('milliseconds', statement_timestamp())
      FROM ${movements.numbered('m', 'arrival')}
      ORDER BY m.arrival)
    UPDATE wallets SET available = available + c.returned, held = held - c.leaving,
           updated_at = date_trunc('milliseconds', statement_timestamp())
    FROM ${wallets.as('c')}
    WHERE wallets.merchant_id = c.merchant_id`,
);

const RECORD_CALLS = statement(
  'supplier_calls.record',
  {
    calls: rowsOf({
      ...UNIT,
      attempt: 'smallint',
      kind: 'text',
      outcome: 'text',
      detail: 'text?',
      duration_ms: 'int',
      process: 'text',
    }),
  },
  ({ calls }) => `
    INSERT INTO supplier_calls (${calls.names}, ended_at)
    SELECT *, date_trunc('milliseconds', statement_timestamp()) FROM ${calls.unnest}`,
);

/** The type of one row of the statement's parameter `Name`. */
type RowOf<Given extends { with(input: never): unknown }, Name extends string> =
  Parameters<Given['with']>[0] extends Record<Name, readonly (infer Row)[]> ? Row : never;
export type SettledRow = RowOf<typeof SETTLE_UNITS, 'units'>;
type JudgedRow = RowOf<typeof JUDGE_UNSETTLED, 'answers'>;
/** An answer for {@link JUDGE_UNSETTLED}. By default `is_news` is true, it is about all sends, and it contains no codes. */
export type AnswerRow = Omit<JudgedRow, keyof typeof BY_DEFAULT> & Partial<Pick<JudgedRow, keyof typeof BY_DEFAULT>>;
const BY_DEFAULT = { is_news: true, is_about_one_send: false, delivered_sealed: null };
export type CountRow = RowOf<typeof COUNT_UNITS, 'units'>;
type OrderChange = RowOf<typeof UPDATE_ORDERS, 'orders'>;
export type MovementRow = RowOf<typeof MOVE_MONEY, 'movements'>;
type WalletChange = RowOf<typeof MOVE_MONEY, 'wallets'>;

/** Statements that settle units, items, orders and money. */
@Injectable()
export class SettlementRepository {
  lockOrders(tx: Transaction, ids: bigint[]): Promise<LockedOrder[]> {
    return tx.query<LockedOrder>(LOCK_ORDERS, [[...new Set(ids)]]);
  }

  /** Locks orders, but skips orders that another transaction has locked. */
  lockFreeOrders(tx: Transaction, ids: bigint[]): Promise<LockedOrder[]> {
    return tx.query<LockedOrder>(LOCK_FREE_ORDERS, [[...new Set(ids)]]);
  }

  /** @returns the units that it settled or sent to review. */
  settleUnits(tx: Transaction, units: SettledRow[]): Promise<WrittenUnit[]> {
    return tx.query<WrittenUnit>(...SETTLE_UNITS.with({ units }));
  }

  /** Opens a discrepancy for each answer that contradicts its unit. @returns the state of the unit for each answer. */
  judgeUnsettled(tx: Queryable, answers: AnswerRow[]): Promise<UnsettledUnit[]> {
    const rows = answers.map((answer) => ({ ...BY_DEFAULT, ...answer }));
    return tx.query<UnsettledUnit>(...JUDGE_UNSETTLED.with({ answers: rows }));
  }

  countUnits(tx: Transaction, units: CountRow[]): Promise<Pick<ItemRow, 'order_id' | 'status'>[]> {
    return tx.query<Pick<ItemRow, 'order_id' | 'status'>>(...COUNT_UNITS.with({ units }));
  }

  itemsOf(tx: Queryable, orderIds: bigint[]): Promise<ItemRow[]> {
    return tx.query<ItemRow>(LIST_ITEMS_OF, [orderIds]);
  }

  updateOrders(tx: Transaction, orders: OrderChange[], now: Date): void {
    tx.write(...UPDATE_ORDERS.with({ orders, now }));
  }

  moveMoney(tx: Transaction, movements: MovementRow[], wallets: WalletChange[]): void {
    tx.write(...MOVE_MONEY.with({ movements, wallets }));
  }

  recordCalls(tx: Transaction, calls: CallRecord[]): void {
    if (calls.length === 0) return;
    const rows = calls.map(({ unit: { order_id, item, unit, attempt }, kind, outcome, durationMs, process }) => ({
      order_id,
      item,
      unit,
      attempt,
      kind,
      outcome: outcome.kind,
      detail: outcomeDetail(outcome),
      duration_ms: Math.round(durationMs),
      process,
    }));
    tx.write(...RECORD_CALLS.with({ calls: rows }));
  }
}
