import type { MigrationInterface, QueryRunner } from 'typeorm';

/** From where an operator did what the log says: at the command line, or signed in to the console. */
export class OperatorLogSources1763800000041 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE operator_actions
        ADD COLUMN operator_id integer CONSTRAINT fk_operator_actions_operator REFERENCES operators,
        ADD COLUMN source text NOT NULL DEFAULT 'cli'
          CONSTRAINT ck_operator_actions_source CHECK (source IN ('cli', 'console')),
        ADD COLUMN ip text,
        ADD COLUMN request_id text`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE operator_actions
        DROP COLUMN operator_id, DROP COLUMN source, DROP COLUMN ip, DROP COLUMN request_id`);
  }
}
