import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Records backups, so that their age is a metric. */
export class Backups1763900000020 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE backups (
        id integer GENERATED ALWAYS AS IDENTITY CONSTRAINT pk_backups PRIMARY KEY,
        started_at timestamptz(3) NOT NULL DEFAULT now(),
        completed_at timestamptz(3),
        bytes bigint,
        CONSTRAINT ck_backups_completed CHECK ((completed_at IS NULL) = (bytes IS NULL)))`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE backups');
  }
}
