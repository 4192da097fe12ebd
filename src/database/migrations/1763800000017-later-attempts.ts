import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * An attempt ends when another one begins, under a reference of its own. Versions that know of one attempt only would
 * send such a unit under its first reference, so a claim counts only with `attempt_claim`, which they don't write: to
 * them the unit seems to be claimed by somebody else.
 */
export class LaterAttempts1763800000017 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE order_units ADD COLUMN attempt_claim integer NOT NULL DEFAULT 0`);
    await runner.query(`
      CREATE FUNCTION skip_change() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        RETURN NULL;
      END $$`);
    await runner.query(`
      CREATE TRIGGER tg_order_units_later_attempt BEFORE UPDATE OF claim ON order_units FOR EACH ROW
      WHEN (NEW.attempt > 1 AND NEW.claim > OLD.claim AND NEW.attempt_claim <> NEW.claim)
      EXECUTE FUNCTION skip_change()`);
    await runner.query(`
      ALTER TABLE unit_attempts
        ADD COLUMN player_template text,
        ADD COLUMN expected_cost_micros bigint,
        ADD COLUMN max_cost_micros bigint,
        ADD COLUMN cost_micros bigint,
        ADD COLUMN cost_currency text,
        ADD COLUMN baht_per_unit numeric(20, 10),
        ADD COLUMN unconfirmed text,
        ADD COLUMN ended_as text CONSTRAINT ck_unit_attempts_ended_as CHECK (ended_as IN ('failed', 'withdrawn')),
        ADD COLUMN failure_code text,
        ADD COLUMN failure_message text,
        ADD COLUMN ended_at timestamptz(3),
        ADD CONSTRAINT ck_unit_attempts_ended CHECK ((ended_as IS NULL) = (ended_at IS NULL)),
        ADD CONSTRAINT ck_unit_attempts_failure CHECK (failure_code IS NULL OR ended_as = 'failed'),
        ADD CONSTRAINT ck_unit_attempts_currency CHECK (
          cost_currency IS NOT NULL OR num_nonnulls(expected_cost_micros, max_cost_micros, cost_micros) = 0)`);
    // Of a random UUID, the bytes that hold nothing else; five bits of each are a character of Crockford's base 32.
    await runner.query(`
      CREATE FUNCTION random_reference() RETURNS text LANGUAGE sql VOLATILE AS $$
        SELECT 'T' || string_agg(substr('0123456789ABCDEFGHJKMNPQRSTVWXYZ', 1 + (get_byte(random.bytes, at) & 31), 1), '')
        FROM (SELECT uuid_send(gen_random_uuid()) AS bytes) random,
             unnest('{0,1,2,3,4,5,7,8,9,10,11,12,13,14,15}'::int[]) AS at
      $$`);
    // Under the name that the version before knows: it opens no second reversal for the same attempt.
    await runner.query(`
      ALTER TABLE supplier_reversals
        ADD COLUMN attempt smallint NOT NULL DEFAULT 1,
        ADD COLUMN cost_micros bigint,
        ADD COLUMN cost_currency text,
        DROP CONSTRAINT uq_supplier_reversals_unit_kind,
        ADD CONSTRAINT uq_supplier_reversals_unit_kind UNIQUE (order_id, item, unit, kind, attempt),
        ADD CONSTRAINT ck_supplier_reversals_cost CHECK (num_nulls(cost_micros, cost_currency) IN (0, 2))`);
    await runner.query(`
      ALTER TABLE supplier_calls
        DROP CONSTRAINT ck_supplier_calls_kind,
        ADD CONSTRAINT ck_supplier_calls_kind CHECK (kind IN ('send', 'inquiry', 'callback')) NOT VALID`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE supplier_calls
        DROP CONSTRAINT ck_supplier_calls_kind,
        ADD CONSTRAINT ck_supplier_calls_kind CHECK (kind IN ('send', 'inquiry')) NOT VALID`);
    await runner.query(`
      ALTER TABLE supplier_reversals
        DROP CONSTRAINT uq_supplier_reversals_unit_kind,
        DROP CONSTRAINT ck_supplier_reversals_cost,
        DROP COLUMN attempt, DROP COLUMN cost_micros, DROP COLUMN cost_currency,
        ADD CONSTRAINT uq_supplier_reversals_unit_kind UNIQUE (order_id, item, unit, kind)`);
    await runner.query(`DROP FUNCTION random_reference`);
    await runner.query(`
      ALTER TABLE unit_attempts
        DROP CONSTRAINT ck_unit_attempts_ended_as, DROP CONSTRAINT ck_unit_attempts_ended,
        DROP CONSTRAINT ck_unit_attempts_failure, DROP CONSTRAINT ck_unit_attempts_currency,
        DROP COLUMN player_template, DROP COLUMN expected_cost_micros, DROP COLUMN max_cost_micros,
        DROP COLUMN cost_micros, DROP COLUMN cost_currency, DROP COLUMN baht_per_unit, DROP COLUMN unconfirmed,
        DROP COLUMN ended_as, DROP COLUMN failure_code, DROP COLUMN failure_message, DROP COLUMN ended_at`);
    await runner.query(`DROP TRIGGER tg_order_units_later_attempt ON order_units`);
    await runner.query(`DROP FUNCTION skip_change`);
    await runner.query(`ALTER TABLE order_units DROP COLUMN attempt_claim`);
  }
}
