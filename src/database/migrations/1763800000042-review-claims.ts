import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Who is looking after a unit in doubt, so that two operators don't ask the same supplier. */
export class ReviewClaims1763800000042 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE review_claims (
        order_id bigint NOT NULL,
        item smallint NOT NULL,
        unit smallint NOT NULL,
        operator_id integer NOT NULL CONSTRAINT fk_review_claims_operator REFERENCES operators,
        claimed_until timestamptz(3) NOT NULL,
        CONSTRAINT pk_review_claims PRIMARY KEY (order_id, item, unit),
        CONSTRAINT fk_review_claims_unit FOREIGN KEY (order_id, item, unit) REFERENCES order_units
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE review_claims`);
  }
}
