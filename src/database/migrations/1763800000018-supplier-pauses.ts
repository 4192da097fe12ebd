import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * A supplier is paused, by the operator or because it refuses our credentials or has too little of our money, and asked
 * for our balance now and then until that has changed.
 */
export class SupplierPauses1763800000018 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE suppliers
        ADD COLUMN max_in_flight integer CONSTRAINT ck_suppliers_max_in_flight CHECK (max_in_flight BETWEEN 1 AND 10000),
        ADD COLUMN pause_reason text CONSTRAINT ck_suppliers_pause_reason
          CHECK (pause_reason IN ('operator', 'credentials', 'deposit')),
        ADD COLUMN pause_detail text,
        ADD COLUMN paused_at timestamptz(3),
        ADD COLUMN paused_balance_micros bigint,
        ADD COLUMN probes smallint NOT NULL DEFAULT 0,
        ADD COLUMN probe_at timestamptz(3),
        ADD CONSTRAINT ck_suppliers_paused CHECK ((pause_reason IS NULL) = (paused_at IS NULL)),
        ADD CONSTRAINT ck_suppliers_probe CHECK (probe_at IS NULL OR pause_reason IN ('credentials', 'deposit'))`);
    // Volatile, so that it sees what was committed while its statement waited for a lock.
    await runner.query(`
      CREATE FUNCTION units_in_flight(supplier integer) RETURNS bigint LANGUAGE sql VOLATILE AS $$
        SELECT count(*) FROM order_units
        WHERE supplier_id = supplier AND next_action_at > clock_timestamp() AND claimed_by IS NOT NULL
      $$`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP FUNCTION units_in_flight`);
    await runner.query(`
      ALTER TABLE suppliers
        DROP CONSTRAINT ck_suppliers_max_in_flight, DROP CONSTRAINT ck_suppliers_pause_reason,
        DROP CONSTRAINT ck_suppliers_paused, DROP CONSTRAINT ck_suppliers_probe,
        DROP COLUMN max_in_flight, DROP COLUMN pause_reason, DROP COLUMN pause_detail, DROP COLUMN paused_at,
        DROP COLUMN paused_balance_micros, DROP COLUMN probes, DROP COLUMN probe_at`);
  }
}
