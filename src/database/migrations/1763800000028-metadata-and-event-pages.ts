import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * What merchants may say of an order, and the index that serves each page of a merchant's events, whatever it is filtered
 * by. Its `id + 0` keeps it away from what looks for an event by its id alone, as that of deliveries does. Events are many,
 * and go on being written meanwhile: so there is no transaction around it all, and every step can be taken again after a
 * crash.
 */
export class MetadataAndEventPages1763800000028 implements MigrationInterface {
  transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      SET LOCAL lock_timeout = '2s';
      ALTER TABLE orders ADD COLUMN IF NOT EXISTS metadata json, ADD COLUMN IF NOT EXISTS end_user_ip text`);
    // What a crash left of it is no index yet.
    await runner.query(`DROP INDEX CONCURRENTLY IF EXISTS ix_events_page`);
    await runner.query(`CREATE INDEX CONCURRENTLY ix_events_page ON events (merchant_id, kind, (id + 0))`);
  }

  /** TypeORM steps back in a transaction, which allows nothing of the above. */
  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP INDEX ix_events_page`);
    await runner.query(`ALTER TABLE orders DROP COLUMN metadata, DROP COLUMN end_user_ip`);
  }
}
