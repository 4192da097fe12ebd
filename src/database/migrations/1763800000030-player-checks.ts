import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Who is asked whether a player of a product exists. Undoing this loses what operators have set. */
export class PlayerChecks1763800000030 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE products
        ADD COLUMN player_check text
          CONSTRAINT ck_products_player_check CHECK (length(player_check) BETWEEN 1 AND 128)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE products DROP COLUMN player_check`);
  }
}
