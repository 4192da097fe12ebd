import type { MigrationInterface, QueryRunner } from 'typeorm';
import { lockForChange } from '../migration-locks.js';

/**
 * Since when an offer is off. Units also wait for their offer while it has been off for less than
 * `ROUTING_HOLD_LIMIT_MS`.
 */
export class OffersOff1763900000032 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`${lockForChange('supplier_offers')};
      ALTER TABLE supplier_offers ADD COLUMN off_at timestamptz(3)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE supplier_offers DROP COLUMN off_at');
  }
}
