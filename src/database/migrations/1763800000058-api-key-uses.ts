import type { MigrationInterface, QueryRunner } from 'typeorm';

/** When a key was last used, to the hour. */
export class ApiKeyUses1763800000058 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE api_keys ADD COLUMN last_used_at timestamptz(3)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE api_keys DROP COLUMN last_used_at');
  }
}
