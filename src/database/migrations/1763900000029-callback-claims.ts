import type { MigrationInterface, QueryRunner } from 'typeorm';
import { lockForChange } from '../migration-locks.js';

/** When workers last inquired about the payment of a callback, so that they can count these inquiries. */
export class CallbackClaims1763900000029 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`${lockForChange('channel_callbacks')};
      ALTER TABLE channel_callbacks ADD COLUMN claimed_at timestamptz(3)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE channel_callbacks DROP COLUMN claimed_at`);
  }
}
