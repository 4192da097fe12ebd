import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * What an order's timeline tells and could not know: about which attempt a supplier was called, and which offers were passed
 * over for the one that was taken. Each is a column more of a row that is written anyway; nothing of it is filled in for
 * what was written before.
 */
export class Timelines1763800000055 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE supplier_calls ADD COLUMN attempt smallint`);
    await runner.query(`ALTER TABLE unit_attempts ADD COLUMN passed_over jsonb`);
    await runner.query(`ALTER TABLE order_items ADD COLUMN passed_over jsonb`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE order_items DROP COLUMN passed_over`);
    await runner.query(`ALTER TABLE unit_attempts DROP COLUMN passed_over`);
    await runner.query(`ALTER TABLE supplier_calls DROP COLUMN attempt`);
  }
}
