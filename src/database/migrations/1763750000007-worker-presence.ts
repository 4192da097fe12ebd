import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Which workers live, so that what a dead one had claimed need not wait for the end of its lease. */
export class WorkerPresence1763750000007 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE worker_processes (
        name text CONSTRAINT pk_worker_processes PRIMARY KEY,
        seen_at timestamptz NOT NULL
      )`);
    await runner.query(`ALTER TABLE webhook_deliveries ADD COLUMN claimed_by text`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE webhook_deliveries DROP COLUMN claimed_by`);
    await runner.query(`DROP TABLE worker_processes`);
  }
}
