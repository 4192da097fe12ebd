import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What was done about one supplier or its offers, newest first. Only operators write to the log: no order pays for it. */
const INDEX = `ix_operator_actions_supplier ON operator_actions ((coalesce(detail ->> 'code', detail ->> 'supplier')), id)
  WHERE action IN ('supplier.set', 'supplier.remove', 'supplier.pause', 'supplier.resume', 'supplier.sync', 'offer.set',
    'offer.remove')`;

export class SupplierLog1763800000057 implements MigrationInterface {
  /** Built beside those who write. */
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    // One whose build was interrupted is there, and not valid.
    await runner.query(`DROP INDEX CONCURRENTLY IF EXISTS ix_operator_actions_supplier`);
    await runner.query(`CREATE INDEX CONCURRENTLY ${INDEX}`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP INDEX ix_operator_actions_supplier`);
  }
}
