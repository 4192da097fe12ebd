import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Heartbeats of workers, the state of each supplier as each worker sees it, and stats by the minute. */
export class Workers1763900000012 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE worker_processes (
        name text CONSTRAINT pk_worker_processes PRIMARY KEY,
        seen_at timestamptz NOT NULL,
        clock_set_forward_at timestamptz
      )`);
    await runner.query(`
      CREATE TABLE supplier_states (
        process text NOT NULL CONSTRAINT fk_supplier_states_process REFERENCES worker_processes ON DELETE CASCADE,
        supplier_id integer NOT NULL CONSTRAINT fk_supplier_states_supplier REFERENCES suppliers ON DELETE CASCADE,
        breaker text NOT NULL CONSTRAINT ck_supplier_states_breaker CHECK (breaker IN ('closed', 'open', 'half_open')),
        in_flight integer NOT NULL,
        updated_at timestamptz(3) NOT NULL,
        CONSTRAINT pk_supplier_states PRIMARY KEY (process, supplier_id)
      )`);
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
    await runner.query(`DROP TABLE minute_figures, supplier_states, worker_processes`);
  }
}
