import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What a supplier says last in a case, and another case where its word turns after one was closed. */
export class TurnedWords1763800000099 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // Under the name that the version before knows: it opens the first case of a kind only.
    await runner.query(`
      ALTER TABLE supplier_reversals
        ADD COLUMN turn smallint NOT NULL DEFAULT 1,
        ADD COLUMN says text CONSTRAINT ck_supplier_reversals_says CHECK (says IN ('succeeded', 'failed')),
        DROP CONSTRAINT uq_supplier_reversals_unit_kind,
        ADD CONSTRAINT uq_supplier_reversals_unit_kind UNIQUE (order_id, item, unit, kind, attempt, turn)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DELETE FROM supplier_reversals WHERE turn > 1`);
    await runner.query(`
      ALTER TABLE supplier_reversals
        DROP CONSTRAINT uq_supplier_reversals_unit_kind,
        DROP COLUMN turn, DROP COLUMN says,
        ADD CONSTRAINT uq_supplier_reversals_unit_kind UNIQUE (order_id, item, unit, kind, attempt)`);
  }
}
