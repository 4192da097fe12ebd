import type { MigrationInterface, QueryRunner } from 'typeorm';
import { lockForChange } from '../migration-locks.js';

/** Deposits that merchants make by themselves, and the built-in channel of the sandbox. */
export class MerchantsDeposits1763900000018 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`${lockForChange('deposits')};
      ALTER TABLE deposits ADD COLUMN cancelled_at timestamptz(3), ADD COLUMN next_inquiry_at timestamptz(3),
        ADD CONSTRAINT ck_deposits_cancelled CHECK (status <> 'cancelled' OR cancelled_at IS NOT NULL) NOT VALID`);
    await runner.query(`CREATE INDEX ix_deposits_open ON deposits (merchant_id, id) WHERE status = 'pending'`);
    await runner.query(
      `CREATE INDEX ix_deposits_inquiry ON deposits (next_inquiry_at) WHERE next_inquiry_at IS NOT NULL`,
    );
    // Inactive, because only deposits of sandbox merchants use it. No sequence yields this number.
    await runner.query(`
      INSERT INTO deposit_channels (id, code, adapter, min, max, hold_above, status) OVERRIDING SYSTEM VALUE
      VALUES (0, 'sandbox', 'sandbox', 100, 70000000, 100000000, 'inactive') ON CONFLICT (code) DO NOTHING`);
  }

  /** Deposits are never removed, so the channel stays if it has some. */
  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DELETE FROM deposit_channels WHERE id = 0 AND NOT EXISTS (SELECT FROM deposits WHERE channel_id = 0)`);
    await runner.query(`DROP INDEX ix_deposits_open, ix_deposits_inquiry`);
    await runner.query(`ALTER TABLE deposits DROP COLUMN cancelled_at, DROP COLUMN next_inquiry_at`);
  }
}
