import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Each creation of a deposit counts the amounts that are reserved for the merchant: this index keeps that fast. */
export class HeldAmounts1763900000022 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE INDEX ix_deposits_merchant_held ON deposits (merchant_id, channel_id) WHERE holds_amount`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX ix_deposits_merchant_held');
  }
}
