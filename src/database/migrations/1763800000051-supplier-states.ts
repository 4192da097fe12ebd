import type { MigrationInterface, QueryRunner } from 'typeorm';

/** How each worker finds each supplier; what a worker wrote goes with its presence. */
export class SupplierStates1763800000051 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE supplier_states (
        process text NOT NULL CONSTRAINT fk_supplier_states_process REFERENCES worker_processes ON DELETE CASCADE,
        supplier_id integer NOT NULL CONSTRAINT fk_supplier_states_supplier REFERENCES suppliers ON DELETE CASCADE,
        breaker text NOT NULL CONSTRAINT ck_supplier_states_breaker CHECK (breaker IN ('closed', 'open', 'half_open')),
        in_flight integer NOT NULL,
        updated_at timestamptz(3) NOT NULL,
        CONSTRAINT pk_supplier_states PRIMARY KEY (process, supplier_id)
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE supplier_states`);
  }
}
