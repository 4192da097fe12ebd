import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { LIST_ORDERABLE } from '../../src/catalog/listings.repository.js';
import { eventually } from '../support/eventually.js';
import { TestStack, unique } from '../support/stack.js';

let stack: TestStack;

beforeAll(async () => {
  stack = await TestStack.start({}, { worker: false });
  const merchant = await stack.merchant('100.00');
  await stack.order(merchant, [{ sku: await stack.product('1.00') }]);
});
afterAll(() => stack.close());

/** A supplier without offers, which nothing keeps. @returns its id. */
async function addSupplier(): Promise<number> {
  const code = unique('supplier');
  await stack.addSupplier(code, stack.supplier.url);
  const [row] = await stack.sql<{ id: number }>('SELECT id FROM suppliers WHERE code = $1', [code]);
  return row?.id ?? 0;
}

const REMOVE = 'DELETE FROM suppliers WHERE id = $1 RETURNING id';

/** Another item of the order: of this supplier. $1 supplier. */
const ITEM = `
  INSERT INTO order_items (order_id, position, sku, quantity, list_price, unit_price, supplier_id, supplier_sku)
  SELECT order_id, (SELECT max(position) + 1 FROM order_items), 'sku', 1, 1, 1, $1, 'theirs' FROM order_units LIMIT 1`;
/** Another attempt of the unit: at this supplier. $1 supplier. */
const ATTEMPT = `
  INSERT INTO unit_attempts (order_id, item, unit, number, supplier_id, supplier_sku, reference, created_at)
  SELECT order_id, item, unit, (SELECT count(*) + 1 FROM unit_attempts), $1, 'theirs', 'reference', now()
  FROM order_units LIMIT 1`;
const ARCHIVE = `
  INSERT INTO archived_partitions (number, end_id, state, directory, orders, months, supplier_ids, archived_by, archived_at)
  VALUES (9, 100, 'begun', '/archive', 0, '[]', ARRAY[$1::int], 'operator', now())`;

async function connect(): Promise<pg.Client> {
  const client = new pg.Client(stack.config.DATABASE_URL);
  await client.connect();
  return client;
}

describe('the database removes a supplier', () => {
  it('that no order names', async () => {
    const id = await addSupplier();
    expect(await stack.sql(REMOVE, [id])).toEqual([{ id }]);
  });

  it.each([
    ['an item', ITEM],
    ['an attempt', ATTEMPT],
    ['an archive', ARCHIVE],
  ])('but none that %s names', async (_what, use) => {
    const id = await addSupplier();
    await stack.sql(use, [id]);
    await expect(stack.sql(REMOVE, [id])).rejects.toMatchObject({ constraint: 'tg_suppliers_used' });
    expect(await stack.sql('SELECT FROM suppliers WHERE id = $1', [id])).toHaveLength(1);
  });

  it('without reading the items and attempts of others, for orders wait meanwhile', async () => {
    const id = await addSupplier();
    await stack.fill(`
      SET session_replication_role = 'replica';
      INSERT INTO order_items (order_id, position, sku, quantity, list_price, unit_price, supplier_id, supplier_sku)
      SELECT 1000 + place, 1, 'sku', 1, 1, 1, -1 - place % 2, 'theirs' FROM generate_series(1, 10000) AS place;
      INSERT INTO unit_attempts (order_id, item, unit, number, supplier_id, supplier_sku, reference, created_at)
      SELECT order_id, 1, 1, 1, supplier_id, 'theirs', order_id::text, now() FROM order_items WHERE order_id > 1000;
      ANALYZE order_items, unit_attempts`);
    const client = await connect();
    try {
      await client.query('BEGIN');
      await client.query(REMOVE, [id]);
      const { rows } = await client.query(`
        SELECT relname, seq_tup_read + coalesce(idx_tup_fetch, 0) AS read FROM pg_stat_xact_user_tables
        WHERE relname IN ('order_items', 'unit_attempts') ORDER BY relname`);
      expect(rows).toEqual([
        { relname: 'order_items', read: '0' },
        { relname: 'unit_attempts', read: '0' },
      ]);
      await client.query('ROLLBACK');
    } finally {
      await client.end();
    }
  });

  it('but none of which an order has read an offer that is gone by now', async () => {
    const id = await addSupplier();
    const [ordering, removing] = [await connect(), await connect()];
    try {
      await ordering.query('BEGIN');
      const limits = { costMaxAgeMs: 1n, rateMaxAgeMs: 1n, minMargin: 0 };
      const [read, values] = LIST_ORDERABLE.with({ queried: [], ...limits });
      await ordering.query(read.text, values);
      const removed = removing.query(REMOVE, [id]).then(
        () => 'removed',
        (error: { constraint?: string }) => error.constraint,
      );
      await eventually(
        () => stack.sql(`SELECT FROM pg_locks WHERE relation = 'supplier_offers'::regclass AND NOT granted`),
        ({ length }) => length === 1,
      );
      await ordering.query(ITEM, [id]);
      await ordering.query('COMMIT');
      expect(await removed).toBe('tg_suppliers_used');
    } finally {
      await Promise.all([ordering.end(), removing.end()]);
    }
  });
});
