import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Pages of the operator log by who did something, and by what was done, newest first. Only operators write to the log: no
 * order pays for these indexes.
 */
export class OperatorLogPages1763800000053 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`CREATE INDEX ix_operator_actions_operator ON operator_actions (operator, id)`);
    await runner.query(`CREATE INDEX ix_operator_actions_action ON operator_actions (action, id)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP INDEX ix_operator_actions_operator, ix_operator_actions_action`);
  }
}
