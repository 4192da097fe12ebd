import type { MigrationInterface, QueryRunner } from 'typeorm';
import { lockForChange } from '../migration-locks.js';

/** Events about deposits, for webhooks that ask for them. */
export class DepositEvents1763900000017 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await allow(
      runner,
      ['order.completed', 'order.failed', 'wallet.low_balance', 'deposit.paid', 'deposit.expired'],
      `(kind LIKE 'order.%') = (order_id IS NOT NULL)`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    const ours = `ARRAY['deposit.paid', 'deposit.expired']`;
    await runner.query(`
      UPDATE webhooks SET status = CASE WHEN events <@ ${ours} THEN 'inactive' ELSE status END,
             events = CASE WHEN events <@ ${ours} THEN ARRAY['order.completed', 'order.failed']
                           ELSE array_remove(array_remove(events, 'deposit.paid'), 'deposit.expired') END
      WHERE events && ${ours}`);
    await allow(
      runner,
      ['order.completed', 'order.failed', 'wallet.low_balance'],
      `(kind IN ('webhook.test', 'wallet.low_balance')) = (order_id IS NULL)`,
    );
  }
}

/** @param kinds that webhooks may ask for. @param ofOrder which events are about an order. */
async function allow(runner: QueryRunner, kinds: string[], ofOrder: string): Promise<void> {
  await runner.query(lockForChange('webhooks, events'));
  const quoted = kinds.map((kind) => `'${kind}'`).join(', ');
  await runner.query(`
    ALTER TABLE webhooks DROP CONSTRAINT ck_webhooks_events,
      ADD CONSTRAINT ck_webhooks_events CHECK (cardinality(events) > 0 AND events <@ ARRAY[${quoted}]) NOT VALID`);
  await runner.query(`
    ALTER TABLE events DROP CONSTRAINT ck_events_kind, DROP CONSTRAINT ck_events_order,
      ADD CONSTRAINT ck_events_kind CHECK (kind IN (${quoted}, 'webhook.test')) NOT VALID,
      ADD CONSTRAINT ck_events_order CHECK (${ofOrder}) NOT VALID`);
}
