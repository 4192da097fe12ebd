import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What an operator has shown counts until their access changes: a number that rises with each reset, disabling and new password. */
export class OperatorsAccess1763800000094 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE operators ADD COLUMN access_version integer NOT NULL DEFAULT 0`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE operators DROP COLUMN access_version`);
  }
}
