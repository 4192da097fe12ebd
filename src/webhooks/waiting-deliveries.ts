import { Injectable } from '@nestjs/common';
import { Database, type Statement } from '../database/database.js';

const BATCH = 5_000;

// Rows are locked in the order of ids, here and by whatever else takes many of them, so that nobody waits in a circle.

/** A test event goes to an inactive webhook too, not to a deleted one. $1 webhook, $2 how many. */
const CANCEL: Statement = {
  name: 'webhook_deliveries.cancel_waiting',
  text: `
    WITH waiting AS (
      SELECT d.id FROM webhook_deliveries d
      JOIN webhooks w ON w.id = d.webhook_id
      JOIN events e ON e.id = d.event_id
      WHERE d.webhook_id = $1 AND d.due_at IS NOT NULL
        AND (w.deleted_at IS NOT NULL OR (w.status = 'inactive' AND e.kind <> 'webhook.test'))
      ORDER BY d.id LIMIT $2 FOR NO KEY UPDATE OF d)
    UPDATE webhook_deliveries d
    SET status = 'cancelled', due_at = NULL, updated_at = statement_timestamp()
    FROM waiting WHERE d.id = waiting.id
    RETURNING d.id`,
};

/** $1 webhook. */
const RESCHEDULE: Statement = {
  name: 'webhook_deliveries.reschedule',
  text: `
    WITH waiting AS (
      SELECT d.id, w.retry_delay FROM webhook_deliveries d JOIN webhooks w ON w.id = d.webhook_id
      WHERE d.webhook_id = $1 AND d.due_at IS NOT NULL AND d.automatic AND d.is_retry
      ORDER BY d.id FOR NO KEY UPDATE OF d)
    UPDATE webhook_deliveries d
    SET due_at = greatest(d.attempt_ended_at + make_interval(secs => waiting.retry_delay), d.retry_after_at)
    FROM waiting WHERE d.id = waiting.id`,
};

/** What a change of a webhook means for its deliveries that wait for an attempt. */
@Injectable()
export class WaitingDeliveries {
  constructor(private readonly database: Database) {}

  /**
   * Ends what waits for a webhook that is inactive or deleted by now, in small steps, so that no order that ends at
   * the same time waits for a long one. What a crash leaves waiting, the dispatcher ends when it is due.
   */
  async cancel(webhookId: number): Promise<void> {
    let cancelled: { id: bigint }[];
    do {
      cancelled = await this.database.query<{ id: bigint }>(CANCEL, [webhookId, BATCH]);
    } while (cancelled.length === BATCH);
  }

  /** Lets automatic retries that wait already follow the webhook's present `retry_delay`. */
  async reschedule(webhookId: number): Promise<void> {
    await this.database.query(RESCHEDULE, [webhookId]);
  }
}
