import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Until when a supplier was asked for what it sold us, and when it is asked next. */
export class PurchaseLists1763800000091 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE suppliers ADD COLUMN purchases_due_at timestamptz(3), ADD COLUMN purchases_listed_at timestamptz(3)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE suppliers DROP COLUMN purchases_due_at, DROP COLUMN purchases_listed_at`);
  }
}
