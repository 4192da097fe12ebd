import type { MigrationInterface, QueryRunner } from 'typeorm';

export class Money1763650000004 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE wallets (
        merchant_id integer CONSTRAINT pk_wallets PRIMARY KEY CONSTRAINT fk_wallets_merchant REFERENCES merchants,
        available bigint NOT NULL DEFAULT 0 CONSTRAINT ck_wallets_available_not_negative CHECK (available >= 0),
        held bigint NOT NULL DEFAULT 0 CONSTRAINT ck_wallets_held_not_negative CHECK (held >= 0),
        updated_at timestamptz(3) NOT NULL DEFAULT now()
      ) WITH (fillfactor = 20, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000)`);
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
    // The merchant's statement is of the available balance: what leaves the held one is not on it.
    await runner.query(
      `CREATE INDEX ix_transfers_statement ON transfers (merchant_id, id DESC) WHERE kind <> 'order_spend'`,
    );
    await runner.query(`
      CREATE TRIGGER tg_transfers_immutable BEFORE UPDATE OR DELETE OR TRUNCATE ON transfers FOR EACH STATEMENT
      EXECUTE FUNCTION refuse_change('movements of money are never changed, only added')`);
    await runner.query(`
      CREATE TRIGGER tg_wallets_kept BEFORE DELETE OR TRUNCATE ON wallets FOR EACH STATEMENT
      EXECUTE FUNCTION refuse_change('a wallet is never removed')`);
    await runner.query(`
      CREATE TABLE operator_actions (
        id bigint GENERATED ALWAYS AS IDENTITY CONSTRAINT pk_operator_actions PRIMARY KEY,
        operator text NOT NULL,
        action text NOT NULL,
        merchant_id integer CONSTRAINT fk_operator_actions_merchant REFERENCES merchants,
        order_id bigint CONSTRAINT fk_operator_actions_order REFERENCES orders,
        detail jsonb NOT NULL,
        created_at timestamptz(3) NOT NULL DEFAULT now()
      )`);
    await runner.query(
      `CREATE INDEX ix_operator_actions_order ON operator_actions (order_id) WHERE order_id IS NOT NULL`,
    );
    await runner.query(`
      CREATE TRIGGER tg_operator_actions_immutable BEFORE UPDATE OR DELETE OR TRUNCATE ON operator_actions
      FOR EACH STATEMENT EXECUTE FUNCTION refuse_change('the record of operator actions is never changed')`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE operator_actions, transfers, wallets`);
  }
}
