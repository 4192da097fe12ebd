import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Which webhooks have deliveries waiting that may not follow a change of their settings yet, so that no crash ends it. */
export class StaleWaiting1763800000013 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE webhooks ADD COLUMN waiting_is_stale boolean NOT NULL DEFAULT false`);
    await runner.query(`CREATE INDEX ix_webhooks_stale ON webhooks (id) WHERE waiting_is_stale`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE webhooks DROP COLUMN waiting_is_stale`);
  }
}
