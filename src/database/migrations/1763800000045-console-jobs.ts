import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What operators have the console do in the background: reports, the audit, replays of webhooks. */
export class ConsoleJobs1763800000045 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE console_jobs (
        id integer GENERATED ALWAYS AS IDENTITY CONSTRAINT pk_console_jobs PRIMARY KEY,
        kind text NOT NULL,
        params jsonb NOT NULL,
        state text NOT NULL DEFAULT 'running' CONSTRAINT ck_console_jobs_state
          CHECK (state IN ('running', 'succeeded', 'failed', 'cancelled', 'interrupted')),
        operator_id integer NOT NULL CONSTRAINT fk_console_jobs_operator REFERENCES operators,
        cancel_asked boolean NOT NULL DEFAULT false,
        done integer NOT NULL DEFAULT 0,
        total integer,
        step text,
        ok boolean,
        result jsonb,
        error text,
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        ended_at timestamptz(3),
        CONSTRAINT ck_console_jobs_ended CHECK ((state = 'running') = (ended_at IS NULL))
      )`);
    await runner.query(`CREATE INDEX ix_console_jobs_kind ON console_jobs (kind, id)`);
    await runner.query(`CREATE UNIQUE INDEX uq_console_jobs_running ON console_jobs (kind) WHERE state = 'running'`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE console_jobs`);
  }
}
