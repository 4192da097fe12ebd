import type { MigrationInterface, QueryRunner } from 'typeorm';

const QUEUES = ['ix_order_units_due', 'ix_webhook_deliveries_due', 'ix_webhook_deliveries_leased'];

/**
 * What a batch makes due has one time, and PostgreSQL packs equal keys into one index entry, which it can't mark as
 * dead before the last of its rows is. Unpacked, the entries of what was taken are passed over from then on.
 */
export class QueueIndexes1763750000006 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const index of QUEUES) await runner.query(`ALTER INDEX ${index} SET (deduplicate_items = off)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const index of QUEUES) await runner.query(`ALTER INDEX ${index} RESET (deduplicate_items)`);
  }
}
