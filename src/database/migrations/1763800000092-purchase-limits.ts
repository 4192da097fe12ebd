import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * For how many cases of purchases a supplier had within an hour (the table is small: cases are few), and from which page on
 * a list that failed is read.
 */
export class PurchaseLimits1763800000092 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE INDEX ix_supplier_reversals_lately ON supplier_reversals (supplier_id, created_at) WHERE order_id IS NULL`);
    await runner.query(`ALTER TABLE suppliers ADD COLUMN purchases_place jsonb`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE suppliers DROP COLUMN purchases_place`);
    await runner.query(`DROP INDEX ix_supplier_reversals_lately`);
  }
}
