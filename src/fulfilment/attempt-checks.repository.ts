import { Injectable } from '@nestjs/common';
import { Database, type Transaction } from '../database/database.js';
import { statement } from '../database/parameters.js';
import { ATTEMPT, isAttempt } from './attempts.sql.js';
import { DESTINATION } from './claim.sql.js';
import { OR_SOONER } from '../orders/attempt-checks.sql.js';
import { namesPurchase } from '../orders/codes/unit-deliveries.repository.js';
import type { OrderItem } from '../orders/order-item.entity.js';
import type { Order } from '../orders/order.entity.js';
import type { UnitAttempt } from '../orders/unit-attempt.entity.js';
import { SUPPLIER_CALLS } from '../orders/supplier-calls.sql.js';
import { isOf } from '../orders/unit-conditions.sql.js';
import type { Supplier } from '../suppliers/supplier.entity.js';
import { LEASE_MARGIN_MS } from '../suppliers/supplier-timing.js';

const SCHEDULE_CHECK = statement(
  'attempt_checks.schedule',
  { ...ATTEMPT, delayMs: 'int' },
  ({ order_id, item, unit, attempt, delayMs }) => `
    INSERT INTO attempt_checks (order_id, item, unit, attempt, due_at)
    VALUES (${order_id}, ${item}, ${unit}, ${attempt}, statement_timestamp() + ${delayMs} * interval '1 millisecond')
    ${OR_SOONER}`,
);

/** An ended attempt whose supplier the service must query, because the result that we know may no longer be true. */
export type DueCheck = Pick<
  UnitAttempt,
  'order_id' | 'item' | 'unit' | 'supplier_id' | 'supplier_sku' | 'reference' | 'supplier_reference'
> &
  Pick<OrderItem, 'kind'> &
  Pick<Order, 'merchant_id' | 'order_number' | 'request_id'> &
  Pick<
    Supplier,
    | ('code' | 'adapter' | 'base_url' | 'options' | 'timeout_ms')
    | ('token_sealed' | 'credentials_sealed' | 'callback_token_sealed')
  > & {
    attempt: number;
    /** When the check is due again, unless it ends. */
    due_at: Date;
    /** Whether the last of several sends may still reach the supplier. */
    may_arrive: boolean;
    /** Whether the supplier's reference is unproven. */
    is_hearsay: boolean;
    /** Whether the unit has no purchase so far: it failed, or a later attempt is open. */
    is_given_up: boolean;
    /** Whether the attempt ended, and its last callback or discrepancy came, so long ago that the supplier will not say more. */
    is_last: boolean;
  };

/** In SQL: the longest wait between two queries. `written-ahead.repository.ts` has the same limit for this table. */
const MAX_RETRY = '1 day';

/**
 * Claims a due check whose attempt has ended and whose supplier may be called. Makes the check due again later, because
 * this process may die, and because the check may go on. If the last of several sends may still arrive, the check is
 * due again once that send has surely arrived and this query has ended. Otherwise the wait grows with the time since
 * the attempt ended, or its last callback or discrepancy came. If an operator settled the unit with our reference, that
 * reference does not count as the supplier's.
 */
const CLAIM_DUE_CHECK = statement(
  'attempt_checks.claim_due',
  { retryMs: 'int', quietMs: 'bigint', maxAgeMs: 'bigint' },
  ({ retryMs, quietMs, maxAgeMs }) => `
    WITH due AS (
      SELECT c.order_id, c.item, c.unit, c.attempt, a.supplier_id, a.supplier_sku, a.reference, a.is_hearsay,
             u.state <> 'succeeded' AS is_given_up,
             coalesce(a.supplier_reference, CASE u.attempt WHEN a.number THEN nullif(u.supplier_reference, a.reference) END)
               AS supplier_reference,
             CASE WHEN a.number = u.attempt AND u.sends > 1 THEN u.last_sent_at + make_interval(secs => ${quietMs} / 1000.0)
               END AS arrived_at,
             statement_timestamp() - greatest(coalesce(a.ended_at, u.updated_at), (
               SELECT max(received_at) FROM supplier_callbacks k
               WHERE ${isOf('c', 'k')} AND k.attempt = c.attempt), (
               SELECT max(created_at) FROM supplier_reversals r
               WHERE ${isOf('c', 'r')} AND r.attempt = c.attempt)) AS age
      FROM attempt_checks c
      JOIN unit_attempts a ON ${isOf('c', 'a')} AND a.number = c.attempt
      JOIN order_units u ON ${isOf('c', 'u')}
      JOIN suppliers s ON s.id = a.supplier_id
      WHERE c.due_at <= statement_timestamp() AND coalesce(s.pause_reason NOT IN ('credentials', 'ban'), true)
        AND (a.number < u.attempt OR u.state IN ('succeeded', 'failed'))
      ORDER BY c.due_at LIMIT 1 FOR UPDATE OF c SKIP LOCKED)
    UPDATE attempt_checks c SET due_at = statement_timestamp() + least(interval '${MAX_RETRY}',
      CASE WHEN due.arrived_at > statement_timestamp()
           THEN greatest(due.arrived_at - statement_timestamp(), make_interval(secs => (s.timeout_ms + ${LEASE_MARGIN_MS}) / 1000.0))
           ELSE greatest(${retryMs} * interval '1 millisecond', due.age / 8) END)
    FROM due JOIN suppliers s ON s.id = due.supplier_id JOIN orders o ON o.id = due.order_id
      JOIN order_items i ON i.order_id = due.order_id AND i.position = due.item
    WHERE ${isOf('due', 'c')} AND c.attempt = due.attempt
    RETURNING due.*, (due.arrived_at > statement_timestamp()) IS TRUE AS may_arrive,
      due.age > make_interval(secs => ${maxAgeMs} / 1000.0) AS is_last, c.due_at,
      s.code, s.adapter, s.base_url, s.options, s.timeout_ms, s.token_sealed, s.credentials_sealed, s.callback_token_sealed, i.kind, o.merchant_id, o.order_number, o.request_id`,
);

/** The parts of an attempt's request that `DueCheck` does not have. */
export type SoldRequest = Pick<Order, 'user_id' | 'server_id' | 'character_id' | 'end_user_ip'> &
  Pick<UnitAttempt, 'player_template' | 'expected_cost_micros' | 'max_cost_micros' | 'cost_currency'>;

/**
 * Finds an attempt only if an inquiry that sends it again certainly buys nothing. So the supplier itself must have reported the
 * sale (an operator's decision is not enough), and the attempt must be young enough and go to the same account. The age counts
 * from the first send, so that no attempt seems younger than it is.
 */
const FIND_SOLD = statement(
  'attempt_checks.find_sold',
  { ...ATTEMPT, maxAgeMs: 'bigint?' },
  ({ maxAgeMs, ...key }) => `
    SELECT o.user_id, o.server_id, o.character_id, o.end_user_ip,
           a.player_template, a.expected_cost_micros, a.max_cost_micros, a.cost_currency
    FROM order_units u
    JOIN unit_attempts a ON ${isOf('u', 'a')} AND a.number = u.attempt
    JOIN orders o ON o.id = u.order_id
    JOIN suppliers s ON s.id = u.supplier_id
    WHERE ${isAttempt(key, 'u')}
      AND u.state = 'succeeded' AND u.sent_to = ${DESTINATION}
      AND (${maxAgeMs} IS NULL
           OR u.first_sent_at > statement_timestamp() - make_interval(secs => ${maxAgeMs} / 1000.0))
      AND EXISTS (SELECT FROM ${SUPPLIER_CALLS} c WHERE ${isOf('u', 'c')}
                    AND c.attempt = u.attempt AND c.outcome = 'succeeded')`,
);

/** Ends a check, unless another one was scheduled since it was claimed. */
const END_CHECK = statement(
  'attempt_checks.end',
  { ...ATTEMPT, dueAt: 'timestamptz' },
  ({ dueAt, ...key }) => `DELETE FROM attempt_checks c WHERE ${isAttempt(key, 'c')} AND c.due_at = ${dueAt}`,
);

/**
 * Whether the service still needs the code of a late or second sale. The discrepancy must lack the code and be open. Or an operator
 * must have settled the unit with this purchase, so that the merchant gets the code. `other` is the supplier's reference of a second
 * sale, which may have no discrepancy.
 */
const LACKS_CODE = statement(
  'attempt_checks.lacks_code',
  { ...ATTEMPT, other: 'text?' },
  ({ other, ...key }) => `
    SELECT 1 FROM supplier_reversals r
    WHERE ${isAttempt(key, 'r')} AND r.kind <> 'taken_back' AND r.delivered_sealed IS NULL
      AND (r.status = 'open' OR r.kind = 'bought_late' AND EXISTS (
        SELECT FROM order_units u
        JOIN unit_attempts a ON ${isOf('u', 'a')} AND a.number = r.attempt
        WHERE ${isOf('r', 'u')} AND u.state = 'succeeded'
          AND ${namesPurchase('r')}))
    UNION ALL
    SELECT 1 FROM order_units u
    WHERE u.order_id = ${key.order_id} AND u.item = ${key.item} AND u.unit = ${key.unit}
      AND u.state = 'succeeded' AND u.supplier_reference = ${other}
      AND NOT EXISTS (SELECT FROM unit_deliveries d WHERE ${isOf('u', 'd')})`,
);

type AttemptKey = Pick<DueCheck, 'order_id' | 'item' | 'unit' | 'attempt'>;

/** Scheduled checks of attempts that have ended. */
@Injectable()
export class AttemptChecksRepository {
  constructor(private readonly database: Database) {}

  /** Schedules a check. If the attempt already has one, it becomes due at the earlier of the two times. */
  async schedule({ order_id, item, unit, attempt }: AttemptKey, delayMs: number): Promise<void> {
    await this.database.query(...SCHEDULE_CHECK.with({ order_id, item, unit, attempt, delayMs }));
  }

  /** Like {@link schedule}, in the given transaction. */
  scheduleIn(tx: Transaction, { order_id, item, unit, attempt }: AttemptKey, delayMs: number): void {
    tx.write(...SCHEDULE_CHECK.with({ order_id, item, unit, attempt, delayMs }));
  }

  /**
   * @param retryMs the shortest time after which the check is due again, if no send may still arrive.
   * @param quietMs the time after which a send has surely arrived.
   * @param maxAgeMs the time after which a query that decides nothing is the last one.
   */
  async claimDue(retryMs: number, quietMs: number, maxAgeMs: number): Promise<DueCheck | null> {
    const values = { retryMs, quietMs: BigInt(quietMs), maxAgeMs: BigInt(maxAgeMs) };
    const [due] = await this.database.query<DueCheck>(...CLAIM_DUE_CHECK.with(values));
    return due ?? null;
  }

  /** The request of an attempt that its supplier has certainly sold; null if that is not certain, or an inquiry could buy. */
  async findSold({ order_id, item, unit, attempt }: AttemptKey, maxAgeMs: number | null): Promise<SoldRequest | null> {
    const values = { order_id, item, unit, attempt, maxAgeMs: maxAgeMs === null ? null : BigInt(maxAgeMs) };
    const [sold] = await this.database.query<SoldRequest>(...FIND_SOLD.with(values));
    return sold ?? null;
  }

  /** Ends a claimed check, unless another one was scheduled meanwhile. */
  async end({ order_id, item, unit, attempt, due_at: dueAt }: AttemptKey & Pick<DueCheck, 'due_at'>): Promise<void> {
    await this.database.query(...END_CHECK.with({ order_id, item, unit, attempt, dueAt }));
  }

  /**
   * Whether the service still needs the code of a late or second sale of the attempt.
   * @param other the supplier's reference of the second sale.
   */
  async lacksCode({ order_id, item, unit, attempt }: AttemptKey, other: string | null = null): Promise<boolean> {
    return (await this.database.query(...LACKS_CODE.with({ order_id, item, unit, attempt, other }))).length > 0;
  }
}
