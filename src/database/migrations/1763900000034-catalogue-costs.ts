import type { MigrationInterface, QueryRunner } from 'typeorm';
import { lockForChange } from '../migration-locks.js';

/** When the cost of a catalogue's item was read. Later readings may find the item without a price. */
export class CatalogueCosts1763900000034 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`${lockForChange('supplier_products')};
      ALTER TABLE supplier_products ADD COLUMN cost_at timestamptz(3)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE supplier_products DROP COLUMN cost_at');
  }
}
