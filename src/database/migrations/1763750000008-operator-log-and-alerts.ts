import type { MigrationInterface, QueryRunner } from 'typeorm';

const ORDER_EVENTS = `'order.completed', 'order.failed'`;
const LOW_BALANCE = `'wallet.low_balance'`;

/** What the operator's log is searched by; and merchants who are told when their balance falls below a threshold. */
export class OperatorLogAndAlerts1763750000008 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`CREATE INDEX ix_operator_actions_created_at ON operator_actions (created_at)`);
    await runner.query(`
      CREATE INDEX ix_operator_actions_merchant ON operator_actions (merchant_id, id DESC)
      WHERE merchant_id IS NOT NULL`);
    await runner.query(`
      ALTER TABLE wallets ADD COLUMN alert_below bigint
        CONSTRAINT ck_wallets_alert_below CHECK (alert_below > 0)`);
    await allowEvents(runner, `${ORDER_EVENTS}, ${LOW_BALANCE}`, `'webhook.test', ${LOW_BALANCE}`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await allowEvents(runner, ORDER_EVENTS, `'webhook.test'`);
    await runner.query(`ALTER TABLE wallets DROP COLUMN alert_below`);
    await runner.query(`DROP INDEX ix_operator_actions_created_at, ix_operator_actions_merchant`);
  }
}

/** The rows that are there passed the rules before: reading a large table again would only keep its writers waiting. */
async function allowEvents(runner: QueryRunner, subscribable: string, withoutOrder: string): Promise<void> {
  await runner.query(`
    ALTER TABLE webhooks DROP CONSTRAINT ck_webhooks_events, ADD CONSTRAINT ck_webhooks_events
      CHECK (cardinality(events) > 0 AND events <@ ARRAY[${subscribable}]) NOT VALID`);
  await runner.query(`
    ALTER TABLE events
      DROP CONSTRAINT ck_events_kind,
      ADD CONSTRAINT ck_events_kind CHECK (kind IN (${subscribable}, 'webhook.test')) NOT VALID,
      DROP CONSTRAINT ck_events_order,
      ADD CONSTRAINT ck_events_order CHECK ((kind IN (${withoutOrder})) = (order_id IS NULL)) NOT VALID`);
}
