import type { MigrationInterface, QueryRunner } from 'typeorm';

/** A claim that was taken over is remembered: its worker may know that nothing was sent under it. */
export class InterruptedClaims1763800000062 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE order_units ADD COLUMN interrupted_claim text`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE order_units DROP COLUMN interrupted_claim`);
  }
}
