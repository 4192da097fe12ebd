import { Injectable } from '@nestjs/common';
import type { Queryable, Transaction, Statement } from '../database/database.js';
import { outcomeDetail, type SupplierOutcome } from '../suppliers/supplier-outcome.js';
import { type ItemRow, type OrderRow, STORED_ORDER_COLUMNS, type UnitRow } from './order.rows.js';
import { CERTAINLY_NOT_BOUGHT, isOf, isSentOnce, isSold, UNIT } from './unit-conditions.sql.js';
import { LIST_ITEMS_OF } from './orders.repository.js';
import { rowsOf, statement } from '../database/parameters.js';
import { JUDGE_UNSETTLED } from './judge-unsettled.sql.js';
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

/** A unit that an answer did not settle. */
export interface UnsettledUnit {
  /** The number of the answer, from 1. */
  answer: bigint;
  state: OrderUnit['state'];
  /** Whether the answer opened a discrepancy, or changed what an open one reports. */
  changes_discrepancy: boolean;
}

const quoted = (states: string[]): string => states.map((state) => `'${state}'`).join(', ');

/**
 * Settles each unit at most once, by compare-and-set. Returns the units that it settled or sent to review.
 * - An answer settles a unit only if its attempt is still the unit's latest attempt.
 * - A refusal of a call settles a unit only if the claim of that call is still the latest claim. For a success, the
 *   claim does not matter, because all calls of an attempt have one reference. A report has no claim.
 * - Some suppliers may sell a unit once for each send of an attempt. Their refusal in a report is about one send only, so after
 *   several sends it settles nothing.
 * - A supplier's refusal does not settle a unit that waits to be sent, but a success does.
 * - An operator settles units in doubt or in review. A cancellation, by an operator or by the task for paused units, fails
 *   units that were certainly not bought.
 * - While an open discrepancy reports that an earlier attempt bought the unit, only an operator's decision fails the
 *   unit: a supplier's refusal sends the unit to review, and a cancellation does nothing. `is_sold` means that
 *   another answer of the batch reports such a purchase, whose discrepancy may not be stored yet.
 * - With `seen_attempt`, a decision or cancellation settles only that attempt. Operators see attempt 0, of a unit without one, as 1:
 *   their 1 fits 0 and 1. The task for paused units has the stored number: its 0 does not fit attempt 1, which has begun since.
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
      is_sold: 'boolean',
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
             FROM (SELECT CASE WHEN c.state = 'failed' AND c.attempt > 1 THEN c.is_sold OR ${isSold('u')} ELSE false END AS is_sold) refused),
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
 * Writes movements of money and the new balances. `movements` must be in the order of time. `wallets` has the
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
/** An answer for {@link JUDGE_UNSETTLED}. By default it is news, is about all sends and contains no codes. */
export type AnswerRow = Omit<JudgedRow, keyof typeof BY_DEFAULT> & Partial<Pick<JudgedRow, keyof typeof BY_DEFAULT>>;
const BY_DEFAULT = { is_news: true, is_about_one_send: false, queried_as: null, delivered_sealed: null };
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

  /** Opens a discrepancy, or changes an open one, for each answer that contradicts its unit. @returns the state of the unit for each answer. */
  judgeUnsettled(tx: Queryable, answers: AnswerRow[]): Promise<UnsettledUnit[]> {
    const rows = answers.map((answer) => ({ ...BY_DEFAULT, ...answer }));
    return tx.query<UnsettledUnit>(...JUDGE_UNSETTLED.with({ answers: rows }));
  }

  /**
   * Like {@link judgeUnsettled}, but locks the orders first, as settlements do. Otherwise, of two reports at the same moment
   * about different purchases of an attempt, the second would not see the discrepancy of the first, and would open none.
   */
  judgeReports(tx: Transaction, answers: AnswerRow[]): Promise<UnsettledUnit[]> {
    tx.write(LOCK_ORDERS, [[...new Set(answers.map(({ order_id }) => order_id))]]);
    return this.judgeUnsettled(tx, answers);
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
