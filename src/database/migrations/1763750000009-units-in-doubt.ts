import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Counts units in doubt for the metrics. Few units are, and most never; so hardly any write touches this index. */
export class UnitsInDoubt1763750000009 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`CREATE INDEX ix_order_units_unknown ON order_units (unknown_since) WHERE state = 'unknown'`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP INDEX ix_order_units_unknown`);
  }
}
