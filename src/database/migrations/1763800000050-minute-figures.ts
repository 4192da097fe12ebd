import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What processes counted, by the minute, for the pages of the console; workers remove it after 90 days. */
export class MinuteFigures1763800000050 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE minute_figures (
        figure text NOT NULL,
        subject text NOT NULL,
        minute timestamptz(3) NOT NULL,
        label text NOT NULL,
        up_to_ms integer NOT NULL,
        value bigint NOT NULL,
        CONSTRAINT pk_minute_figures PRIMARY KEY (figure, subject, minute, label, up_to_ms)
      )`);
    await runner.query(`CREATE INDEX ix_minute_figures_minute ON minute_figures (minute)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE minute_figures`);
  }
}
