import type { MigrationInterface, QueryRunner } from 'typeorm';
import { replaceIndexConcurrently } from '../concurrent-index.js';
import { lockForChange } from '../migration-locks.js';

/** How many orders' units get their merchant in one statement. Workers skip these units until the statement ends. */
const BATCH = 1_000;

const OPTIONS = 'WITH (deduplicate_items = off) WHERE next_action_at IS NOT NULL';

/**
 * Lets merchants share a supplier's slots, by weight. `order_units.merchant_id` stays null in units that ended before
 * the migration, which no claim reads. It also stays null in units that the migration skips, and in units that
 * processes of the previous version place. In `ix_order_units_due`, open units without a merchant share one range with
 * the claimed units.
 */
export class FairShares1763900000014 implements MigrationInterface {
  // To create an index concurrently. Each step can be repeated.
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    // One message is one transaction.
    await runner.query(`${lockForChange('merchants')};
      ALTER TABLE merchants ADD COLUMN IF NOT EXISTS weight smallint NOT NULL DEFAULT 1
        CONSTRAINT ck_merchants_weight CHECK (weight BETWEEN 1 AND 100)`);
    await runner.query(`${lockForChange('order_units')};
      ALTER TABLE order_units ADD COLUMN IF NOT EXISTS merchant_id integer`);
    await this.nameMerchants(runner);
    await replaceIndexConcurrently(
      runner,
      'ix_order_units_due',
      'order_units',
      `(supplier_id, (CASE WHEN claimed_by IS NULL THEN merchant_id END), next_action_at) ${OPTIONS}`,
    );
    // Claimed units are one range of the index.
    await runner.query(`
      CREATE OR REPLACE FUNCTION units_in_flight(supplier integer) RETURNS bigint LANGUAGE sql VOLATILE AS $$
        SELECT count(*) FROM order_units
        WHERE supplier_id = supplier AND (CASE WHEN claimed_by IS NULL THEN merchant_id END) IS NULL
          AND next_action_at > clock_timestamp() AND claimed_by IS NOT NULL
      $$`);
  }

  /**
   * Writes the merchants of open units. It skips locked units and does not wait: workers claim them without a merchant.
   */
  private async nameMerchants(runner: QueryRunner): Promise<void> {
    const open = (await runner.query(`
      SELECT DISTINCT order_id FROM (
        SELECT order_id FROM order_units WHERE next_action_at IS NOT NULL AND merchant_id IS NULL
        UNION ALL SELECT order_id FROM order_units WHERE state = 'review' AND merchant_id IS NULL) units
      ORDER BY order_id`)) as { order_id: string }[];
    for (let first = 0; first < open.length; first += BATCH)
      await runner.query(
        `WITH unnamed AS (
           SELECT order_id, item, unit FROM order_units
           WHERE order_id = ANY($1::bigint[]) AND merchant_id IS NULL AND state NOT IN ('succeeded', 'failed')
           FOR NO KEY UPDATE SKIP LOCKED)
         UPDATE order_units u SET merchant_id = o.merchant_id FROM unnamed JOIN orders o ON o.id = unnamed.order_id
         WHERE u.order_id = unnamed.order_id AND u.item = unnamed.item AND u.unit = unnamed.unit`,
        [open.slice(first, first + BATCH).map(({ order_id }) => order_id)],
      );
  }

  /** In a transaction, because TypeORM begins one for each step back: writers wait while the index is built. */
  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP INDEX IF EXISTS ix_order_units_due`);
    await runner.query(`CREATE INDEX ix_order_units_due ON order_units (supplier_id, next_action_at) ${OPTIONS}`);
    await runner.query(`
      CREATE OR REPLACE FUNCTION units_in_flight(supplier integer) RETURNS bigint LANGUAGE sql VOLATILE AS $$
        SELECT count(*) FROM order_units
        WHERE supplier_id = supplier AND next_action_at > clock_timestamp() AND claimed_by IS NOT NULL
      $$`);
    await runner.query(`ALTER TABLE order_units DROP COLUMN IF EXISTS merchant_id`);
    await runner.query(`ALTER TABLE merchants DROP COLUMN IF EXISTS weight`);
  }
}
