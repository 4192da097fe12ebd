import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * An order refers to its merchant together with what kind that is, so that no order is anything else. The version before
 * places orders that are live: it can place none for a sandbox merchant.
 */
export class SandboxOrders1763800000035 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // Those that are there fit: until now there were live merchants and orders only.
    await runner.query(`
      ALTER TABLE orders
        ADD COLUMN sandbox boolean NOT NULL DEFAULT false,
        DROP CONSTRAINT fk_orders_merchant,
        ADD CONSTRAINT fk_orders_merchant FOREIGN KEY (merchant_id, sandbox) REFERENCES merchants (id, sandbox) NOT VALID`);
    await runner.query(`
      CREATE FUNCTION assert_bought_in_sandbox() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        IF EXISTS (SELECT FROM order_items WHERE order_id = NEW.id AND supplier_id <> 0)
          OR EXISTS (SELECT FROM order_units WHERE order_id = NEW.id AND supplier_id <> 0)
        THEN
          RAISE EXCEPTION 'what a sandbox merchant orders is bought from the supplier that is built in'
            USING ERRCODE = 'integrity_constraint_violation', CONSTRAINT = TG_NAME;
        END IF;
        RETURN NULL;
      END $$`);
    await runner.query(`
      CREATE CONSTRAINT TRIGGER tg_orders_sandbox AFTER INSERT ON orders DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
      WHEN (NEW.sandbox) EXECUTE FUNCTION assert_bought_in_sandbox()`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TRIGGER tg_orders_sandbox ON orders`);
    await runner.query(`DROP FUNCTION assert_bought_in_sandbox`);
    await runner.query(`
      ALTER TABLE orders
        DROP CONSTRAINT fk_orders_merchant,
        ADD CONSTRAINT fk_orders_merchant FOREIGN KEY (merchant_id) REFERENCES merchants NOT VALID,
        DROP COLUMN sandbox`);
  }
}
