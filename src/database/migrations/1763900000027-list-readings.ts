import type { MigrationInterface, QueryRunner } from 'typeorm';
import { lockForChange } from '../migration-locks.js';

/** Only one process at a time reads the list of a channel's vendor. */
export class ListReadings1763900000027 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`${lockForChange('deposit_channels')};
      ALTER TABLE deposit_channels ADD COLUMN list_read_until timestamptz(3)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE deposit_channels DROP COLUMN list_read_until`);
  }
}
