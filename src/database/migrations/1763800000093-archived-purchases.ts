import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * What archived orders bought under names that do not tell the order, and how what is kept of an order is written. Placing
 * an order reads order_references, and many write suppliers: each is locked for a step of its own, without the other, and
 * each step can be taken again after a crash.
 */
export class ArchivedPurchases1763800000093 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE order_references ADD COLUMN IF NOT EXISTS answer_version smallint NOT NULL DEFAULT 1`);
    // A purchase has at most one order, but the keys of attempts hold within a partition only.
    await runner.query(`
      CREATE TABLE IF NOT EXISTS archived_purchases (
        supplier_id integer NOT NULL CONSTRAINT fk_archived_purchases_supplier REFERENCES suppliers,
        reference text NOT NULL,
        order_id bigint NOT NULL,
        supplier_reference text,
        CONSTRAINT pk_archived_purchases PRIMARY KEY (supplier_id, reference, order_id)
      )`);
    await runner.query(`
      CREATE INDEX IF NOT EXISTS ix_archived_purchases_supplier_reference
      ON archived_purchases (supplier_id, supplier_reference) WHERE supplier_reference IS NOT NULL`);
    await runner.query(`CREATE INDEX IF NOT EXISTS ix_archived_purchases_order ON archived_purchases (order_id)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE order_references DROP COLUMN answer_version`);
    await runner.query(`DROP TABLE archived_purchases`);
  }
}
