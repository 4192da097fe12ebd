import type { MigrationInterface, QueryRunner } from 'typeorm';
import { createIndexConcurrently } from '../concurrent-index.js';

/**
 * Deliveries that failed or were cancelled are few, and those of all webhooks are looked for together: without this index by
 * asking each webhook. A delivery that succeeds never enters it. Its `id + 0` keeps it away from what looks for a delivery
 * by its id alone, as that of pages does.
 */
export class Undelivered1763800000076 implements MigrationInterface {
  transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await createIndexConcurrently(
      runner,
      'ix_webhook_deliveries_undelivered',
      'webhook_deliveries',
      `(status, kind, (id + 0)) WHERE status IN ('failed', 'cancelled')`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP INDEX IF EXISTS ix_webhook_deliveries_undelivered`);
  }
}
