import type { MigrationInterface, QueryRunner } from 'typeorm';
import { lockForChange } from '../migration-locks.js';

/** Large decisions about payments need a second operator, as movements do. Operators find open cases by an index. */
export class PaymentApprovals1763900000025 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // The foreign keys and indexes lock these tables, too. Their autovacuums must yield before `lockForChange` shortens
    // the lock timeout.
    await runner.query(`LOCK TABLE deposits, incoming_payments IN SHARE UPDATE EXCLUSIVE MODE; ${lockForChange('approvals')};
      ALTER TABLE approvals ALTER COLUMN merchant_id DROP NOT NULL,
        ADD COLUMN payment_id bigint CONSTRAINT fk_approvals_payment REFERENCES incoming_payments,
        ADD COLUMN deposit_id bigint CONSTRAINT fk_approvals_deposit REFERENCES deposits,
        DROP CONSTRAINT ck_approvals_kind, DROP CONSTRAINT ck_approvals_transfer,
        ADD CONSTRAINT ck_approvals_kind
          CHECK (kind IN ('credit', 'debit', 'payment_credit', 'payment_return', 'payment_ignore', 'payment_debit')),
        ADD CONSTRAINT ck_approvals_payment CHECK ((kind IN ('credit', 'debit')) = (payment_id IS NULL)),
        ADD CONSTRAINT ck_approvals_merchant
          CHECK (merchant_id IS NOT NULL OR kind IN ('payment_return', 'payment_ignore')),
        ADD CONSTRAINT ck_approvals_transfer
          CHECK (CASE WHEN kind IN ('credit', 'debit', 'payment_credit') THEN (status = 'approved') = (transfer_id IS NOT NULL)
                      WHEN kind = 'payment_debit' THEN status = 'approved' OR transfer_id IS NULL
                      ELSE transfer_id IS NULL END)`);
    await runner.query(`CREATE UNIQUE INDEX uq_approvals_open_payment ON approvals (payment_id) WHERE status = 'open'`);
    await runner.query(`
      CREATE INDEX ix_incoming_payments_cases ON incoming_payments (channel_id, id)
      WHERE state = 'booked' AND reason IS NOT NULL`);
  }

  /** Requests about payments are lost: the decisions themselves stand in the payments and in the audit log. */
  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DELETE FROM approvals WHERE payment_id IS NOT NULL`);
    await runner.query(`DROP INDEX uq_approvals_open_payment, ix_incoming_payments_cases`);
    await runner.query(`
      ALTER TABLE approvals DROP CONSTRAINT ck_approvals_kind, DROP CONSTRAINT ck_approvals_transfer,
        DROP CONSTRAINT ck_approvals_payment, DROP CONSTRAINT ck_approvals_merchant,
        DROP COLUMN payment_id, DROP COLUMN deposit_id, ALTER COLUMN merchant_id SET NOT NULL,
        ADD CONSTRAINT ck_approvals_kind CHECK (kind IN ('credit', 'debit')),
        ADD CONSTRAINT ck_approvals_transfer CHECK ((status = 'approved') = (transfer_id IS NOT NULL))`);
  }
}
