import type { MigrationInterface, QueryRunner } from 'typeorm';
import { lockForChange } from '../migration-locks.js';

/** Whether a probe of a paused supplier is in flight. Processes of the previous version go on beside new ones. */
export class ProbesInFlight1763900000031 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`${lockForChange('suppliers')};
      ALTER TABLE suppliers ADD COLUMN probing_until timestamptz(3)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE suppliers DROP COLUMN probing_until');
  }
}
