import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Which account a supplier knows us by: another one at the same address never saw what was sent before. */
export class SupplierAccounts1763800000029 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE suppliers ADD COLUMN account text NOT NULL DEFAULT ''`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE suppliers DROP COLUMN account`);
  }
}
