import type { MigrationInterface, QueryRunner } from 'typeorm';

const COUNTS = ['orders', 'transfers', 'deliveries'];

/** What the audit found of a month once all of it had ended, and what each wallet had then: it begins from there. */
export class ClosedMonths1763800000075 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE closed_months (
        month text CONSTRAINT pk_closed_months PRIMARY KEY
          CONSTRAINT ck_closed_months_month CHECK (month ~ '^[0-9]{4}-(0[1-9]|1[0-2])$'),
        ${COUNTS.map(
          (name) => `
        ${name}_after bigint NOT NULL, ${name}_through bigint NOT NULL, ${name} bigint NOT NULL,
        CONSTRAINT ck_closed_months_${name} CHECK (${name}_after <= ${name}_through AND ${name} >= 0),`,
        ).join('')}
        left_open bigint[] NOT NULL,
        wallets integer NOT NULL,
        checks json NOT NULL,
        version text NOT NULL,
        closed_by text NOT NULL,
        closed_at timestamptz(3) NOT NULL,
        previous_hash bytea,
        hash bytea NOT NULL
      )`);
    await runner.query(`
      CREATE TABLE closed_wallets (
        month text NOT NULL CONSTRAINT fk_closed_wallets_month REFERENCES closed_months,
        merchant_id integer NOT NULL CONSTRAINT fk_closed_wallets_merchant REFERENCES merchants,
        last_transfer_id bigint NOT NULL,
        available bigint NOT NULL,
        held bigint NOT NULL,
        credits bigint NOT NULL,
        debits bigint NOT NULL,
        holds bigint NOT NULL,
        spends bigint NOT NULL,
        refunds bigint NOT NULL,
        CONSTRAINT pk_closed_wallets PRIMARY KEY (month, merchant_id),
        CONSTRAINT ck_closed_wallets_available CHECK (available = credits - debits - holds + refunds AND available >= 0),
        CONSTRAINT ck_closed_wallets_held CHECK (held = holds - spends - refunds AND held >= 0)
      )`);
    for (const table of ['closed_months', 'closed_wallets']) {
      await runner.query(`
        CREATE TRIGGER tg_${table}_immutable BEFORE UPDATE OR DELETE OR TRUNCATE ON ${table} FOR EACH STATEMENT
        EXECUTE FUNCTION refuse_change('a closed month is never changed')`);
    }
    await runner.query(`
      CREATE TABLE month_closing_turn (
        only_row boolean NOT NULL DEFAULT true CONSTRAINT pk_month_closing_turn PRIMARY KEY
          CONSTRAINT ck_month_closing_turn_only_row CHECK (only_row),
        next_at timestamptz NOT NULL
      )`);
    await runner.query(`INSERT INTO month_closing_turn (next_at) VALUES ('-infinity')`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE month_closing_turn, closed_wallets, closed_months`);
  }
}
