import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Which attempts of archived orders did not buy their unit: what their supplier says to have sold of them is a case. */
export class PurchasesNotBought1763800000098 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE archived_purchases ADD COLUMN not_bought boolean NOT NULL DEFAULT false`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE archived_purchases DROP COLUMN not_bought`);
  }
}
