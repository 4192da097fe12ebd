import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * What operators look for orders by, beside the time and the status. The order of items is negated, newest first, so that
 * these indexes serve nobody who looks for the items of an order: with few suppliers, PostgreSQL would skip through them
 * instead of using the key, and go on doing so when there are many.
 */
const INDEXES: Record<string, string> = {
  ix_orders_user: 'orders (merchant_id, user_id, created_at DESC, id DESC)',
  ix_orders_failure: 'orders (failure_code, created_at DESC, id DESC) WHERE failure_code IS NOT NULL',
  ix_order_items_sku: 'order_items (sku, (-order_id))',
  ix_order_items_supplier: 'order_items (supplier_id, (-order_id))',
};

export class OrderFilters1763800000014 implements MigrationInterface {
  /** Built beside those who write: in a transaction, orders would have to wait until millions of them are indexed. */
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    for (const [name, definition] of Object.entries(INDEXES)) {
      // One whose build was interrupted is there, and not valid.
      await runner.query(`DROP INDEX CONCURRENTLY IF EXISTS ${name}`);
      await runner.query(`CREATE INDEX CONCURRENTLY ${name} ON ${definition}`);
    }
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const name of Object.keys(INDEXES)) await runner.query(`DROP INDEX ${name}`);
  }
}
