import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Up to when events may have been removed because of their age, so that the audit does not miss them. */
export class EventRetention1763750000010 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE event_retention (
        only_row boolean NOT NULL DEFAULT true CONSTRAINT pk_event_retention PRIMARY KEY
          CONSTRAINT ck_event_retention_only_row CHECK (only_row),
        removed_until timestamptz NOT NULL
      )`);
    await runner.query(`INSERT INTO event_retention (removed_until) VALUES ('-infinity')`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE event_retention`);
  }
}
