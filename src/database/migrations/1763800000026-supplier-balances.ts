import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What suppliers told of our balance, one row each time: how fast it is spent is read from them. */
export class SupplierBalances1763800000026 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE suppliers ADD COLUMN balance_due_at timestamptz(3)`);
    await runner.query(`
      CREATE TABLE supplier_balances (
        supplier_id integer NOT NULL CONSTRAINT fk_supplier_balances_supplier REFERENCES suppliers ON DELETE CASCADE,
        told_at timestamptz(3) NOT NULL,
        currency text NOT NULL,
        micros bigint NOT NULL,
        CONSTRAINT pk_supplier_balances PRIMARY KEY (supplier_id, told_at)
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE supplier_balances`);
    await runner.query(`ALTER TABLE suppliers DROP COLUMN balance_due_at`);
  }
}
