import { expect } from '@jest/globals';
import type { TestStack } from './stack.js';

/** The invariants of the books, each as a query for the rows that break it (contract, sections 2, 3 and 8). */
const VIOLATIONS: Record<string, string> = {
  'available is what came in, less what went out': `
    SELECT w.merchant_id, w.available, t.balance FROM wallets w LEFT JOIN LATERAL (
      SELECT coalesce(sum(CASE kind WHEN 'credit' THEN amount WHEN 'order_refund' THEN amount
                                    WHEN 'debit' THEN -amount WHEN 'order_hold' THEN -amount ELSE 0 END), 0) AS balance
      FROM transfers WHERE merchant_id = w.merchant_id) t ON true
    WHERE w.available <> t.balance`,
  'held is the total of the orders that have not ended': `
    SELECT w.merchant_id, w.held, o.open FROM wallets w LEFT JOIN LATERAL (
      SELECT coalesce(sum(total_amount), 0) AS open FROM orders
      WHERE merchant_id = w.merchant_id AND status IN ('pending', 'processing')) o ON true
    WHERE w.held <> o.open`,
  'every line of the statement follows from the line before': `
    SELECT * FROM (
      SELECT id, merchant_id, available_after,
             sum(CASE kind WHEN 'credit' THEN amount WHEN 'order_refund' THEN amount
                           WHEN 'debit' THEN -amount WHEN 'order_hold' THEN -amount ELSE 0 END)
               OVER (PARTITION BY merchant_id ORDER BY id) AS running
      FROM transfers) line WHERE available_after <> running`,
  'every order was charged its total, once': `
    SELECT o.id, o.total_amount, t.held FROM orders o LEFT JOIN LATERAL (
      SELECT coalesce(sum(amount), 0) AS held, count(*) AS times FROM transfers
      WHERE order_id = o.id AND kind = 'order_hold') t ON true
    WHERE t.held <> o.total_amount OR t.times > 1`,
  'an order that ended spent and returned what it held, by its units; one that did not moved nothing': `
    SELECT o.id, o.status, t.spent, t.returned, u.bought, u.not_bought FROM orders o
    LEFT JOIN LATERAL (
      SELECT coalesce(sum(amount) FILTER (WHERE kind = 'order_spend'), 0) AS spent,
             coalesce(sum(amount) FILTER (WHERE kind = 'order_refund'), 0) AS returned
      FROM transfers WHERE order_id = o.id) t ON true
    LEFT JOIN LATERAL (
      SELECT coalesce(sum(i.unit_price) FILTER (WHERE un.state = 'succeeded'), 0) AS bought,
             coalesce(sum(i.unit_price) FILTER (WHERE un.state = 'failed'), 0) AS not_bought
      FROM order_units un JOIN order_items i ON i.order_id = un.order_id AND i.position = un.item
      WHERE un.order_id = o.id) u ON true
    WHERE CASE WHEN o.status IN ('completed', 'failed')
               THEN t.spent <> u.bought OR t.returned <> u.not_bought OR t.spent + t.returned <> o.total_amount
               ELSE t.spent <> 0 OR t.returned <> 0 END`,
  'an order that ended has exactly one event, of its own kind; one that did not has none': `
    SELECT o.id, o.status, e.kinds FROM orders o LEFT JOIN LATERAL (
      SELECT coalesce(array_agg(kind), '{}') AS kinds FROM events WHERE order_id = o.id) e ON true
    WHERE e.kinds <> CASE WHEN o.status IN ('completed', 'failed') THEN ARRAY['order.' || o.status] ELSE '{}' END`,
  'an item counts its units, and has as many as were ordered': `
    SELECT i.order_id, i.position, i.quantity, i.completed_quantity, i.failed_quantity, u.* FROM order_items i
    LEFT JOIN LATERAL (
      SELECT count(*) AS units, count(*) FILTER (WHERE state = 'succeeded') AS succeeded,
             count(*) FILTER (WHERE state = 'failed') AS failed
      FROM order_units WHERE order_id = i.order_id AND item = i.position) u ON true
    WHERE u.units <> i.quantity OR u.succeeded <> i.completed_quantity OR u.failed <> i.failed_quantity`,
  'an order has ended exactly when all its units have': `
    SELECT o.id, o.status FROM orders o
    WHERE (o.status IN ('completed', 'failed')) =
          EXISTS (SELECT 1 FROM order_units WHERE order_id = o.id AND state NOT IN ('succeeded', 'failed'))`,
  'an order is completed only when every unit succeeded': `
    SELECT o.id FROM orders o WHERE o.status = 'completed'
      AND EXISTS (SELECT 1 FROM order_units WHERE order_id = o.id AND state <> 'succeeded')`,
};

/** Expects that the whole database of the stack has no satang that was created, lost or moved twice. */
export async function expectBooksToBalance(stack: TestStack): Promise<void> {
  const broken: Record<string, object[]> = {};
  for (const [invariant, query] of Object.entries(VIOLATIONS)) {
    const rows = await stack.sql<Record<string, unknown>>(`${query} LIMIT 5`);
    if (rows.length > 0) broken[invariant] = rows.map(readable);
  }
  expect(broken).toEqual({});
}

/** As text, because Jest cannot report a bigint between its workers. */
const readable = (row: Record<string, unknown>): object =>
  Object.fromEntries(
    Object.entries(row).map(([name, value]) => [name, typeof value === 'bigint' ? String(value) : value]),
  );

/** Ends a test file: checks the books, and closes everything even if they do not balance. */
export async function closeWithBalancedBooks(
  stack: TestStack,
  ...others: { close(): Promise<unknown> }[]
): Promise<void> {
  try {
    await expectBooksToBalance(stack);
  } finally {
    for (const each of [...others, stack]) await each.close();
  }
}
