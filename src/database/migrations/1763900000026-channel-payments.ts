import type { MigrationInterface, QueryRunner } from 'typeorm';
import { lockForChange } from '../migration-locks.js';

/** Vendors that make QR codes, answer about payments, and call us. Processes of the previous version go on beside new ones. */
export class ChannelPayments1763900000026 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(lockForChange('deposit_channels, deposits, incoming_payments'));
    await runner.query(`
      ALTER TABLE deposit_channels
        ADD COLUMN pause_reason text
          CONSTRAINT ck_deposit_channels_pause_reason CHECK (pause_reason IN ('credentials')),
        ADD COLUMN probes smallint NOT NULL DEFAULT 0,
        ADD COLUMN probe_at timestamptz(3),
        ADD COLUMN callback_token_sealed bytea,
        ADD COLUMN list_due_at timestamptz(3),
        ADD CONSTRAINT ck_deposit_channels_probe CHECK ((pause_reason IS NULL) = (probe_at IS NULL))`);
    await runner.query(`
      ALTER TABLE deposits ADD COLUMN qr_image text, ADD COLUMN channel_payment_id text, ADD COLUMN asked_at timestamptz(3),
        ADD COLUMN answered_at timestamptz(3)`);
    await runner.query(`
      CREATE INDEX ix_deposits_channel_payment ON deposits (channel_id, channel_payment_id)
      WHERE channel_payment_id IS NOT NULL`);
    await runner.query(`ALTER TABLE incoming_payments ADD COLUMN named_merchant_id integer`);
    await this.createCallbacks(runner);
  }

  private async createCallbacks(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE channel_callbacks (
        id bigint GENERATED ALWAYS AS IDENTITY CONSTRAINT pk_channel_callbacks PRIMARY KEY,
        channel_id integer NOT NULL
          CONSTRAINT fk_channel_callbacks_channel REFERENCES deposit_channels ON DELETE CASCADE,
        received_at timestamptz(3) NOT NULL,
        remote_address text NOT NULL,
        verdict text NOT NULL CONSTRAINT ck_channel_callbacks_verdict
          CHECK (verdict IN ('woke', 'unknown_charge', 'ping', 'unreadable', 'refused')),
        charge_ref text,
        detail text,
        ask_at timestamptz(3),
        asked_at timestamptz(3)
      )`);
    await runner.query(`CREATE INDEX ix_channel_callbacks_received ON channel_callbacks (received_at)`);
    await runner.query(
      `CREATE INDEX ix_channel_callbacks_ask ON channel_callbacks (channel_id, ask_at) WHERE ask_at IS NOT NULL`,
    );
    // Workers read the due callbacks twice a second. Callbacks whose inquiry was answered stay for weeks.
    await runner.query(`
      CREATE INDEX ix_channel_callbacks_due ON channel_callbacks (ask_at)
      WHERE ask_at IS NOT NULL AND asked_at IS NULL`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE channel_callbacks`);
    await runner.query(`ALTER TABLE incoming_payments DROP COLUMN named_merchant_id`);
    await runner.query(`
      ALTER TABLE deposits DROP COLUMN qr_image, DROP COLUMN channel_payment_id, DROP COLUMN asked_at,
        DROP COLUMN answered_at`);
    await runner.query(`
      ALTER TABLE deposit_channels DROP COLUMN pause_reason, DROP COLUMN probes, DROP COLUMN probe_at,
        DROP COLUMN callback_token_sealed, DROP COLUMN list_due_at`);
  }
}
