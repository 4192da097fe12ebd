import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Workers tell each other when the clock was set forward, and a case keeps what was handed over for what it is about. */
export class StepsAndLateCodes1763800000100 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE worker_processes ADD COLUMN clock_set_forward_at timestamptz`);
    await runner.query(`ALTER TABLE supplier_reversals ADD COLUMN delivered_sealed bytea`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE supplier_reversals DROP COLUMN delivered_sealed`);
    await runner.query(`ALTER TABLE worker_processes DROP COLUMN clock_set_forward_at`);
  }
}
