import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The accounts of the operators' console, and where they are signed in. */
export class Operators1763800000040 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
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
        CONSTRAINT ck_operators_set_up CHECK ((set_up_hash IS NULL) = (set_up_until IS NULL))
      )`);
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
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE operator_recovery_codes, operator_sessions, operators`);
  }
}
