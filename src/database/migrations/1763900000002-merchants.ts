import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Merchants, live or sandbox, and their keys. */
export class Merchants1763900000002 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE merchants (
        id integer GENERATED ALWAYS AS IDENTITY CONSTRAINT pk_merchants PRIMARY KEY,
        name text NOT NULL CONSTRAINT ck_merchants_name CHECK (length(name) BETWEEN 1 AND 128),
        status text NOT NULL DEFAULT 'active' CONSTRAINT ck_merchants_status CHECK (status IN ('active', 'suspended')),
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        updated_at timestamptz(3) NOT NULL DEFAULT now(),
        sandbox boolean NOT NULL DEFAULT false,
        CONSTRAINT uq_merchants_sandbox UNIQUE (id, sandbox)
      )`);
    await runner.query(`
      CREATE TRIGGER tg_merchants_sandbox BEFORE UPDATE OF sandbox ON merchants FOR EACH ROW
      WHEN (NEW.sandbox <> OLD.sandbox) EXECUTE FUNCTION refuse_change('a merchant stays what it was created as')`);
    await runner.query(`
      CREATE TABLE api_keys (
        id integer GENERATED ALWAYS AS IDENTITY CONSTRAINT pk_api_keys PRIMARY KEY,
        merchant_id integer NOT NULL CONSTRAINT fk_api_keys_merchant REFERENCES merchants,
        name text NOT NULL DEFAULT '' CONSTRAINT ck_api_keys_name CHECK (length(name) <= 128),
        prefix text NOT NULL,
        key_hash bytea NOT NULL CONSTRAINT uq_api_keys_key_hash UNIQUE
          CONSTRAINT ck_api_keys_key_hash CHECK (length(key_hash) = 32),
        allowed_networks text[] NOT NULL DEFAULT '{}',
        expires_at timestamptz(3),
        revoked_at timestamptz(3),
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        last_used_at timestamptz(3)
      )`);
    await runner.query(`CREATE INDEX ix_api_keys_merchant ON api_keys (merchant_id)`);
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
    await runner.query(`DROP TABLE api_keys, merchants`);
    await runner.query(`DROP FUNCTION assert_key_fits_merchant`);
  }
}
