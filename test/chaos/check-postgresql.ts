import type { ChaosSystem } from './system.js';
import type { Violations } from './violations.js';

/** The invariants of the books, each as a query for the rows that break it. */
const BROKEN: Record<string, string> = {
  'available is credits less debits, the price of what was bought, and held': `
    SELECT w.merchant_id, w.available, w.held, money.credited, money.debited, bought.price AS bought
    FROM wallets w
    LEFT JOIN LATERAL (
      SELECT coalesce(sum(amount) FILTER (WHERE kind = 'credit'), 0) AS credited,
             coalesce(sum(amount) FILTER (WHERE kind = 'debit'), 0) AS debited
      FROM transfers WHERE merchant_id = w.merchant_id) money ON true
    LEFT JOIN LATERAL (
      SELECT coalesce(sum(i.unit_price), 0) AS price
      FROM orders o JOIN order_items i ON i.order_id = o.id
      JOIN order_units u ON u.order_id = i.order_id AND u.item = i.position
      WHERE o.merchant_id = w.merchant_id AND o.status IN ('completed', 'failed') AND u.state = 'succeeded') bought
      ON true
    WHERE w.available <> money.credited - money.debited - bought.price - w.held`,
  'held is the price of the orders that have not ended': `
    SELECT w.merchant_id, w.held, open.total FROM wallets w LEFT JOIN LATERAL (
      SELECT coalesce(sum(total_amount), 0) AS total FROM orders
      WHERE merchant_id = w.merchant_id AND status NOT IN ('completed', 'failed')) open ON true
    WHERE w.held <> open.total`,
  'an order is charged its price once': `
    SELECT o.order_number, o.total_amount, held.amounts FROM orders o LEFT JOIN LATERAL (
      SELECT array_agg(amount) AS amounts FROM transfers WHERE order_id = o.id AND kind = 'order_hold') held ON true
    WHERE held.amounts IS DISTINCT FROM ARRAY[o.total_amount]`,
  'a terminal order has one event, of its kind, and another none': `
    SELECT o.order_number, o.status, event.kinds FROM orders o LEFT JOIN LATERAL (
      SELECT coalesce(array_agg(kind), '{}') AS kinds FROM events WHERE order_id = o.id) event ON true
    WHERE event.kinds <> CASE WHEN o.status IN ('completed', 'failed') THEN ARRAY['order.' || o.status] ELSE '{}' END`,
  'an order is terminal exactly when all its units are, and completed when all succeeded': `
    SELECT o.order_number, o.status, unit.states FROM orders o LEFT JOIN LATERAL (
      SELECT array_agg(state ORDER BY item, unit) AS states FROM order_units WHERE order_id = o.id) unit ON true
    WHERE (o.status IN ('completed', 'failed')) <> (unit.states <@ ARRAY['succeeded', 'failed'])
       OR (o.status = 'completed') <> (unit.states <@ ARRAY['succeeded'])`,
  'an item has as many units as were ordered, and counts them rightly': `
    SELECT i.order_id, i.position, i.quantity, i.completed_quantity, i.failed_quantity, unit.* FROM order_items i
    LEFT JOIN LATERAL (
      SELECT count(*) AS units, count(*) FILTER (WHERE state = 'succeeded') AS succeeded,
             count(*) FILTER (WHERE state = 'failed') AS failed
      FROM order_units WHERE order_id = i.order_id AND item = i.position) unit ON true
    WHERE unit.units <> i.quantity OR unit.succeeded <> i.completed_quantity OR unit.failed <> i.failed_quantity`,
};

interface Audit {
  ok: boolean;
  checks: { name: string; ok: boolean; detail: string }[];
}

/** Looks for rows that break an invariant, and runs the service's own audit. */
export async function checkPostgresql(
  system: Pick<ChaosSystem, 'sql' | 'topup'>,
  violations: Violations,
): Promise<void> {
  for (const [invariant, query] of Object.entries(BROKEN)) {
    const rows = await system.sql(query);
    for (const row of rows) violations.add('postgresql', `not so: ${invariant}`, row);
  }
  try {
    const { ok, checks } = await system.topup<Audit>('audit');
    if (!ok) violations.add('postgresql', 'topup audit found a fault, and exited with 0', checks);
  } catch (error) {
    const { stdout, stderr } = error as { stdout?: string; stderr?: string };
    const failed = stdout ? (JSON.parse(stdout) as Audit).checks.filter(({ ok }) => !ok) : stderr;
    violations.add('postgresql', 'topup audit found a fault', failed ?? String(error));
  }
}
