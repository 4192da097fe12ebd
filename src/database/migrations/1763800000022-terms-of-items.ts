import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What an item was ordered for at its supplier: how the player is written, the expected cost, and its limit. */
export class TermsOfItems1763800000022 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE order_items
        ADD COLUMN player_template text,
        ADD COLUMN expected_cost_micros bigint,
        ADD COLUMN max_cost_micros bigint,
        ADD COLUMN cost_currency text,
        ADD COLUMN baht_per_unit numeric(20, 10)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE order_items
        DROP COLUMN player_template, DROP COLUMN expected_cost_micros, DROP COLUMN max_cost_micros,
        DROP COLUMN cost_currency, DROP COLUMN baht_per_unit`);
  }
}
