import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * A case may be about a purchase of which no order is known: by the supplier's word, one for each name of a purchase. The
 * version before passes over those.
 */
export class UnknownPurchases1763800000090 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE supplier_reversals
        ALTER COLUMN order_id DROP NOT NULL,
        ALTER COLUMN item DROP NOT NULL,
        ALTER COLUMN unit DROP NOT NULL,
        ALTER COLUMN attempt DROP NOT NULL,
        ADD COLUMN reference text,
        ADD COLUMN supplier_sku text,
        ADD COLUMN player text,
        ADD COLUMN bought_at timestamptz(3),
        ADD CONSTRAINT ck_supplier_reversals_unit CHECK (num_nulls(order_id, item, unit, attempt) IN (0, 4)),
        ADD CONSTRAINT ck_supplier_reversals_purchase CHECK (
          order_id IS NOT NULL OR (kind = 'unknown_purchase' AND num_nonnulls(reference, supplier_reference) > 0))`);
    await runner.query(`
      CREATE UNIQUE INDEX uq_supplier_reversals_reference ON supplier_reversals (supplier_id, reference)
      WHERE order_id IS NULL AND reference IS NOT NULL`);
    await runner.query(`
      CREATE UNIQUE INDEX uq_supplier_reversals_supplier_reference ON supplier_reversals (supplier_id, supplier_reference)
      WHERE order_id IS NULL AND reference IS NULL`);
    await runner.query(`
      CREATE INDEX ix_supplier_reversals_purchase ON supplier_reversals (supplier_id, supplier_reference)
      WHERE order_id IS NULL`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP INDEX ix_supplier_reversals_purchase`);
    await runner.query(`DROP INDEX uq_supplier_reversals_supplier_reference`);
    await runner.query(`DROP INDEX uq_supplier_reversals_reference`);
    await runner.query(`DELETE FROM supplier_reversals WHERE order_id IS NULL`);
    await runner.query(`
      ALTER TABLE supplier_reversals
        DROP CONSTRAINT ck_supplier_reversals_purchase,
        DROP CONSTRAINT ck_supplier_reversals_unit,
        DROP COLUMN reference, DROP COLUMN supplier_sku, DROP COLUMN player, DROP COLUMN bought_at,
        ALTER COLUMN order_id SET NOT NULL,
        ALTER COLUMN item SET NOT NULL,
        ALTER COLUMN unit SET NOT NULL,
        ALTER COLUMN attempt SET NOT NULL`);
  }
}
