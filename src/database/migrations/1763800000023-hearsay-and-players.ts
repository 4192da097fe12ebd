import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What suppliers call attempts may be hearsay, callbacks are found by attempt, and catalogues say what players look like. */
export class HearsayAndPlayers1763800000023 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE unit_attempts ADD COLUMN is_hearsay boolean NOT NULL DEFAULT false`);
    await runner.query(`ALTER TABLE supplier_products ADD COLUMN player_pattern text`);
    await runner.query(`
      CREATE INDEX ix_supplier_callbacks_attempt ON supplier_callbacks (order_id, item, unit, attempt)
      WHERE order_id IS NOT NULL`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP INDEX ix_supplier_callbacks_attempt`);
    await runner.query(`ALTER TABLE supplier_products DROP COLUMN player_pattern`);
    await runner.query(`ALTER TABLE unit_attempts DROP COLUMN is_hearsay`);
  }
}
