import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Wallets, the transfers between their accounts, and approvals of transfers that operators make. */
export class Money1763900000008 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE wallets (
        merchant_id integer CONSTRAINT pk_wallets PRIMARY KEY CONSTRAINT fk_wallets_merchant REFERENCES merchants,
        available bigint NOT NULL DEFAULT 0 CONSTRAINT ck_wallets_available_not_negative CHECK (available >= 0),
        held bigint NOT NULL DEFAULT 0 CONSTRAINT ck_wallets_held_not_negative CHECK (held >= 0),
        updated_at timestamptz(3) NOT NULL DEFAULT now(),
        alert_below bigint CONSTRAINT ck_wallets_alert_below CHECK (alert_below > 0)
      ) WITH (fillfactor = 20, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000)`);
    await runner.query(`
      CREATE TRIGGER tg_wallets_kept BEFORE DELETE OR TRUNCATE ON wallets FOR EACH STATEMENT
      EXECUTE FUNCTION refuse_change('a wallet is never removed')`);
    await this.createTransfers(runner);
    await this.createApprovals(runner);
  }

  private async createTransfers(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE transfers (
        id bigint GENERATED ALWAYS AS IDENTITY CONSTRAINT pk_transfers PRIMARY KEY,
        merchant_id integer NOT NULL CONSTRAINT fk_transfers_merchant REFERENCES merchants,
        kind text NOT NULL,
        debit_account text NOT NULL,
        credit_account text NOT NULL,
        amount bigint NOT NULL CONSTRAINT ck_transfers_amount_positive CHECK (amount > 0),
        available_after bigint NOT NULL CONSTRAINT ck_transfers_available_after CHECK (available_after >= 0),
        order_id bigint CONSTRAINT fk_transfers_order REFERENCES orders,
        reference text,
        note text,
        operator text,
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        approved_by text,
        CONSTRAINT ck_transfers_accounts CHECK ((kind, debit_account, credit_account) IN (
          ('credit', 'funding', 'available'),
          ('debit', 'available', 'funding'),
          ('order_hold', 'available', 'held'),
          ('order_spend', 'held', 'spent'),
          ('order_refund', 'held', 'available'))),
        CONSTRAINT ck_transfers_source CHECK (
          (kind IN ('credit', 'debit')) = (reference IS NOT NULL)
          AND (kind IN ('credit', 'debit')) = (order_id IS NULL))
      )`);
    await runner.query(
      `CREATE UNIQUE INDEX uq_transfers_order_kind ON transfers (order_id, kind) WHERE order_id IS NOT NULL`,
    );
    await runner.query(
      `CREATE UNIQUE INDEX uq_transfers_reference ON transfers (merchant_id, reference) WHERE reference IS NOT NULL`,
    );
    // The merchant's statement shows the available balance. Spending held money does not change this balance.
    await runner.query(
      `CREATE INDEX ix_transfers_statement ON transfers (merchant_id, id DESC) WHERE kind <> 'order_spend'`,
    );
    await runner.query(`
      CREATE TRIGGER tg_transfers_immutable BEFORE UPDATE OR DELETE OR TRUNCATE ON transfers FOR EACH STATEMENT
      EXECUTE FUNCTION refuse_change('movements of money are never changed, only added')`);
  }

  private async createApprovals(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE approvals (
        id integer GENERATED ALWAYS AS IDENTITY CONSTRAINT pk_approvals PRIMARY KEY,
        merchant_id integer NOT NULL CONSTRAINT fk_approvals_merchant REFERENCES merchants,
        kind text NOT NULL CONSTRAINT ck_approvals_kind CHECK (kind IN ('credit', 'debit')),
        amount bigint NOT NULL CONSTRAINT ck_approvals_amount_positive CHECK (amount > 0),
        reference text NOT NULL,
        note text,
        reason text NOT NULL,
        requested_by integer NOT NULL CONSTRAINT fk_approvals_requester REFERENCES operators,
        status text NOT NULL DEFAULT 'open' CONSTRAINT ck_approvals_status
          CHECK (status IN ('open', 'approved', 'rejected', 'withdrawn', 'expired')),
        decided_by integer CONSTRAINT fk_approvals_decider REFERENCES operators,
        decided_at timestamptz(3),
        decision_reason text,
        transfer_id bigint CONSTRAINT fk_approvals_transfer REFERENCES transfers,
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        expires_at timestamptz(3) NOT NULL,
        CONSTRAINT ck_approvals_decided
          CHECK ((status IN ('open', 'expired')) = (decided_by IS NULL) AND (decided_by IS NULL) = (decided_at IS NULL)),
        CONSTRAINT ck_approvals_second_person
          CHECK (status NOT IN ('approved', 'rejected') OR decided_by <> requested_by),
        CONSTRAINT ck_approvals_transfer CHECK ((status = 'approved') = (transfer_id IS NOT NULL))
      )`);
    await runner.query(
      `CREATE UNIQUE INDEX uq_approvals_open ON approvals (merchant_id, reference) WHERE status = 'open'`,
    );
    await runner.query(`CREATE UNIQUE INDEX uq_approvals_transfer ON approvals (transfer_id)`);
    await runner.query(`CREATE INDEX ix_approvals_merchant ON approvals (merchant_id, id)`);
    await runner.query(`
      CREATE FUNCTION keep_decided_approvals() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        RAISE EXCEPTION 'what was decided about approval % is never changed', OLD.id USING ERRCODE = 'restrict_violation';
      END $$`);
    await runner.query(`
      CREATE TRIGGER tg_approvals_decided BEFORE UPDATE ON approvals FOR EACH ROW WHEN (OLD.status <> 'open')
      EXECUTE FUNCTION keep_decided_approvals()`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE approvals, transfers, wallets`);
    await runner.query(`DROP FUNCTION keep_decided_approvals`);
  }
}
