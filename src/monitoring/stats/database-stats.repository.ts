import { Injectable } from '@nestjs/common';
import type { MetricRow } from '../../core/instruments.js';
import { Database, type Statement } from '../../database/database.js';
import type { DatabaseMetricName } from '../../core/metrics.js';
import { SANDBOX_CHANNEL_ID, SANDBOX_SUPPLIER_ID } from '../../core/sandbox.js';
import { EVENT_TABLES, idsLeft, idsOfNewest } from '../../database/partitions/event-partitions.js';
import { PARTITIONED_TABLES } from '../../database/partitions/table-groups.js';
import { dueUnitsAt } from '../../orders/waiting-units.sql.js';
import { LASTS_SECONDS, SPENDING } from '../../suppliers/supplier-balances.sql.js';
import { WAITING_WEBHOOKS } from '../../webhooks/dispatch.sql.js';

/** Counting stops at this number. A larger number is an incident, which a longer scan would make worse. */
const MAX_COUNTED = 100_000;

/**
 * Settings for the next statement of the same transaction. The partial indexes for these metrics are small, but the planner
 * can't know that without statistics, so sequential scans are off. A plan with a disabled scan looks so expensive that
 * PostgreSQL would compile it, which costs more than the query. So JIT is off.
 */
export const LIMITS: Statement = {
  name: 'figures.limits',
  text: `SELECT set_config('statement_timeout', '500', true), set_config('enable_seqscan', 'off', true),
                set_config('jit', 'off', true)`,
};

/** Sandbox orders must not count in metrics or raise alerts. */
const IS_LIVE = `supplier_id <> ${SANDBOX_SUPPLIER_ID}`;

/** Seconds since the earliest time; 0 without rows. */
const secondsSince = (earliest: string): string =>
  `coalesce(greatest(extract(epoch FROM statement_timestamp() - ${earliest}), 0), 0)`;

/** A statement and the metrics that it reads. The columns of its result have the names of these metrics and of their labels. */
export interface MetricsStatement extends Statement {
  /** Its name in `topup_database_metrics_age_seconds`. */
  readonly label: string;
  readonly metrics: readonly DatabaseMetricName[];
}

const metricsStatement = (label: string, names: DatabaseMetricName[], text: string): MetricsStatement => ({
  name: `figures.${label}`,
  label,
  text,
  metrics: names,
});

const orders = metricsStatement(
  'orders',
  ['orders_open', 'orders_oldest_open_seconds'],
  `SELECT count(*) AS orders_open, ${secondsSince('min(created_at)')} AS orders_oldest_open_seconds
   FROM (SELECT created_at FROM orders WHERE status IN ('pending', 'processing') AND NOT sandbox
         ORDER BY created_at LIMIT ${MAX_COUNTED}) open`,
);

const unknown = metricsStatement(
  'units_unknown',
  ['units_unknown', 'units_unknown_oldest_seconds'],
  `SELECT count(*) AS units_unknown, ${secondsSince('min(unknown_since)')} AS units_unknown_oldest_seconds
   FROM (SELECT unknown_since FROM order_units WHERE state = 'unknown' AND ${IS_LIVE}
         ORDER BY unknown_since LIMIT ${MAX_COUNTED}) unknown`,
);

/** A unit in review does not change until it is settled, so `updated_at` is the time when the review began. */
const review = metricsStatement(
  'units_review',
  ['units_review', 'units_review_oldest_seconds'],
  `SELECT count(*) AS units_review, ${secondsSince('min(updated_at)')} AS units_review_oldest_seconds
   FROM (SELECT updated_at FROM order_units WHERE state = 'review' AND ${IS_LIVE} LIMIT ${MAX_COUNTED}) review`,
);

/** `supplier_reversals` has few rows, and an index of the open discrepancies. */
const reversals = metricsStatement(
  'supplier_reversals',
  ['supplier_reversals_open', 'unknown_purchases_open'],
  `SELECT count(*) AS supplier_reversals_open, count(*) FILTER (WHERE order_id IS NULL) AS unknown_purchases_open
   FROM supplier_reversals WHERE status = 'open' AND ${IS_LIVE}`,
);

/** One row for each supplier. */
const suppliers = metricsStatement(
  'suppliers',
  [
    ...(['supplier_balance', 'supplier_balance_age_seconds', 'supplier_balance_low'] as const),
    ...(['supplier_balance_lasts_seconds', 'supplier_pause'] as const),
  ],
  `SELECT s.code AS supplier, s.balance_currency AS currency, s.pause_reason AS reason,
          s.balance_micros / 1e6 AS supplier_balance,
          extract(epoch FROM statement_timestamp() - s.balance_at)::float8 AS supplier_balance_age_seconds,
          (s.balance_micros < s.low_balance_micros)::int AS supplier_balance_low,
          ${LASTS_SECONDS} AS supplier_balance_lasts_seconds,
          CASE WHEN s.pause_reason IS NOT NULL THEN 1 END AS supplier_pause
   FROM suppliers s LEFT JOIN (${SPENDING}) spending ON spending.supplier_id = s.id
   WHERE s.id <> ${SANDBOX_SUPPLIER_ID}`,
);

/** A claimed unit is due as soon as the lease of the claim has ended. */
const fulfilmentQueue = metricsStatement(
  'fulfilment_queue',
  ['fulfilment_due', 'fulfilment_oldest_due_seconds'],
  `SELECT coalesce(sum(due.units), 0) AS fulfilment_due,
          ${secondsSince('min(due.since)')} AS fulfilment_oldest_due_seconds
   FROM suppliers s CROSS JOIN LATERAL (${dueUnitsAt('s.id', MAX_COUNTED)}) due
   WHERE s.id <> ${SANDBOX_SUPPLIER_ID}`,
);

const webhooksQueue = metricsStatement(
  'webhooks_queue',
  ['webhooks_due', 'webhooks_oldest_due_seconds'],
  `WITH ${WAITING_WEBHOOKS}
   SELECT coalesce(sum(due.deliveries), 0) AS webhooks_due,
          ${secondsSince('min(due.since)')} AS webhooks_oldest_due_seconds
   FROM waiting JOIN webhooks w ON w.id = waiting.webhook_id JOIN merchants m ON m.id = w.merchant_id AND NOT m.sandbox
   CROSS JOIN (VALUES (false), (true)) AS turn(is_retry) CROSS JOIN LATERAL (
     SELECT count(*) AS deliveries, min(due_at) AS since FROM (
       SELECT due_at FROM webhook_deliveries
       WHERE webhook_id = waiting.webhook_id AND is_retry = turn.is_retry AND due_at <= statement_timestamp()
       ORDER BY due_at LIMIT ${MAX_COUNTED}) deliveries) due`,
);

/** Held money must equal the price of the open orders (contract, section 3). One statement reads both at the same moment. */
const heldMismatch = metricsStatement(
  'held_mismatch',
  ['wallet_held_mismatch_baht'],
  `SELECT abs((SELECT coalesce(sum(held), 0) FROM wallets)
              - (SELECT coalesce(sum(total_amount), 0) FROM orders WHERE status IN ('pending', 'processing')))
          / 100.0 AS wallet_held_mismatch_baht`,
);

/** Reads all of `wallets`, which stays small: it has one row per merchant. */
const lowBalances = metricsStatement(
  'low_balances',
  ['wallets_below_alert'],
  `SELECT count(*) AS wallets_below_alert FROM wallets w JOIN merchants m ON m.id = w.merchant_id
   WHERE available < alert_below AND NOT m.sandbox`,
);

/**
 * Whether payments to a channel `c` may still come. An inactive channel gets payments only for its open deposits. Without such
 * deposits, the state of its account troubles nobody, and may never change again. Each part of the search has its own index.
 */
const IS_USED = `(c.status = 'active' OR EXISTS (
    SELECT FROM deposits WHERE channel_id = c.id AND holds_amount
    UNION ALL SELECT FROM deposits WHERE channel_id = c.id AND status = 'pending'
    UNION ALL SELECT FROM deposits WHERE channel_id = c.id AND next_inquiry_at IS NOT NULL))`;

/** One row for each channel. A payment waits from the time at which it was first seen. */
const deposits = metricsStatement(
  'deposits',
  [
    ...(['incoming_waiting', 'incoming_oldest_seconds', 'incoming_cases', 'deposits_held'] as const),
    ...(['statement_age_seconds', 'statement_refused', 'slips_paused', 'channel_paused'] as const),
  ],
  `SELECT c.code AS channel, waiting.payments AS incoming_waiting, ${secondsSince('waiting.since')} AS incoming_oldest_seconds,
          (SELECT count(*) FROM incoming_payments p WHERE p.channel_id = c.id AND p.state = 'booked' AND p.reason IS NOT NULL
             AND coalesce(p.decision, '') NOT IN ('debit', 'keep')) AS incoming_cases,
          (SELECT count(*) FROM (SELECT FROM deposits d WHERE d.channel_id = c.id AND d.holds_amount
                                 LIMIT ${MAX_COUNTED}) held) + coalesce(named.deposits, 0) AS deposits_held,
          extract(epoch FROM statement_timestamp()
                             - coalesce((SELECT created_at FROM statement_imports i WHERE i.channel_id = c.id
                                         ORDER BY id DESC LIMIT 1),
                                        CASE WHEN c.adapter = 'promptpay' THEN c.created_at END))::float8 AS statement_age_seconds,
          (c.refused IS NOT NULL AND ${IS_USED})::int AS statement_refused,
          (c.slips_paused_until IS NOT NULL AND ${IS_USED} OR EXISTS (
             SELECT FROM slip_checks s WHERE s.channel_id = c.id AND s.next_at < statement_timestamp() - interval '5 minutes'))::int
            AS slips_paused,
          (c.pause_reason IS NOT NULL AND ${IS_USED})::int AS channel_paused
   FROM deposit_channels c CROSS JOIN LATERAL (
     SELECT count(*) AS payments, min(seen_at) AS since FROM (
       SELECT seen_at FROM incoming_payments WHERE channel_id = c.id AND state = 'waiting'
       ORDER BY id LIMIT ${MAX_COUNTED}) payments) waiting
   LEFT JOIN (SELECT channel_id, count(*) AS deposits FROM (
     SELECT channel_id FROM deposits WHERE status = 'pending' AND NOT holds_amount LIMIT ${MAX_COUNTED}) pending
     GROUP BY channel_id) named ON named.channel_id = c.id
   WHERE c.id <> ${SANDBOX_CHANNEL_ID}`,
);

const databaseSize = metricsStatement(
  'database_size',
  ['database_size_bytes'],
  `SELECT pg_database_size(current_database()) AS database_size_bytes`,
);

/**
 * Counts from the end of the last complete backup, so that a slow one does not look missing while it runs. The table is small: it
 * gets a row for each attempt, usually one a day. Without a row, the metric is absent.
 */
const backups = metricsStatement(
  'backups',
  ['backup_age_seconds'],
  `SELECT extract(epoch FROM statement_timestamp() - coalesce(max(completed_at), min(started_at)))::float8
          AS backup_age_seconds
   FROM backups`,
);

/** An insert with an id beyond the last partition would fail. Both metrics are null for a table without partitions. */
const partitions = metricsStatement(
  'partitions',
  ['partition_ids_left', 'partition_ids'],
  [...EVENT_TABLES, ...PARTITIONED_TABLES]
    .map(
      (each) =>
        `SELECT '${each.table}' AS "table", ${idsLeft(each)} AS partition_ids_left, ${idsOfNewest(each)} AS partition_ids`,
    )
    .join(' UNION ALL '),
);

export const METRICS_STATEMENTS: readonly MetricsStatement[] = [
  orders,
  unknown,
  review,
  reversals,
  suppliers,
  fulfilmentQueue,
  webhooksQueue,
  heldMismatch,
  lowBalances,
  deposits,
  databaseSize,
  backups,
  partitions,
];

@Injectable()
export class DatabaseStatsRepository {
  readonly statements: readonly MetricsStatement[] = METRICS_STATEMENTS;

  constructor(private readonly database: Database) {}

  /** @throws SERVICE_UNAVAILABLE; Error when it takes too long. */
  read(statement: MetricsStatement): Promise<MetricRow[]> {
    return this.database.batch([LIMITS, []], [statement, []]);
  }
}
