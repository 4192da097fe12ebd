import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Suppliers' catalogues are read whole: when that was last, what is in them no more, and which offers they put on. */
export class CatalogueReads1763800000021 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE suppliers ADD COLUMN catalogue_read_at timestamptz(3)`);
    await runner.query(`
      ALTER TABLE supplier_products
        ADD COLUMN gone_at timestamptz(3),
        ADD CONSTRAINT ck_supplier_products_gone CHECK (gone_at IS NULL OR NOT sellable)`);
    await runner.query(`
      ALTER TABLE supplier_offers
        ADD COLUMN off_by_fault boolean NOT NULL DEFAULT false,
        ADD CONSTRAINT ck_supplier_offers_off_by_fault CHECK (NOT (off_by_fault AND active))`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE supplier_offers DROP COLUMN off_by_fault`);
    await runner.query(`ALTER TABLE supplier_products DROP COLUMN gone_at`);
    await runner.query(`ALTER TABLE suppliers DROP COLUMN catalogue_read_at`);
  }
}
