import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Closed months, and the rows that remain of orders in archived partitions. */
export class Accounting1763900000011 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await this.createClosings(runner);
    await this.createArchives(runner);
    await this.createReferences(runner);
    await this.createPurchases(runner);
  }

  /** The result of the audit of each closed month, and each wallet at the end of the month. */
  private async createClosings(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE closed_months (
        month text CONSTRAINT pk_closed_months PRIMARY KEY
          CONSTRAINT ck_closed_months_month CHECK (month ~ '^[0-9]{4}-(0[1-9]|1[0-2])$'),
        orders_after bigint NOT NULL,
        orders_through bigint NOT NULL,
        orders bigint NOT NULL,
        transfers_after bigint NOT NULL,
        transfers_through bigint NOT NULL,
        transfers bigint NOT NULL,
        deliveries_after bigint NOT NULL,
        deliveries_through bigint NOT NULL,
        deliveries bigint NOT NULL,
        left_open bigint[] NOT NULL,
        wallets integer NOT NULL,
        checks json NOT NULL,
        version text NOT NULL,
        closed_by text NOT NULL,
        closed_at timestamptz(3) NOT NULL,
        previous_hash bytea,
        hash bytea NOT NULL,
        CONSTRAINT ck_closed_months_orders CHECK (orders_after <= orders_through AND orders >= 0),
        CONSTRAINT ck_closed_months_transfers CHECK (transfers_after <= transfers_through AND transfers >= 0),
        CONSTRAINT ck_closed_months_deliveries CHECK (deliveries_after <= deliveries_through AND deliveries >= 0)
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

  private async createArchives(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE archived_partitions (
        number integer CONSTRAINT pk_archived_partitions PRIMARY KEY,
        first_id bigint,
        end_id bigint NOT NULL,
        state text NOT NULL CONSTRAINT ck_archived_partitions_state
          CHECK (state IN ('begun', 'verified', 'detached', 'dropped', 'attached')),
        directory text NOT NULL,
        manifest_hash bytea,
        orders bigint NOT NULL CONSTRAINT ck_archived_partitions_orders CHECK (orders >= 0),
        bytes bigint,
        months jsonb NOT NULL,
        supplier_ids integer[] NOT NULL,
        archived_by text NOT NULL,
        begun_at timestamptz(3) NOT NULL DEFAULT now(),
        archived_at timestamptz(3),
        CONSTRAINT ck_archived_partitions_ids CHECK (first_id < end_id),
        CONSTRAINT ck_archived_partitions_manifest CHECK (state = 'begun' OR manifest_hash IS NOT NULL),
        CONSTRAINT ck_archived_partitions_archived CHECK (state NOT IN ('dropped', 'attached') OR archived_at IS NOT NULL)
      )`);
  }

  /** The reference of each archived order, so that no request buys under it again, and the order as it ended. */
  private async createReferences(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE order_references (
        order_id bigint CONSTRAINT pk_order_references PRIMARY KEY,
        merchant_id integer NOT NULL CONSTRAINT fk_order_references_merchant REFERENCES merchants,
        reference_id text NOT NULL,
        order_number text NOT NULL,
        content_hash bytea NOT NULL,
        answer json NOT NULL,
        answer_version smallint NOT NULL DEFAULT 1,
        CONSTRAINT uq_order_references_reference UNIQUE (merchant_id, reference_id)
      )`);
    // Finds the archived order that a supplier reports about: references of its purchases begin with the order number.
    await runner.query(`CREATE INDEX ix_order_references_number ON order_references (order_number)`);
    await runner.query(`
      CREATE TRIGGER tg_order_references_immutable BEFORE UPDATE OR TRUNCATE ON order_references FOR EACH STATEMENT
      EXECUTE FUNCTION refuse_change('the reference of an archived order is never changed')`);
    await runner.query(`
      CREATE FUNCTION refuse_lost_reference() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        IF EXISTS (SELECT FROM orders WHERE id = OLD.order_id) THEN
          RETURN OLD;
        END IF;
        RAISE EXCEPTION 'DELETE of order_references is refused: the order % is archived', OLD.order_number
          USING ERRCODE = 'integrity_constraint_violation', CONSTRAINT = TG_NAME;
      END $$`);
    await runner.query(`
      CREATE TRIGGER tg_order_references_kept BEFORE DELETE ON order_references FOR EACH ROW
      EXECUTE FUNCTION refuse_lost_reference()`);
    // Archiving the first partition creates the trigger that calls this function. Until then, orders do not pay for the
    // check.
    await runner.query(`
      CREATE FUNCTION refuse_archived_reference() RETURNS trigger LANGUAGE plpgsql AS $$
      DECLARE
        archived text;
      BEGIN
        SELECT placed.reference_id INTO archived FROM placed CROSS JOIN LATERAL (
          SELECT FROM order_references
          WHERE merchant_id = placed.merchant_id
            AND reference_id BETWEEN placed.reference_id AND placed.reference_id
          ORDER BY reference_id LIMIT 1) other LIMIT 1;
        IF FOUND THEN
          RAISE EXCEPTION 'the reference % is that of an archived order', archived
            USING ERRCODE = 'unique_violation', CONSTRAINT = 'uq_order_references_reference';
        END IF;
        RETURN NULL;
      END $$`);
  }

  /** Attempts of archived orders whose references do not begin with the order number. */
  private async createPurchases(runner: QueryRunner): Promise<void> {
    // A purchase has at most one order. But the unique keys of attempts hold within one partition only, so the primary
    // key includes the order.
    await runner.query(`
      CREATE TABLE archived_purchases (
        supplier_id integer NOT NULL CONSTRAINT fk_archived_purchases_supplier REFERENCES suppliers,
        reference text NOT NULL,
        order_id bigint NOT NULL,
        supplier_reference text,
        not_bought boolean NOT NULL DEFAULT false,
        CONSTRAINT pk_archived_purchases PRIMARY KEY (supplier_id, reference, order_id)
      )`);
    await runner.query(`
      CREATE INDEX ix_archived_purchases_supplier_reference
      ON archived_purchases (supplier_id, supplier_reference) WHERE supplier_reference IS NOT NULL`);
    await runner.query(`CREATE INDEX ix_archived_purchases_order ON archived_purchases (order_id)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP TABLE archived_purchases, order_references, archived_partitions, month_closing_turn, closed_wallets,
        closed_months`);
    await runner.query(`DROP FUNCTION refuse_archived_reference, refuse_lost_reference`);
  }
}
