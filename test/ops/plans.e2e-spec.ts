import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { routingLimits } from '../../src/catalog/routing.js';
import { LIST_ORDERABLE } from '../../src/catalog/listings.repository.js';
import { CONFIG, type Config } from '../../src/core/config.js';
import type { Statement } from '../../src/database/database.js';
import { LIST_PAUSED } from '../../src/fulfilment/attempts.sql.js';
import { CLAIM_UNITS } from '../../src/fulfilment/claim.sql.js';
import {
  POSTPONE_UNITS,
  REVIEW_PAUSED_UNITS,
  UNDO_CLAIMS,
  UNDO_INTERRUPTED,
} from '../../src/fulfilment/units.repository.js';
import { FIND_WITH_ITEMS, LIST_EARLIER, INSERT_ORDERS } from '../../src/orders/orders.repository.js';
import { COUNT_UNITS, LOCK_ORDERS, SETTLE_UNITS, UPDATE_ORDERS } from '../../src/orders/settlement.repository.js';
import { SuppliersRepository } from '../../src/suppliers/suppliers.repository.js';
import { CLAIM_DELIVERIES } from '../../src/webhooks/dispatch.sql.js';
import { END_DELIVERED, RECORD_ATTEMPTS } from '../../src/webhooks/dispatch.repository.js';
import { TestStack } from '../support/stack.js';

/** Each hot statement with the indexes that it may use beside primary and unique keys. */
const STATEMENTS: [statement: Statement, ...indexes: string[]][] = [
  [LIST_EARLIER],
  [LIST_ORDERABLE],
  [FIND_WITH_ITEMS],
  [INSERT_ORDERS],
  [CLAIM_UNITS, 'ix_order_units_due', 'ix_supplier_calls_unit'],
  [POSTPONE_UNITS],
  [UNDO_CLAIMS, 'ix_order_units_due'],
  [UNDO_INTERRUPTED, 'ix_order_units_due', 'ix_order_units_unknown', 'ix_supplier_calls_unit'],
  [LOCK_ORDERS],
  [SETTLE_UNITS],
  [COUNT_UNITS],
  [UPDATE_ORDERS],
  [CLAIM_DELIVERIES, 'ix_webhook_deliveries_due', 'ix_webhook_deliveries_leased'],
  [RECORD_ATTEMPTS, 'ix_webhook_deliveries_due'],
  [END_DELIVERED],
];

let stack: TestStack;

beforeAll(async () => {
  stack = await TestStack.start();
});

afterAll(() => stack.close());

/** The indexes, except keys, in the statement's generic plan. */
async function indexesOf({ text }: Statement): Promise<string[]> {
  const rows = await stack.sql<{ 'QUERY PLAN': string }>(`EXPLAIN (GENERIC_PLAN) ${text}`);
  const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
  expect(plan).not.toMatch(
    /Seq Scan on (orders|order_references|order_items|order_units|webhook_deliveries|transfers)/,
  );
  return [...new Set(plan.match(/\bix_\w+/g) ?? [])].sort();
}

describe('plans of the statements that every order uses', () => {
  it.each(STATEMENTS)('%#: finds its rows by its keys in an empty database', async (statement, ...indexes) => {
    expect(indexes).toEqual(expect.arrayContaining(await indexesOf(statement)));
  });

  it('stay the same after PostgreSQL has analyzed a database without open orders', async () => {
    const merchant = await stack.merchant();
    const sku = await stack.product('1.00');
    const placed = await Promise.all(Array.from({ length: 40 }, () => stack.order(merchant, [{ sku, quantity: 2 }])));
    for (const { reference_id } of placed) await stack.orderWith(merchant, reference_id, 'completed');
    await stack.fill('ANALYZE');
    for (const [statement, ...indexes] of STATEMENTS)
      expect([statement.name, indexes]).toEqual([statement.name, expect.arrayContaining(await indexesOf(statement))]);
  });
});

/** In a transaction: the rows of `order_units` that its statements have read. */
const READ = {
  name: '',
  text: `SELECT seq_tup_read + idx_tup_fetch AS rows FROM pg_stat_xact_user_tables WHERE relname = 'order_units'`,
};

describe('a supplier’s pause', () => {
  it('has its own units looked for without reading those that wait for other suppliers', async () => {
    await stack.addSupplier('unpaused', stack.supplier.url);
    await stack.fill(`
      SET session_replication_role = 'replica';
      INSERT INTO order_units (order_id, item, unit, supplier_id, merchant_id, next_action_at, updated_at)
      SELECT 300000 + place, 1, 1, id, 1, now(), now() FROM suppliers, generate_series(1, 5000) AS place WHERE code = 'unpaused'`);
    const limits = routingLimits(stack.api.get<Config>(CONFIG));
    const times = { holdLimitMs: 60_000n, deadlineMs: 60_000n };
    const [read] = await stack.database.transaction((tx) => {
      tx.write(...LIST_PAUSED.with({ ...times, ...limits, limit: 500, areProbesRecorded: true, maxOffers: 3 }));
      return tx.query<{ rows: bigint }>(READ);
    });
    expect(read).toEqual({ rows: 0n });
  });

  it('has its units in doubt looked for without reading those that wait, whatever the statistics are', async () => {
    await stack.addSupplier('paused', stack.supplier.url);
    // By these statistics, many units are in doubt, and few are at any one supplier.
    await stack.fill(`
      SET session_replication_role = 'replica';
      INSERT INTO order_units (order_id, item, unit, supplier_id, merchant_id, state, unknown_since, next_action_at, updated_at)
      SELECT 400000 + place, 1, 1, 1000 + place % 1000, 1, 'unknown', now() - interval '1 day' + place * interval '1 second', now(),
             now() FROM generate_series(1, 5000) AS place;
      ANALYZE order_units;
      UPDATE order_units SET state = 'succeeded', next_action_at = NULL WHERE order_id > 400000;
      UPDATE suppliers SET pause_reason = 'operator', paused_at = now() WHERE code = 'paused';
      INSERT INTO order_units (order_id, item, unit, supplier_id, merchant_id, next_action_at, updated_at)
      SELECT 200000 + place, 1, 1, id, 1, now(), now() FROM suppliers, generate_series(1, 5000) AS place WHERE code = 'paused'`);
    const reads = (): Promise<unknown> =>
      stack.database.transaction((tx) => {
        tx.write(...REVIEW_PAUSED_UNITS.with({ reviewAfterMs: 0n, limit: 500, adapters: [] }));
        return tx.query<{ rows: bigint }>(READ);
      });
    expect(await reads()).toEqual([{ rows: 0n }]);
    await stack.fill('ANALYZE order_units');
    expect(await reads()).toEqual([{ rows: 0n }]);
  });
});

describe('the end of a supplier’s pause', () => {
  it('reads no units that have ended', async () => {
    await stack.fill(`
      SET session_replication_role = 'replica';
      INSERT INTO order_units (order_id, item, unit, supplier_id, state, first_sent_at, updated_at)
      SELECT 100000 + place, 1, 1, 1, 'succeeded', now(), now() FROM generate_series(1, 50000) AS place;
      ANALYZE order_units`);
    const suppliers = stack.api.get(SuppliersRepository);
    const [supplier] = await suppliers.list();
    const [read] = await stack.database.transaction(async (tx) => {
      if (supplier) await suppliers.resume(tx, supplier);
      return tx.query<{ rows: bigint }>(READ);
    });
    expect([supplier?.code, read]).toEqual(['fake', { rows: 0n }]);
  });
});
