import type { MigrationInterface, QueryRunner } from 'typeorm';

const TABLES = ['order_items', 'order_units', 'unit_attempts'];

/**
 * The supplier that is built in has the id 0, which no sequence gives, so that a unit tells by itself where it belongs.
 * Of rows that are about real suppliers only the conditions of triggers are looked at: no function is called, and nothing
 * read. Tables are locked in the order in which those who order and claim lock them.
 */
export class SandboxSupplier1763800000036 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE supplier_offers ADD CONSTRAINT ck_supplier_offers_sandbox CHECK (supplier_id <> 0)`);
    await this.addSupplier(runner);
    await runner.query(`
      CREATE FUNCTION assert_ordered_in_sandbox() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        IF NOT (SELECT sandbox FROM orders WHERE id = NEW.order_id) THEN
          RAISE EXCEPTION 'the supplier that is built in sells to sandbox merchants only'
            USING ERRCODE = 'integrity_constraint_violation', CONSTRAINT = TG_NAME;
        END IF;
        RETURN NULL;
      END $$`);
    for (const table of TABLES) {
      await runner.query(`
        CREATE TRIGGER tg_${table}_sandbox AFTER INSERT ON ${table} FOR EACH ROW
        WHEN (NEW.supplier_id = 0) EXECUTE FUNCTION assert_ordered_in_sandbox()`);
      await runner.query(`
        CREATE TRIGGER tg_${table}_stays_in_sandbox BEFORE UPDATE OF supplier_id ON ${table} FOR EACH ROW
        WHEN ((NEW.supplier_id = 0) <> (OLD.supplier_id = 0))
        EXECUTE FUNCTION refuse_change('a unit never moves into the sandbox, nor out of it')`);
    }
    // The version before has no adapter for these units, and after a while would try to buy them elsewhere: to it they
    // seem to be claimed by somebody else, because a claim counts only with `attempt_claim` below 0.
    await runner.query(`
      CREATE TRIGGER tg_order_units_sandbox_claim BEFORE UPDATE OF claim ON order_units FOR EACH ROW
      WHEN (NEW.supplier_id = 0 AND NEW.claim > OLD.claim AND NEW.attempt_claim <> -NEW.claim)
      EXECUTE FUNCTION skip_change()`);
  }

  /** Under another code where an operator has given that one. */
  private async addSupplier(runner: QueryRunner): Promise<void> {
    await runner.query(`
      INSERT INTO suppliers (id, code, adapter, base_url, timeout_ms) OVERRIDING SYSTEM VALUE
      SELECT 0, code, 'sandbox', 'sandbox:', 1000
      FROM (VALUES (1, 'sandbox'), (2, 'built-in-sandbox'), (3, gen_random_uuid()::text)) AS wanted (place, code)
      WHERE NOT EXISTS (SELECT FROM suppliers s WHERE s.code = wanted.code)
      ORDER BY place LIMIT 1`);
    await runner.query(`
      ALTER TABLE suppliers
        ADD CONSTRAINT ck_suppliers_sandbox CHECK ((id = 0) = (adapter = 'sandbox')),
        ADD CONSTRAINT ck_suppliers_sandbox_goes_on CHECK (id <> 0 OR pause_reason IS NULL)`);
    await runner.query(`
      CREATE TRIGGER tg_suppliers_sandbox BEFORE DELETE ON suppliers FOR EACH ROW
      WHEN (OLD.id = 0) EXECUTE FUNCTION skip_change()`);
  }

  /** Possible as long as there is no order of a sandbox merchant. */
  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE supplier_offers DROP CONSTRAINT ck_supplier_offers_sandbox`);
    await runner.query(`DROP TRIGGER tg_suppliers_sandbox ON suppliers`);
    await runner.query(`DELETE FROM suppliers WHERE id = 0`);
    await runner.query(`
      ALTER TABLE suppliers DROP CONSTRAINT ck_suppliers_sandbox, DROP CONSTRAINT ck_suppliers_sandbox_goes_on`);
    for (const table of TABLES) {
      await runner.query(`DROP TRIGGER tg_${table}_sandbox ON ${table}`);
      await runner.query(`DROP TRIGGER tg_${table}_stays_in_sandbox ON ${table}`);
    }
    await runner.query(`DROP TRIGGER tg_order_units_sandbox_claim ON order_units`);
    await runner.query(`DROP FUNCTION assert_ordered_in_sandbox`);
  }
}
