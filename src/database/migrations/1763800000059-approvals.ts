import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Movements of money that wait for a second person, and who approved those that were made. */
export class Approvals1763800000059 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
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
    await runner.query(`ALTER TABLE transfers ADD COLUMN approved_by text`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE approvals`);
    await runner.query(`DROP FUNCTION keep_decided_approvals`);
    await runner.query(`ALTER TABLE transfers DROP COLUMN approved_by`);
  }
}
