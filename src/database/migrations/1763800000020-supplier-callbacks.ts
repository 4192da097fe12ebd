import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What suppliers call us with, and the token in the address that each of them calls. */
export class SupplierCallbacks1763800000020 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE suppliers ADD COLUMN callback_token_sealed bytea`);
    await runner.query(`
      CREATE INDEX ix_unit_attempts_supplier_reference ON unit_attempts (supplier_id, supplier_reference)
        WHERE supplier_reference IS NOT NULL`);
    await runner.query(`
      CREATE TABLE supplier_callbacks (
        id bigint GENERATED ALWAYS AS IDENTITY CONSTRAINT pk_supplier_callbacks PRIMARY KEY,
        supplier_id integer NOT NULL
          CONSTRAINT fk_supplier_callbacks_supplier REFERENCES suppliers ON DELETE CASCADE,
        received_at timestamptz(3) NOT NULL,
        remote_address text NOT NULL,
        verdict text NOT NULL CONSTRAINT ck_supplier_callbacks_verdict CHECK (verdict IN
          ('settled', 'woke', 'contradicted', 'nothing_new', 'repeated', 'unknown_reference', 'ping', 'unreadable', 'refused')),
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
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE supplier_callbacks`);
    await runner.query(`DROP INDEX ix_unit_attempts_supplier_reference`);
    await runner.query(`ALTER TABLE suppliers DROP COLUMN callback_token_sealed`);
  }
}
