import type { MigrationInterface, QueryRunner } from 'typeorm';
import { keepRowsInSandbox } from './1763900000006-orders.js';

/** Attempts to buy units, and the calls, callbacks and discrepancies of suppliers about them. */
export class Purchases1763900000007 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await this.createAttempts(runner);
    await this.createCalls(runner);
    await this.createCallbacks(runner);
    await this.createDiscrepancies(runner);
  }

  private async createAttempts(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE unit_attempts (
        order_id bigint NOT NULL,
        item smallint NOT NULL,
        unit smallint NOT NULL,
        number smallint NOT NULL CONSTRAINT ck_unit_attempts_number CHECK (number > 0),
        supplier_id integer NOT NULL CONSTRAINT fk_unit_attempts_supplier REFERENCES suppliers,
        supplier_sku text NOT NULL,
        reference text NOT NULL,
        supplier_reference text,
        created_at timestamptz(3) NOT NULL,
        player_template text,
        expected_cost_micros bigint,
        max_cost_micros bigint,
        cost_micros bigint,
        cost_currency text,
        baht_per_unit numeric(20, 10),
        unconfirmed text,
        ended_as text CONSTRAINT ck_unit_attempts_ended_as CHECK (ended_as IN ('failed', 'withdrawn')),
        failure_code text,
        failure_message text,
        ended_at timestamptz(3),
        is_hearsay boolean NOT NULL DEFAULT false,
        passed_over jsonb,
        CONSTRAINT pk_unit_attempts PRIMARY KEY (order_id, item, unit, number),
        CONSTRAINT fk_unit_attempts_unit FOREIGN KEY (order_id, item, unit) REFERENCES order_units,
        CONSTRAINT uq_unit_attempts_reference UNIQUE (supplier_id, reference),
        CONSTRAINT ck_unit_attempts_ended CHECK ((ended_as IS NULL) = (ended_at IS NULL)),
        CONSTRAINT ck_unit_attempts_failure CHECK (failure_code IS NULL OR ended_as = 'failed'),
        CONSTRAINT ck_unit_attempts_currency CHECK (
          cost_currency IS NOT NULL OR num_nonnulls(expected_cost_micros, max_cost_micros, cost_micros) = 0)
      )`);
    await runner.query(`
      CREATE INDEX ix_unit_attempts_supplier_reference ON unit_attempts (supplier_id, supplier_reference)
        WHERE supplier_reference IS NOT NULL`);
    await runner.query(`
      CREATE TRIGGER tg_unit_attempts_kept
      BEFORE DELETE OR UPDATE OF order_id, item, unit, number, supplier_id, supplier_sku, reference ON unit_attempts
      FOR EACH STATEMENT EXECUTE FUNCTION refuse_change('an attempt is kept as it was made')`);
    await keepRowsInSandbox(runner, 'unit_attempts');
    // Reads the bytes of a random UUID, except byte 6, whose low five bits are not all random: it holds the version.
    // The low five bits of each byte become a character of Crockford's base 32.
    await runner.query(`
      CREATE FUNCTION random_reference() RETURNS text LANGUAGE sql VOLATILE AS $$
        SELECT 'T' || string_agg(substr('0123456789ABCDEFGHJKMNPQRSTVWXYZ', 1 + (get_byte(random.bytes, at) & 31), 1), '')
        FROM (SELECT uuid_send(gen_random_uuid()) AS bytes) random,
             unnest('{0,1,2,3,4,5,7,8,9,10,11,12,13,14,15}'::int[]) AS at
      $$`);
    // Attempts about which the supplier is due to be queried once more.
    await runner.query(`
      CREATE TABLE attempt_checks (
        order_id bigint NOT NULL,
        item smallint NOT NULL,
        unit smallint NOT NULL,
        attempt smallint NOT NULL,
        due_at timestamptz(3) NOT NULL,
        CONSTRAINT pk_attempt_checks PRIMARY KEY (order_id, item, unit, attempt),
        CONSTRAINT fk_attempt_checks_attempt FOREIGN KEY (order_id, item, unit, attempt) REFERENCES unit_attempts
      )`);
  }

  private async createCalls(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE supplier_calls (
        id bigint GENERATED ALWAYS AS IDENTITY CONSTRAINT pk_supplier_calls PRIMARY KEY,
        order_id bigint NOT NULL,
        item smallint NOT NULL,
        unit smallint NOT NULL,
        kind text NOT NULL CONSTRAINT ck_supplier_calls_kind CHECK (kind IN ('send', 'inquiry', 'callback')),
        outcome text NOT NULL,
        detail text,
        process text NOT NULL,
        duration_ms integer NOT NULL,
        ended_at timestamptz(3) NOT NULL,
        attempt smallint,
        CONSTRAINT fk_supplier_calls_unit FOREIGN KEY (order_id, item, unit) REFERENCES order_units
      )`);
    await runner.query(`CREATE INDEX ix_supplier_calls_unit ON supplier_calls (order_id, item, unit)`);
  }

  private async createCallbacks(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE supplier_callbacks (
        id bigint GENERATED ALWAYS AS IDENTITY CONSTRAINT pk_supplier_callbacks PRIMARY KEY,
        supplier_id integer NOT NULL
          CONSTRAINT fk_supplier_callbacks_supplier REFERENCES suppliers ON DELETE CASCADE,
        received_at timestamptz(3) NOT NULL,
        remote_address text NOT NULL,
        verdict text NOT NULL CONSTRAINT ck_supplier_callbacks_verdict CHECK (verdict IN (
          'settled', 'woke', 'contradicted', 'nothing_new', 'repeated', 'unknown_reference', 'ping', 'unreadable',
          'refused', 'products')),
        delivery_id text,
        reference text,
        supplier_reference text,
        order_id bigint,
        item smallint,
        unit smallint,
        attempt smallint,
        detail text,
        body_sealed bytea,
        CONSTRAINT fk_supplier_callbacks_attempt
          FOREIGN KEY (order_id, item, unit, attempt) REFERENCES unit_attempts,
        CONSTRAINT ck_supplier_callbacks_attempt CHECK (num_nulls(order_id, item, unit, attempt) IN (0, 4))
      )`);
    await runner.query(`CREATE INDEX ix_supplier_callbacks_received ON supplier_callbacks (received_at)`);
    await runner.query(`
      CREATE INDEX ix_supplier_callbacks_delivery ON supplier_callbacks (supplier_id, delivery_id)
        WHERE delivery_id IS NOT NULL`);
    await runner.query(`
      CREATE INDEX ix_supplier_callbacks_attempt ON supplier_callbacks (order_id, item, unit, attempt)
      WHERE order_id IS NOT NULL`);
  }

  /** A discrepancy is about a unit that was settled otherwise, or about a purchase that no order knows. */
  private async createDiscrepancies(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE supplier_reversals (
        id integer GENERATED ALWAYS AS IDENTITY CONSTRAINT pk_supplier_reversals PRIMARY KEY,
        order_id bigint,
        item smallint,
        unit smallint,
        supplier_id integer NOT NULL CONSTRAINT fk_supplier_reversals_supplier REFERENCES suppliers,
        kind text NOT NULL CONSTRAINT ck_supplier_reversals_kind
          CHECK (kind IN ('taken_back', 'bought_late', 'unknown_purchase')),
        supplier_reference text,
        detail text,
        status text NOT NULL DEFAULT 'open' CONSTRAINT ck_supplier_reversals_status CHECK (status IN ('open', 'closed')),
        created_at timestamptz(3) NOT NULL,
        closed_at timestamptz(3),
        attempt smallint DEFAULT 1,
        cost_micros bigint,
        cost_currency text,
        reference text,
        supplier_sku text,
        player text,
        bought_at timestamptz(3),
        turn smallint NOT NULL DEFAULT 1,
        says text CONSTRAINT ck_supplier_reversals_says CHECK (says IN ('succeeded', 'failed')),
        delivered_sealed bytea,
        CONSTRAINT fk_supplier_reversals_unit FOREIGN KEY (order_id, item, unit) REFERENCES order_units,
        CONSTRAINT uq_supplier_reversals_unit_kind UNIQUE (order_id, item, unit, kind, attempt, turn),
        CONSTRAINT ck_supplier_reversals_closed CHECK ((status = 'closed') = (closed_at IS NOT NULL)),
        CONSTRAINT ck_supplier_reversals_cost CHECK (num_nulls(cost_micros, cost_currency) IN (0, 2)),
        CONSTRAINT ck_supplier_reversals_unit CHECK (num_nulls(order_id, item, unit, attempt) IN (0, 4)),
        CONSTRAINT ck_supplier_reversals_purchase CHECK (
          order_id IS NOT NULL OR (kind = 'unknown_purchase' AND num_nonnulls(reference, supplier_reference) > 0))
      )`);
    await runner.query(
      `CREATE INDEX ix_supplier_reversals_open ON supplier_reversals (supplier_id) WHERE status = 'open'`,
    );
    await runner.query(`
      CREATE UNIQUE INDEX uq_supplier_reversals_reference ON supplier_reversals (supplier_id, reference)
      WHERE order_id IS NULL AND reference IS NOT NULL`);
    await runner.query(`
      CREATE UNIQUE INDEX uq_supplier_reversals_supplier_reference ON supplier_reversals (supplier_id, supplier_reference)
      WHERE order_id IS NULL AND reference IS NULL`);
    await runner.query(`
      CREATE INDEX ix_supplier_reversals_purchase ON supplier_reversals (supplier_id, supplier_reference)
      WHERE order_id IS NULL`);
    await runner.query(`
      CREATE INDEX ix_supplier_reversals_lately ON supplier_reversals (supplier_id, created_at) WHERE order_id IS NULL`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(
      `DROP TABLE supplier_reversals, supplier_callbacks, supplier_calls, attempt_checks, unit_attempts`,
    );
    await runner.query(`DROP FUNCTION random_reference`);
  }
}
