import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * One reference per attempt to buy a unit. Units that were sent before have none here: their one attempt went by the
 * unit's own reference, which is that of a first attempt still, so the version before can go on with units of this one.
 */
export class Attempts1763800000015 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE order_units ADD COLUMN attempt smallint NOT NULL DEFAULT 0`);
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
        CONSTRAINT pk_unit_attempts PRIMARY KEY (order_id, item, unit, number),
        CONSTRAINT fk_unit_attempts_unit FOREIGN KEY (order_id, item, unit) REFERENCES order_units,
        CONSTRAINT uq_unit_attempts_reference UNIQUE (supplier_id, reference)
      )`);
    await runner.query(`
      CREATE TRIGGER tg_unit_attempts_kept
      BEFORE DELETE OR UPDATE OF order_id, item, unit, number, supplier_id, supplier_sku, reference ON unit_attempts
      FOR EACH STATEMENT EXECUTE FUNCTION refuse_change('an attempt is kept as it was made')`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE unit_attempts`);
    await runner.query(`ALTER TABLE order_units DROP COLUMN attempt`);
  }
}
