import type { MigrationInterface, QueryRunner } from 'typeorm';
import { lockForChange } from '../migration-locks.js';

/** Channels with a vendor to call. */
export class ChannelCredentials1763900000021 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`${lockForChange('deposit_channels')};
      ALTER TABLE deposit_channels ADD COLUMN base_url text, ADD COLUMN credentials_sealed bytea,
        ADD COLUMN credential_names text[] NOT NULL DEFAULT '{}'`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE deposit_channels DROP COLUMN base_url, DROP COLUMN credentials_sealed, DROP COLUMN credential_names`);
  }
}
