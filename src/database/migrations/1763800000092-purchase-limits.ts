import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * For how many cases of purchases a supplier had within an hour, and from which page on a list that failed is read. Those
 * who open cases read suppliers before they write, and after: so there is no transaction around both steps, none is taken
 * with the lock of the other, and each can be taken again after a crash.
 */
export class PurchaseLimits1763800000092 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE suppliers ADD COLUMN IF NOT EXISTS purchases_place jsonb`);
    // What a crash left of it is no index yet.
    await runner.query(`DROP INDEX CONCURRENTLY IF EXISTS ix_supplier_reversals_lately`);
    await runner.query(`
      CREATE INDEX CONCURRENTLY ix_supplier_reversals_lately ON supplier_reversals (supplier_id, created_at)
      WHERE order_id IS NULL`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP INDEX ix_supplier_reversals_lately`);
    await runner.query(`ALTER TABLE suppliers DROP COLUMN purchases_place`);
  }
}
