import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What a page of the console calls a request, so that the same one, sent again, is not carried out again. */
export class OperatorLogKeys1763800000043 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE operator_actions ADD COLUMN idempotency_key text`);
    // None has one yet, so nothing is indexed.
    await runner.query(`
      CREATE UNIQUE INDEX uq_operator_actions_idempotency_key ON operator_actions (operator_id, idempotency_key)
      WHERE idempotency_key IS NOT NULL`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE operator_actions DROP COLUMN idempotency_key`);
  }
}
