import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What operators ask suppliers by hand is bounded over all processes of the console. */
export class SupplierQuestions1763800000101 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE suppliers ADD COLUMN test_asked_until timestamptz(3), ADD COLUMN inquiry_asked_until timestamptz(3)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE suppliers DROP COLUMN test_asked_until, DROP COLUMN inquiry_asked_until`);
  }
}
