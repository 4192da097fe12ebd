import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Where each unit was sent, so that it is never sent again to somebody who does not know its reference; and a case for
 * every answer of a supplier that contradicts how a unit was settled.
 */
export class Fencing1763800000011 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE order_units ADD COLUMN sent_to text`);
    // The open ones only: few, and found by an index.
    await runner.query(`
      UPDATE order_units u SET sent_to = s.base_url FROM suppliers s
      WHERE s.id = u.supplier_id AND u.next_action_at IS NOT NULL AND u.first_sent_at IS NOT NULL`);
    await runner.query(`
      CREATE TABLE supplier_reversals (
        id integer GENERATED ALWAYS AS IDENTITY CONSTRAINT pk_supplier_reversals PRIMARY KEY,
        order_id bigint NOT NULL,
        item smallint NOT NULL,
        unit smallint NOT NULL,
        supplier_id integer NOT NULL CONSTRAINT fk_supplier_reversals_supplier REFERENCES suppliers,
        kind text NOT NULL CONSTRAINT ck_supplier_reversals_kind
          CHECK (kind IN ('taken_back', 'bought_late', 'unknown_purchase')),
        supplier_reference text,
        detail text,
        status text NOT NULL DEFAULT 'open' CONSTRAINT ck_supplier_reversals_status CHECK (status IN ('open', 'closed')),
        created_at timestamptz(3) NOT NULL,
        closed_at timestamptz(3),
        CONSTRAINT fk_supplier_reversals_unit FOREIGN KEY (order_id, item, unit) REFERENCES order_units,
        CONSTRAINT uq_supplier_reversals_unit_kind UNIQUE (order_id, item, unit, kind),
        CONSTRAINT ck_supplier_reversals_closed CHECK ((status = 'closed') = (closed_at IS NOT NULL))
      )`);
    await runner.query(
      `CREATE INDEX ix_supplier_reversals_open ON supplier_reversals (supplier_id) WHERE status = 'open'`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE supplier_reversals`);
    await runner.query(`ALTER TABLE order_units DROP COLUMN sent_to`);
  }
}
