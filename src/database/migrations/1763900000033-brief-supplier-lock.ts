import type { MigrationInterface, QueryRunner } from 'typeorm';

/** While a supplier's removal waits for the lock of all offers, new orders wait behind it. So it gives up as soon as a migration. */
export class BriefSupplierLock1763900000033 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER FUNCTION keep_used_suppliers() SET lock_timeout = '100ms'`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER FUNCTION keep_used_suppliers() SET lock_timeout = '2s'`);
  }
}
