import { counted } from '../../core/text.js';
import { formatBaht } from '../../core/money.js';
import { baht, type MomentCheck } from './check.sql.js';
import { AVAILABLE } from '../reports/daily-report.sql.js';

/** Rules about the current state. */
export const MOMENT_CHECKS = {
  merchants: {
    name: 'merchant_wallets',
    rows: `SELECT m.id, w.merchant_id AS wallet FROM merchants m LEFT JOIN wallets w ON w.merchant_id = m.id`,
    wrong: 'wallet IS NULL',
    example: `format('merchant %s has none', id)`,
    describe: ({ checked = 0n }) => `${counted(checked, 'merchant')}, each with a wallet`,
  },
  open: {
    name: 'held_for_open_orders',
    rows: `
      SELECT merchant_id, held, coalesce(open_orders, 0) AS open_orders, coalesce(open_total, 0) AS open_total
      FROM wallets FULL JOIN (
        SELECT merchant_id, count(*) AS open_orders, sum(total_amount) AS open_total
        FROM orders WHERE status IN ('pending', 'processing') GROUP BY merchant_id) open USING (merchant_id)`,
    wrong: 'held IS DISTINCT FROM open_total',
    example: `format('merchant %s has %s and should have %s', merchant_id, ${baht('held')}, ${baht('open_total')})`,
    figures: { held: 'sum(held)', open_orders: 'sum(open_orders)', open_total: 'sum(open_total)' },
    describe: ({ held = 0n, open_orders = 0n, open_total = 0n }) =>
      `${counted(open_orders, 'open order')} of ${formatBaht(open_total)} in total, held ${formatBaht(held)}`,
  },
  lowest: {
    name: 'balances_not_negative',
    rows: `SELECT merchant_id, available, held FROM wallets`,
    wrong: 'available < 0 OR held < 0',
    example: `format('merchant %s has %s available and %s held', merchant_id, ${baht('available')}, ${baht('held')})`,
    figures: { lowest: 'min(least(available, held))' },
    describe: ({ checked = 0n, lowest = 0n }) =>
      `${counted(checked, 'wallet')}, the lowest balance ${formatBaht(lowest)}`,
  },
  reversals: {
    name: 'supplier_reversals',
    rows: `
      SELECT r.*, s.code AS supplier,
             coalesce((SELECT o.order_number FROM orders o WHERE o.id = r.order_id),
                      (SELECT a.order_number FROM order_references a WHERE a.order_id = r.order_id)) AS order_number
      FROM supplier_reversals r JOIN suppliers s ON s.id = r.supplier_id`,
    wrong: `status = 'open'`,
    example: `CASE WHEN order_id IS NULL
                     THEN format('discrepancy %s: supplier %s reports a purchase of no known order, %s', id, supplier,
                                 coalesce(reference, supplier_reference))
                   ELSE format('discrepancy %s: unit %s.%s of order %s is %s, reports supplier %s', id, item, unit, order_number,
                               kind, supplier) END`,
    figures: { closed: `count(*) FILTER (WHERE status = 'closed')` },
    describe: ({ checked = 0n, closed = 0n }) =>
      `${counted(checked - closed, 'open discrepancy', 'open discrepancies')} between suppliers’ reports and our books, ${closed} closed`,
  },
} satisfies Record<string, MomentCheck>;

/** The rule about deliveries, which have their own range of ids. */
export const DELIVERY_CHECK = {
  name: 'deliveries',
  // A lookup for each event instead of a join, which might read all events for a few deliveries.
  rows: `
    SELECT d.id, d.event_id, w.merchant_id AS webhook_merchant_id,
           (SELECT e.merchant_id FROM events e WHERE e.id = d.event_id) AS merchant_id
    FROM webhook_deliveries d LEFT JOIN webhooks w ON w.id = d.webhook_id
    WHERE d.id > $1 AND d.id <= $2`,
  wrong: 'coalesce(merchant_id <> webhook_merchant_id, true)',
  example: `CASE WHEN merchant_id IS NULL THEN format('delivery %s has no event', id)
                 WHEN webhook_merchant_id IS NULL THEN format('delivery %s has no webhook', id)
                 ELSE format('delivery %s sends %s of merchant %s to merchant %s', id,
                             (SELECT e.public_id FROM events e WHERE e.id = event_id), merchant_id, webhook_merchant_id) END`,
  describe: ({ checked = 0n }) => `${counted(checked, 'delivery', 'deliveries')}, each of an event to its own merchant`,
} satisfies MomentCheck;

const sumOf = (name: string, kind: string): string =>
  `coalesce(sum(amount) FILTER (WHERE kind = '${kind}'), 0)::bigint AS ${name}`;

const WRONG_ENTRY = `
  (amount <= 0
   OR (kind, debit_account, credit_account) NOT IN (
     ('credit', 'funding', 'available'), ('debit', 'available', 'funding'), ('order_hold', 'available', 'held'),
     ('order_spend', 'held', 'spent'), ('order_refund', 'held', 'available'))
   OR (kind IN ('credit', 'debit')) <> (reference IS NOT NULL)
   OR (kind IN ('credit', 'debit')) <> (order_id IS NULL)
   OR (order_id IS NOT NULL AND order_merchant_id IS DISTINCT FROM merchant_id))`;

const WRONG_LINK = `(NOT is_first AND available_after <> before + change)`;

/**
 * Adds up a range of movements for each wallet, and finds the movements that break a rule. $1: after this id, $2: through that
 * one. In the result, `before` is the balance before the first movement. The merchant of an archived order comes from
 * `order_references`.
 */
export const MOVEMENTS = `
  WITH moved AS (
    SELECT t.*, ${AVAILABLE} AS change, lag(t.available_after) OVER merchant AS before,
           lag(t.id) OVER merchant IS NULL AS is_first, lead(t.id) OVER merchant IS NULL AS is_last,
           coalesce((SELECT o.merchant_id FROM orders o WHERE o.id = t.order_id),
                    (SELECT r.merchant_id FROM order_references r WHERE r.order_id = t.order_id)) AS order_merchant_id
    FROM transfers t WHERE t.id > $1 AND t.id <= $2
    WINDOW merchant AS (PARTITION BY t.merchant_id ORDER BY t.id))
  SELECT merchant_id, count(*) AS transfers, sum(amount)::bigint AS moved,
         ${sumOf('credits', 'credit')}, ${sumOf('debits', 'debit')}, ${sumOf('holds', 'order_hold')},
         ${sumOf('spends', 'order_spend')}, ${sumOf('refunds', 'order_refund')},
         min(id) AS first_id, max(id) AS last_id,
         max(available_after - change) FILTER (WHERE is_first) AS before,
         max(available_after) FILTER (WHERE is_first) AS first_after,
         max(available_after) FILTER (WHERE is_last) AS available,
         count(*) FILTER (WHERE ${WRONG_ENTRY}) AS wrong_entries,
         min(format('transfer %s, a %s from %s to %s of %s', id, kind, debit_account, credit_account, ${baht('amount')}))
           FILTER (WHERE ${WRONG_ENTRY}) AS wrong_entry,
         count(*) FILTER (WHERE ${WRONG_LINK}) AS wrong_links,
         min(format('transfer %s of merchant %s states the balance %s, but the transfer before it leads to %s', id, merchant_id,
                    ${baht('available_after')}, ${baht('before + change')})) FILTER (WHERE ${WRONG_LINK}) AS wrong_link
  FROM moved GROUP BY merchant_id`;
