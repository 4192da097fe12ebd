import type { MigrationInterface, QueryRunner } from 'typeorm';

export class MerchantsAndKeys1763650000001 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE merchants (
        id integer GENERATED ALWAYS AS IDENTITY CONSTRAINT pk_merchants PRIMARY KEY,
        name text NOT NULL CONSTRAINT ck_merchants_name CHECK (length(name) BETWEEN 1 AND 128),
        status text NOT NULL DEFAULT 'active' CONSTRAINT ck_merchants_status CHECK (status IN ('active', 'suspended')),
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        updated_at timestamptz(3) NOT NULL DEFAULT now()
      )`);
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
        created_at timestamptz(3) NOT NULL DEFAULT now()
      )`);
    await runner.query(`CREATE INDEX ix_api_keys_merchant ON api_keys (merchant_id)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE api_keys, merchants`);
  }
}
