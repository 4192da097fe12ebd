import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What was done to one product: also as one of many that a file or a percentage changed. Orders write none of it. */
const INDEX = `ix_operator_actions_product ON operator_actions USING gin (detail jsonb_path_ops)
  WHERE action IN ('product.set', 'product.import', 'offer.set', 'offer.remove', 'price.set', 'price.clear', 'price.import', 'price.adjust')`;

export class ProductHistory1763800000048 implements MigrationInterface {
  /** Built beside those who write. */
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    // One whose build was interrupted is there, and not valid.
    await runner.query(`DROP INDEX CONCURRENTLY IF EXISTS ix_operator_actions_product`);
    await runner.query(`CREATE INDEX CONCURRENTLY ${INDEX}`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP INDEX ix_operator_actions_product`);
  }
}
