import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Which operator made an account at the console: they could be the one who uses it. */
export class OperatorsMakers1763800000095 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE operators ADD COLUMN created_by integer CONSTRAINT fk_operators_created_by REFERENCES operators`);
    // By the log, whose entries are kept for ever. Who comes by the company's sign-in makes their own account.
    await runner.query(`
      UPDATE operators o SET created_by = a.operator_id
      FROM operator_actions a
      WHERE a.action = 'operator.create' AND a.detail ->> 'operator' = o.email AND a.operator_id <> o.id`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE operators DROP COLUMN created_by`);
  }
}
