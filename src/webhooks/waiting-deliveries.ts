import { Injectable } from '@nestjs/common';
import { Database, type Statement } from '../database/database.js';

const BATCH = 5_000;

/** A test event goes to an inactive webhook too, not to a deleted one. */
const CANCEL: Statement = {
  name: 'webhook_deliveries.cancel_waiting',
  text: `
    UPDATE webhook_deliveries d
    SET status = 'cancelled', due_at = NULL, updated_at = statement_timestamp()
    WHERE d.id IN (
      SELECT waiting.id FROM webhook_deliveries waiting
      JOIN webhooks w ON w.id = waiting.webhook_id
      JOIN events e ON e.id = waiting.event_id
      WHERE waiting.webhook_id = $1 AND waiting.due_at IS NOT NULL
        AND (w.deleted_at IS NOT NULL OR (w.status = 'inactive' AND e.kind <> 'webhook.test'))
      LIMIT $2)
      AND d.due_at IS NOT NULL
    RETURNING d.id`,
};

const RESCHEDULE: Statement = {
  name: 'webhook_deliveries.reschedule',
  text: `
    UPDATE webhook_deliveries d
    SET due_at = greatest(d.attempt_ended_at + make_interval(secs => w.retry_delay), d.retry_after_at)
    FROM webhooks w
    WHERE w.id = $1 AND d.webhook_id = w.id AND d.due_at IS NOT NULL AND d.automatic AND d.attempt_count > 0`,
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
