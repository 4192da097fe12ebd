import type { MigrationInterface, QueryRunner } from 'typeorm';
import { lockForChange } from '../migration-locks.js';

/** Slips that merchants present, and the time at which to check slips again after the slip service refused us. */
export class Slips1763900000024 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // The foreign keys and indexes lock these tables, too. Their autovacuums must yield before `lockForChange` shortens
    // the lock timeout.
    await runner.query(`LOCK TABLE deposits, incoming_payments IN SHARE UPDATE EXCLUSIVE MODE; ${lockForChange('deposit_channels')};
      ALTER TABLE deposit_channels ADD COLUMN slips_paused_until timestamptz(3)`);
    await runner.query(`
      CREATE TABLE slip_checks (
        id bigint GENERATED ALWAYS AS IDENTITY CONSTRAINT pk_slip_checks PRIMARY KEY,
        deposit_id bigint NOT NULL CONSTRAINT fk_slip_checks_deposit REFERENCES deposits,
        channel_id integer NOT NULL CONSTRAINT fk_slip_checks_channel REFERENCES deposit_channels,
        slip_ref text NOT NULL,
        state text NOT NULL DEFAULT 'checking'
          CONSTRAINT ck_slip_checks_state CHECK (state IN ('checking', 'confirmed', 'refused')),
        code text CONSTRAINT ck_slip_checks_code CHECK (code IN ('SLIP_WRONG_RECEIVER', 'SLIP_UNKNOWN', 'NOT_IN_STATEMENT')),
        tries integer NOT NULL DEFAULT 0,
        next_at timestamptz(3),
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        CONSTRAINT uq_slip_checks_deposit UNIQUE (deposit_id, slip_ref),
        CONSTRAINT ck_slip_checks_refused CHECK ((state = 'refused') = (code IS NOT NULL)),
        CONSTRAINT ck_slip_checks_next CHECK (state = 'checking' OR next_at IS NULL)
      )`);
    // Only one check of a slip is due at a time, even if merchants present the slip for several deposits.
    await runner.query(
      `CREATE UNIQUE INDEX uq_slip_checks_asked ON slip_checks (channel_id, slip_ref) WHERE next_at IS NOT NULL`,
    );
    await runner.query(`CREATE INDEX ix_slip_checks_slip ON slip_checks (channel_id, slip_ref)`);
    await runner.query(`CREATE INDEX ix_slip_checks_due ON slip_checks (next_at) WHERE next_at IS NOT NULL`);
    await runner.query(`CREATE INDEX ix_slip_checks_created ON slip_checks (created_at)`);
    await runner.query(`
      CREATE INDEX ix_incoming_payments_unconfirmed ON incoming_payments (channel_id, merchant_id)
      WHERE slip_ref IS NOT NULL AND line_id IS NULL`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP INDEX ix_incoming_payments_unconfirmed`);
    await runner.query(`DROP TABLE slip_checks`);
    await runner.query(`ALTER TABLE deposit_channels DROP COLUMN slips_paused_until`);
  }
}
