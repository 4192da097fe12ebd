import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The amounts that are reserved for a merchant are counted at each creation of a deposit. */
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
