import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What the page calls the request that started a job: the same request, sent again, starts no other. */
export class JobKeys1763800000056 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE console_jobs ADD COLUMN idempotency_key text`);
    await runner.query(`
      CREATE UNIQUE INDEX uq_console_jobs_idempotency_key ON console_jobs (operator_id, idempotency_key)
      WHERE idempotency_key IS NOT NULL`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE console_jobs DROP COLUMN idempotency_key`);
  }
}
