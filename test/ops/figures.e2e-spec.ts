import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { METRICS_STATEMENTS, LIMITS } from '../../src/monitoring/stats/database-stats.repository.js';
import { TestStack } from '../support/stack.js';

const ENDED_ORDERS = 10_000;

let stack: TestStack;

beforeAll(async () => {
  stack = await TestStack.start({}, { worker: false });
});

afterAll(() => stack.close());

/** PostgreSQL's plan of a statement, with the settings of a scrape. */
async function planOf(text: string): Promise<string> {
  const client = await stack.database.pool.connect();
  try {
    await client.query('BEGIN');
    await client.query(LIMITS.text);
    const { rows } = await client.query<{ 'QUERY PLAN': string }>(`EXPLAIN ${text}`);
    await client.query('ROLLBACK');
    return rows.map((row) => row['QUERY PLAN']).join('\n');
  } finally {
    client.release();
  }
}

/** Many orders that ended long ago, and a few open ones, written straight to the tables. */
async function fill(): Promise<void> {
  const merchant = await stack.merchant('0.00');
  const values = [merchant.id];
  await stack.fill(
    `INSERT INTO webhooks (merchant_id, url, events, secret_sealed, secret_hint)
     SELECT $1, 'http://127.0.0.1/' || n, ARRAY['order.completed'], '', '' FROM generate_series(1, 20) n`,
    values,
  );
  await stack.fill(
    `INSERT INTO orders (merchant_id, order_number, reference_id, content_hash, user_id, status, subtotal_amount,
                         discount_amount, total_amount, open_items, created_at, updated_at)
     SELECT $1, 'ord_' || n, 'ref-' || n, '', 'player', CASE WHEN n % 1000 = 0 THEN 'processing' ELSE 'completed' END,
            3500, 0, 3500, CASE WHEN n % 1000 = 0 THEN 1 ELSE 0 END, now(), now()
     FROM generate_series(1, ${ENDED_ORDERS}) n`,
    values,
  );
  await stack.fill(
    `INSERT INTO order_items (order_id, position, sku, quantity, list_price, unit_price, supplier_id, supplier_sku,
                              status, completed_quantity)
     SELECT o.id, 1, 'SKU', 1, 3500, 3500, s.id, 'SKU', status, CASE status WHEN 'completed' THEN 1 ELSE 0 END
     FROM orders o CROSS JOIN suppliers s WHERE s.id > 0`,
  );
  await stack.fill(
    `INSERT INTO order_units (order_id, item, unit, supplier_id, state, next_action_at, unknown_since, updated_at)
     SELECT order_id, 1, 1, supplier_id,
            CASE WHEN status = 'completed' THEN 'succeeded' WHEN order_id % 2000 = 0 THEN 'unknown' ELSE 'queued' END,
            CASE WHEN status = 'completed' THEN NULL ELSE now() END,
            CASE WHEN status <> 'completed' AND order_id % 2000 = 0 THEN now() END, now()
     FROM order_items`,
  );
  await stack.fill(
    `INSERT INTO events (public_id, merchant_id, kind, order_id, body, created_at)
     SELECT 'evt_' || id, merchant_id, 'order.completed', id, '{}', now() FROM orders WHERE status = 'completed'`,
  );
  await stack.fill(
    `INSERT INTO webhook_deliveries (webhook_id, event_id, status, due_at, created_at, updated_at)
     SELECT w.id, e.id, CASE WHEN e.id % 500 = 0 THEN 'pending' ELSE 'succeeded' END,
            CASE WHEN e.id % 500 = 0 THEN now() END, now(), now()
     FROM events e JOIN webhooks w ON w.id = e.id % 20 + 1`,
  );
}

describe.each([
  ['empty', () => Promise.resolve()],
  ['filled', () => fill()],
  ['filled and analysed', () => stack.fill('ANALYZE')],
])('the statements of the metrics, in a database that is %s', (_state, prepare) => {
  beforeAll(prepare);

  it.each(METRICS_STATEMENTS.map((statement) => [statement.name, statement] as const))(
    'reads no table of orders, units or deliveries from end to end: %s',
    async (_name, { text }) => {
      const plan = await planOf(text);
      expect(plan).not.toMatch(/Seq Scan on (orders|order_units|webhook_deliveries)/);
      // It must not read an index with every row from end to end, either.
      expect(plan).not.toMatch(/ (pk|uq)_(orders|order_units|webhook_deliveries)|ix_orders_newest|_log\b/);
    },
  );
});
