import type { Statement } from '../../database/database.js';

/** The amount by which a movement changes the available balance. */
export const AVAILABLE = `CASE kind WHEN 'credit' THEN amount WHEN 'order_refund' THEN amount
                             WHEN 'debit' THEN -amount WHEN 'order_hold' THEN -amount ELSE 0 END`;
const HELD = `CASE kind WHEN 'order_hold' THEN amount WHEN 'order_spend' THEN -amount
                        WHEN 'order_refund' THEN -amount ELSE 0 END`;

const during = (kind: string): string =>
  `coalesce(sum(amount) FILTER (WHERE kind = '${kind}' AND created_at >= day.start AND created_at < day.stop), 0)::bigint`;

export const READ_DAY: Statement = {
  name: 'report.day',
  text: `SELECT $1::date::timestamp AT TIME ZONE $2 AS start, ($1::date + 1)::timestamp AT TIME ZONE $2 AS stop,
                statement_timestamp() AS now`,
};

/**
 * $1: start and $2: stop of the day, $3: whether to include sandbox merchants. An opening balance is the sum of all movements
 * before the day. A closing balance is the wallet's current balance less the movements after the day. So the day's movements
 * lead from the one to the other only if no movement is missing.
 */
export const READ_DAY_OF_MERCHANTS: Statement = {
  name: 'report.day_of_merchants',
  text: `
    WITH day AS (SELECT $1::timestamptz AS start, $2::timestamptz AS stop),
    moved AS (
      SELECT merchant_id,
             coalesce(sum(${AVAILABLE}) FILTER (WHERE created_at < day.start), 0)::bigint AS opening_available,
             coalesce(sum(${HELD}) FILTER (WHERE created_at < day.start), 0)::bigint AS opening_held,
             coalesce(sum(${AVAILABLE}) FILTER (WHERE created_at >= day.stop), 0)::bigint AS later_available,
             coalesce(sum(${HELD}) FILTER (WHERE created_at >= day.stop), 0)::bigint AS later_held,
             ${during('credit')} AS credited, ${during('debit')} AS debited, ${during('order_hold')} AS ordered,
             ${during('order_spend')} AS spent, ${during('order_refund')} AS refunded
      FROM transfers, day GROUP BY merchant_id),
    counted AS (
      SELECT merchant_id, count(*) FILTER (WHERE created_at >= day.start) AS orders,
             count(*) FILTER (WHERE status = 'completed' AND updated_at >= day.start AND updated_at < day.stop)
               AS completed,
             count(*) FILTER (WHERE status = 'failed' AND updated_at >= day.start AND updated_at < day.stop) AS failed
      FROM orders, day WHERE created_at < day.stop GROUP BY merchant_id)
    SELECT m.id AS merchant_id, m.name, coalesce(orders, 0) AS orders, coalesce(completed, 0) AS completed,
           coalesce(failed, 0) AS failed, coalesce(credited, 0) AS credited, coalesce(debited, 0) AS debited,
           coalesce(ordered, 0) AS ordered, coalesce(spent, 0) AS spent, coalesce(refunded, 0) AS refunded,
           coalesce(opening_available, 0) AS opening_available, coalesce(opening_held, 0) AS opening_held,
           w.available - coalesce(later_available, 0) AS closing_available,
           w.held - coalesce(later_held, 0) AS closing_held,
           coalesce(last.available_after, 0) AS last_available
    FROM day CROSS JOIN merchants m JOIN wallets w ON w.merchant_id = m.id
    LEFT JOIN moved ON moved.merchant_id = m.id
    LEFT JOIN counted ON counted.merchant_id = m.id
    LEFT JOIN LATERAL (
      SELECT t.available_after FROM transfers t
      WHERE t.merchant_id = m.id AND t.kind <> 'order_spend' AND t.created_at < day.stop
      ORDER BY t.id DESC LIMIT 1) last ON true
    WHERE m.created_at < day.stop AND ($3::boolean OR NOT m.sandbox)
    ORDER BY m.id`,
};
