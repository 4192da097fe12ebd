import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Sandbox merchants, and what their keys begin with. */
export class SandboxMerchants1763800000034 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE merchants
        ADD COLUMN sandbox boolean NOT NULL DEFAULT false,
        ADD CONSTRAINT uq_merchants_sandbox UNIQUE (id, sandbox)`);
    await runner.query(`
      CREATE TRIGGER tg_merchants_sandbox BEFORE UPDATE OF sandbox ON merchants FOR EACH ROW
      WHEN (NEW.sandbox <> OLD.sandbox) EXECUTE FUNCTION refuse_change('a merchant stays what it was created as')`);
    await runner.query(`
      CREATE FUNCTION assert_key_fits_merchant() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        IF starts_with(NEW.prefix, 'topup_test_') <> (SELECT sandbox FROM merchants WHERE id = NEW.merchant_id) THEN
          RAISE EXCEPTION 'keys that begin with topup_test_ are those of sandbox merchants'
            USING ERRCODE = 'integrity_constraint_violation', CONSTRAINT = TG_NAME;
        END IF;
        RETURN NEW;
      END $$`);
    await runner.query(`
      CREATE TRIGGER tg_api_keys_sandbox BEFORE INSERT OR UPDATE OF merchant_id, prefix ON api_keys
      FOR EACH ROW EXECUTE FUNCTION assert_key_fits_merchant()`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TRIGGER tg_api_keys_sandbox ON api_keys`);
    await runner.query(`DROP FUNCTION assert_key_fits_merchant`);
    await runner.query(`DROP TRIGGER tg_merchants_sandbox ON merchants`);
    await runner.query(`ALTER TABLE merchants DROP CONSTRAINT uq_merchants_sandbox, DROP COLUMN sandbox`);
  }
}
