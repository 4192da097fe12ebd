import type { MigrationInterface, QueryRunner } from 'typeorm';
import { lockForChange } from '../migration-locks.js';

/** When a deposit expired. A later payment changes the deposit's status, but must not hide that the deposit expired. */
export class ExpiredDeposits1763900000028 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`${lockForChange('deposits')};
      ALTER TABLE deposits ADD COLUMN expired_at timestamptz(3)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE deposits DROP COLUMN expired_at`);
  }
}
