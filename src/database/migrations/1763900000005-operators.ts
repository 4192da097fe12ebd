import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Accounts of the operators' console with their sign-ins, and the jobs that run in the background. */
export class Operators1763900000005 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await this.createOperators(runner);
    await this.createSignIns(runner);
    await this.createJobs(runner);
  }

  private async createOperators(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE operators (
        id integer GENERATED ALWAYS AS IDENTITY CONSTRAINT pk_operators PRIMARY KEY,
        email text NOT NULL CONSTRAINT uq_operators_email UNIQUE
          CONSTRAINT ck_operators_email CHECK (email = lower(email)),
        name text NOT NULL,
        role text NOT NULL
          CONSTRAINT ck_operators_role CHECK (role IN ('viewer', 'support', 'catalog', 'finance', 'admin')),
        active boolean NOT NULL DEFAULT true,
        password_hash text,
        set_up_hash bytea CONSTRAINT uq_operators_set_up_hash UNIQUE,
        set_up_until timestamptz(3),
        totp_sealed bytea,
        totp_offered_sealed bytea,
        totp_last_step bigint NOT NULL DEFAULT 0,
        failed_logins integer NOT NULL DEFAULT 0,
        locked_until timestamptz(3),
        known_device_failed_logins integer NOT NULL DEFAULT 0,
        known_device_locked_until timestamptz(3),
        last_sign_in_at timestamptz(3),
        language text CONSTRAINT ck_operators_language CHECK (language IN ('en', 'th')),
        timezone text,
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        updated_at timestamptz(3) NOT NULL DEFAULT now(),
        company_issuer text,
        company_subject text,
        company_link_until timestamptz(3),
        access_version integer NOT NULL DEFAULT 0,
        created_by integer CONSTRAINT fk_operators_created_by REFERENCES operators,
        CONSTRAINT uq_operators_company UNIQUE (company_issuer, company_subject),
        CONSTRAINT ck_operators_company CHECK ((company_issuer IS NULL) = (company_subject IS NULL)),
        CONSTRAINT ck_operators_set_up CHECK ((set_up_hash IS NULL) = (set_up_until IS NULL))
      )`);
  }

  private async createSignIns(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE operator_sessions (
        id integer GENERATED ALWAYS AS IDENTITY CONSTRAINT pk_operator_sessions PRIMARY KEY,
        id_hash bytea NOT NULL CONSTRAINT uq_operator_sessions_id_hash UNIQUE,
        operator_id integer NOT NULL CONSTRAINT fk_operator_sessions_operator REFERENCES operators,
        awaits_code boolean NOT NULL,
        ip text NOT NULL,
        user_agent text NOT NULL,
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        seen_at timestamptz(3) NOT NULL DEFAULT now(),
        expires_at timestamptz(3) NOT NULL,
        confirmed_at timestamptz(3)
      )`);
    await runner.query(`CREATE INDEX ix_operator_sessions_operator ON operator_sessions (operator_id)`);
    await runner.query(`
      CREATE TABLE operator_recovery_codes (
        operator_id integer NOT NULL CONSTRAINT fk_operator_recovery_codes_operator REFERENCES operators,
        code_hash bytea NOT NULL,
        used_at timestamptz(3),
        CONSTRAINT pk_operator_recovery_codes PRIMARY KEY (operator_id, code_hash)
      )`);
    // Sign-ins that were begun at the company's identity provider.
    await runner.query(`
      CREATE TABLE company_sign_ins (
        id_hash bytea CONSTRAINT pk_company_sign_ins PRIMARY KEY,
        next text NOT NULL,
        expires_at timestamptz(3) NOT NULL
      )`);
  }

  private async createJobs(runner: QueryRunner): Promise<void> {
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
        idempotency_key text,
        CONSTRAINT ck_console_jobs_ended CHECK ((state = 'running') = (ended_at IS NULL))
      )`);
    await runner.query(`CREATE INDEX ix_console_jobs_kind ON console_jobs (kind, id)`);
    await runner.query(`CREATE UNIQUE INDEX uq_console_jobs_running ON console_jobs (kind) WHERE state = 'running'`);
    await runner.query(`
      CREATE UNIQUE INDEX uq_console_jobs_idempotency_key ON console_jobs (operator_id, idempotency_key)
      WHERE idempotency_key IS NOT NULL`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(
      `DROP TABLE console_jobs, company_sign_ins, operator_recovery_codes, operator_sessions, operators`,
    );
  }
}
