import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Suppliers have as many credentials and options as their adapter says, and the last balance that they told. Which
 * adapters there are is for the code to know. The token stays where the version before has it.
 */
export class SupplierSettings1763800000016 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE suppliers
        DROP CONSTRAINT ck_suppliers_adapter,
        ADD COLUMN credentials_sealed bytea,
        ADD COLUMN credential_names text[] NOT NULL DEFAULT '{}',
        ADD COLUMN options jsonb NOT NULL DEFAULT '{}',
        ADD COLUMN low_balance_micros bigint,
        ADD COLUMN balance_micros bigint,
        ADD COLUMN balance_currency text,
        ADD COLUMN balance_at timestamptz(3),
        ADD CONSTRAINT ck_suppliers_balance
          CHECK (num_nulls(balance_micros, balance_currency, balance_at) IN (0, 3))`);
  }

  async down(runner: QueryRunner): Promise<void> {
    // A supplier of another adapter stays in the books; the version before leaves its units alone.
    await runner.query(`
      ALTER TABLE suppliers
        DROP COLUMN credentials_sealed, DROP COLUMN credential_names, DROP COLUMN options,
        DROP COLUMN low_balance_micros,
        DROP COLUMN balance_micros, DROP COLUMN balance_currency, DROP COLUMN balance_at,
        ADD CONSTRAINT ck_suppliers_adapter CHECK (adapter IN ('http')) NOT VALID`);
  }
}
