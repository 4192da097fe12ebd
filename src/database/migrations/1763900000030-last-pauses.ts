import type { MigrationInterface, QueryRunner } from 'typeorm';
import { lockForChange } from '../migration-locks.js';

/** The last pause of a supplier, so that the next pause can continue it. Processes of the previous version go on beside new ones. */
export class LastPauses1763900000030 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`${lockForChange('suppliers')};
      ALTER TABLE suppliers
        ADD COLUMN last_pause_reason text, ADD COLUMN last_paused_at timestamptz(3), ADD COLUMN last_resumed_at timestamptz(3)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE suppliers DROP COLUMN last_pause_reason, DROP COLUMN last_paused_at, DROP COLUMN last_resumed_at`);
  }
}
