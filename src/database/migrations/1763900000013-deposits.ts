import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Channels, the deposits that merchants open, the payments that arrive, and the bank statements that report them. */
export class Deposits1763900000013 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await this.createChannels(runner);
    await this.createDeposits(runner);
    await this.createStatements(runner);
    await this.createPayments(runner);
    await this.keepPayments(runner);
  }

  private async createChannels(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE deposit_channels (
        id integer GENERATED ALWAYS AS IDENTITY CONSTRAINT pk_deposit_channels PRIMARY KEY,
        code text NOT NULL CONSTRAINT uq_deposit_channels_code UNIQUE
          CONSTRAINT ck_deposit_channels_code CHECK (code ~ '^[a-z0-9][a-z0-9_-]{0,31}$'),
        adapter text NOT NULL,
        options jsonb NOT NULL DEFAULT '{}',
        min bigint NOT NULL,
        max bigint NOT NULL,
        priority integer NOT NULL DEFAULT 100 CONSTRAINT ck_deposit_channels_priority CHECK (priority BETWEEN 0 AND 1000),
        hold_above bigint NOT NULL CONSTRAINT ck_deposit_channels_hold_above CHECK (hold_above > 0),
        status text NOT NULL DEFAULT 'active'
          CONSTRAINT ck_deposit_channels_status CHECK (status IN ('active', 'inactive')),
        covered_until timestamptz(3),
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        updated_at timestamptz(3) NOT NULL DEFAULT now(),
        CONSTRAINT ck_deposit_channels_limits CHECK (min > 0 AND min <= max)
      )`);
  }

  private async createDeposits(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE deposits (
        id bigint GENERATED ALWAYS AS IDENTITY CONSTRAINT pk_deposits PRIMARY KEY,
        deposit_number text NOT NULL CONSTRAINT uq_deposits_number UNIQUE,
        merchant_id integer NOT NULL CONSTRAINT fk_deposits_merchant REFERENCES merchants,
        channel_id integer NOT NULL CONSTRAINT fk_deposits_channel REFERENCES deposit_channels,
        reference_id text NOT NULL,
        reference text NOT NULL CONSTRAINT uq_deposits_reference UNIQUE,
        status text NOT NULL DEFAULT 'pending'
          CONSTRAINT ck_deposits_status CHECK (status IN ('pending', 'expired', 'cancelled', 'paid')),
        amount bigint NOT NULL CONSTRAINT ck_deposits_amount CHECK (amount > 0),
        amount_to_pay bigint NOT NULL,
        paid_amount bigint NOT NULL DEFAULT 0,
        qr_payload text,
        holds_amount boolean NOT NULL,
        hold_until timestamptz(3) NOT NULL,
        expires_at timestamptz(3) NOT NULL,
        paid_at timestamptz(3),
        metadata json,
        source text NOT NULL CONSTRAINT ck_deposits_source CHECK (source IN ('api', 'operator')),
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        updated_at timestamptz(3) NOT NULL DEFAULT now(),
        CONSTRAINT uq_deposits_reference_id UNIQUE (merchant_id, reference_id),
        CONSTRAINT ck_deposits_amount_to_pay CHECK (amount_to_pay >= amount),
        CONSTRAINT ck_deposits_paid
          CHECK ((status = 'paid') = (paid_amount > 0) AND (status = 'paid') = (paid_at IS NOT NULL) AND paid_amount >= 0),
        CONSTRAINT ck_deposits_hold CHECK (hold_until >= expires_at)
      )`);
    // Two deposits of a channel never reserve the same amount at the same time, so a payment of it belongs to one of
    // them.
    await runner.query(
      `CREATE UNIQUE INDEX uq_deposits_held_amount ON deposits (channel_id, amount_to_pay) WHERE holds_amount`,
    );
    await runner.query(
      `CREATE INDEX ix_deposits_amount ON deposits (channel_id, amount_to_pay, created_at, hold_until)`,
    );
    await runner.query(`CREATE INDEX ix_deposits_merchant ON deposits (merchant_id, id)`);
    await runner.query(`CREATE INDEX ix_deposits_pending ON deposits (expires_at) WHERE status = 'pending'`);
    await runner.query(`CREATE INDEX ix_deposits_held ON deposits (hold_until) WHERE holds_amount`);
    await this.keepDeposits(runner);
  }

  private async keepDeposits(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE FUNCTION keep_deposits() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        IF OLD.status = 'paid' AND NEW.status <> 'paid' OR NEW.paid_amount < OLD.paid_amount
           OR (OLD.deposit_number, OLD.merchant_id, OLD.channel_id, OLD.reference_id, OLD.reference, OLD.amount, OLD.amount_to_pay)
              <> (NEW.deposit_number, NEW.merchant_id, NEW.channel_id, NEW.reference_id, NEW.reference, NEW.amount, NEW.amount_to_pay)
        THEN
          RAISE EXCEPTION 'deposit % stays paid, and what was agreed about it never changes', OLD.deposit_number
            USING ERRCODE = 'restrict_violation';
        END IF;
        RETURN NEW;
      END $$`);
    await runner.query(
      `CREATE TRIGGER tg_deposits_kept BEFORE UPDATE ON deposits FOR EACH ROW EXECUTE FUNCTION keep_deposits()`,
    );
    await runner.query(`
      CREATE TRIGGER tg_deposits_never_removed BEFORE DELETE OR TRUNCATE ON deposits FOR EACH STATEMENT
      EXECUTE FUNCTION refuse_change('a deposit is never removed')`);
  }

  private async createStatements(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE statement_imports (
        id integer GENERATED ALWAYS AS IDENTITY CONSTRAINT pk_statement_imports PRIMARY KEY,
        channel_id integer NOT NULL CONSTRAINT fk_statement_imports_channel REFERENCES deposit_channels,
        file_hash bytea NOT NULL CONSTRAINT ck_statement_imports_file CHECK (length(file_hash) = 32),
        lines integer NOT NULL CONSTRAINT ck_statement_imports_lines CHECK (lines >= 0),
        opening bigint,
        closing bigint,
        first_on date,
        last_on date,
        operator text NOT NULL,
        created_at timestamptz(3) NOT NULL DEFAULT now()
      )`);
    await runner.query(`CREATE INDEX ix_statement_imports_channel ON statement_imports (channel_id, id)`);
    await runner.query(`
      CREATE TABLE statement_lines (
        id bigint GENERATED ALWAYS AS IDENTITY CONSTRAINT pk_statement_lines PRIMARY KEY,
        import_id integer NOT NULL CONSTRAINT fk_statement_lines_import REFERENCES statement_imports,
        channel_id integer NOT NULL CONSTRAINT fk_statement_lines_channel REFERENCES deposit_channels,
        booked_on date NOT NULL,
        at timestamptz(3) NOT NULL,
        amount bigint NOT NULL CONSTRAINT ck_statement_lines_amount CHECK (amount <> 0),
        balance_after bigint,
        identity_hash bytea NOT NULL CONSTRAINT ck_statement_lines_identity CHECK (length(identity_hash) = 32),
        text_sealed bytea NOT NULL,
        CONSTRAINT uq_statement_lines_identity UNIQUE (channel_id, identity_hash)
      )`);
    await runner.query(`CREATE INDEX ix_statement_lines_day ON statement_lines (channel_id, booked_on, id)`);
    await runner.query(`
      CREATE TRIGGER tg_statement_lines_kept
      BEFORE UPDATE OF import_id, channel_id, booked_on, at, amount, balance_after, identity_hash ON statement_lines
      FOR EACH STATEMENT EXECUTE FUNCTION refuse_change('lines of a bank statement are never changed')`);
    await runner.query(`
      CREATE TRIGGER tg_statement_lines_never_removed BEFORE DELETE OR TRUNCATE ON statement_lines FOR EACH STATEMENT
      EXECUTE FUNCTION refuse_change('lines of a bank statement are never removed')`);
  }

  private async createPayments(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE incoming_payments (
        id bigint GENERATED ALWAYS AS IDENTITY CONSTRAINT pk_incoming_payments PRIMARY KEY,
        public_id text NOT NULL CONSTRAINT uq_incoming_payments_public_id UNIQUE,
        channel_id integer NOT NULL CONSTRAINT fk_incoming_payments_channel REFERENCES deposit_channels,
        amount bigint NOT NULL CONSTRAINT ck_incoming_payments_amount CHECK (amount > 0),
        currency text NOT NULL DEFAULT 'THB' CONSTRAINT ck_incoming_payments_currency CHECK (currency ~ '^[A-Z]{3}$'),
        paid_at timestamptz(3) NOT NULL,
        precision text NOT NULL
          CONSTRAINT ck_incoming_payments_precision CHECK (precision IN ('second', 'minute', 'day')),
        charge_ref text,
        slip_ref text,
        line_id bigint CONSTRAINT fk_incoming_payments_line REFERENCES statement_lines,
        state text NOT NULL
          CONSTRAINT ck_incoming_payments_state CHECK (state IN ('waiting', 'booked', 'returned', 'ignored')),
        reason text CONSTRAINT ck_incoming_payments_reason CHECK (reason IN (
          'WRONG_CURRENCY', 'AMBIGUOUS', 'DOUBLE', 'TOO_EARLY', 'UNMATCHED', 'LARGE', 'UNCONFIRMED', 'NOT_IN_STATEMENT',
          'TAKEN_BACK', 'CONTRADICTION')),
        deposit_id bigint CONSTRAINT fk_incoming_payments_deposit REFERENCES deposits,
        merchant_id integer CONSTRAINT fk_incoming_payments_merchant REFERENCES merchants,
        transfer_id bigint CONSTRAINT fk_incoming_payments_transfer REFERENCES transfers,
        booked_by text
          CONSTRAINT ck_incoming_payments_booked_by CHECK (booked_by IN ('reference', 'amount', 'person')),
        booked_at timestamptz(3),
        taken_back bigint CONSTRAINT ck_incoming_payments_taken_back CHECK (taken_back > 0),
        returned_reference text,
        decision text CONSTRAINT ck_incoming_payments_decision
          CHECK (decision IN ('credit', 'return', 'ignore', 'debit', 'keep')),
        decided_by text,
        decision_reason text,
        decided_at timestamptz(3),
        seen_at timestamptz(3) NOT NULL DEFAULT now(),
        CONSTRAINT uq_incoming_payments_charge UNIQUE (channel_id, charge_ref),
        CONSTRAINT uq_incoming_payments_slip UNIQUE (channel_id, slip_ref),
        CONSTRAINT uq_incoming_payments_line UNIQUE (line_id),
        CONSTRAINT uq_incoming_payments_transfer UNIQUE (transfer_id),
        CONSTRAINT ck_incoming_payments_witness CHECK (num_nonnulls(charge_ref, slip_ref, line_id) > 0),
        CONSTRAINT ck_incoming_payments_booked CHECK (
          CASE WHEN state = 'booked' THEN num_nulls(transfer_id, merchant_id, deposit_id, booked_by, booked_at) = 0
               ELSE num_nonnulls(transfer_id, merchant_id, booked_by, booked_at) = 0 END),
        CONSTRAINT ck_incoming_payments_returned CHECK ((state = 'returned') = (returned_reference IS NOT NULL)),
        CONSTRAINT ck_incoming_payments_waiting CHECK (state <> 'waiting' OR reason IS NOT NULL),
        CONSTRAINT ck_incoming_payments_decided
          CHECK (num_nulls(decision, decided_by, decision_reason, decided_at) IN (0, 4))
      )`);
    await runner.query(`CREATE INDEX ix_incoming_payments_deposit ON incoming_payments (deposit_id)`);
    await runner.query(
      `CREATE INDEX ix_incoming_payments_waiting ON incoming_payments (channel_id, id) WHERE state = 'waiting'`,
    );
    await runner.query(`CREATE INDEX ix_incoming_payments_paid_at ON incoming_payments (paid_at)`);
    await runner.query(`CREATE INDEX ix_incoming_payments_amount ON incoming_payments (channel_id, amount)`);
  }

  private async keepPayments(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE FUNCTION keep_incoming_payments() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        IF (OLD.public_id, OLD.channel_id, OLD.amount, OLD.currency) <> (NEW.public_id, NEW.channel_id, NEW.amount, NEW.currency)
           OR OLD.state <> 'waiting' AND NEW.state <> OLD.state
           OR OLD.state = 'booked' AND (OLD.transfer_id, OLD.merchant_id, OLD.deposit_id)
                                    <> (NEW.transfer_id, NEW.merchant_id, NEW.deposit_id)
           OR OLD.charge_ref <> coalesce(NEW.charge_ref, '') OR OLD.slip_ref <> coalesce(NEW.slip_ref, '')
           OR OLD.line_id <> coalesce(NEW.line_id, 0)
        THEN
          RAISE EXCEPTION 'payment %: amount, identity and what was decided never change', OLD.public_id
            USING ERRCODE = 'restrict_violation';
        END IF;
        RETURN NEW;
      END $$`);
    await runner.query(`
      CREATE TRIGGER tg_incoming_payments_kept BEFORE UPDATE ON incoming_payments FOR EACH ROW
      EXECUTE FUNCTION keep_incoming_payments()`);
    await runner.query(`
      CREATE TRIGGER tg_incoming_payments_never_removed BEFORE DELETE OR TRUNCATE ON incoming_payments FOR EACH STATEMENT
      EXECUTE FUNCTION refuse_change('a payment is never removed')`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE incoming_payments, statement_lines, statement_imports, deposits, deposit_channels`);
    await runner.query(`DROP FUNCTION keep_incoming_payments, keep_deposits`);
  }
}
