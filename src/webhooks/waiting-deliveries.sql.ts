import type { Statement } from '../database/database.js';
import { statement } from '../database/parameters.js';
import type { Delivery } from './delivery.entity.js';
import type { Webhook } from './webhook.entity.js';

/** The first half of the advisory locks' keys: arbitrary, but unique among ours. */
const STEP_LOCKS = 7_038_169;

/** Steps of one webhook take turns. $1 webhook. */
export const LOCK_STEPS: Statement = {
  name: 'webhook_deliveries.lock_steps',
  text: `SELECT pg_advisory_xact_lock(${STEP_LOCKS}, $1)`,
};

export interface Step {
  /** When the webhook was changed last, before the step. */
  changed_at: Webhook['updated_at'];
  /** How many deliveries were looked at. */
  seen: number;
  /** The last of them; null when there was none. */
  last_kind: Delivery['kind'] | null;
  last_id: Delivery['id'] | null;
}

/**
 * The next of a webhook's waiting deliveries, in the order of the index of pages, follow its settings. A test event
 * stays for an inactive webhook, not for a deleted one. Rows are locked in the order of ids, as by whatever else takes
 * many of them, so that nobody waits in a circle.
 */
export const STEP = statement(
  'webhook_deliveries.follow_webhook',
  { webhookId: 'int', afterKind: 'text', afterId: 'bigint', limit: 'int' },
  ({ webhookId, afterKind, afterId, limit }) => `
    WITH hook AS MATERIALIZED (
      SELECT id, updated_at, retry_delay, deleted_at IS NOT NULL AS is_deleted, status = 'inactive' AS is_inactive
      FROM webhooks WHERE id = ${webhookId}),
    next AS MATERIALIZED (
      SELECT d.id, d.kind FROM hook CROSS JOIN LATERAL (
        SELECT id, kind FROM webhook_deliveries
        WHERE webhook_id = hook.id AND status = 'pending' AND (kind, id + 0) > (${afterKind}, ${afterId})
        ORDER BY kind, id + 0 LIMIT ${limit}) AS d),
    waiting AS MATERIALIZED (
      SELECT d.id, hook.is_deleted OR (hook.is_inactive AND d.kind <> 'webhook.test') AS is_over,
        d.automatic AND d.is_retry AS is_movable,
        greatest(d.attempt_ended_at + make_interval(secs => hook.retry_delay), d.retry_after_at) AS due_at
      FROM next JOIN webhook_deliveries d ON d.id = next.id CROSS JOIN hook
      WHERE d.due_at IS NOT NULL
      ORDER BY d.id FOR NO KEY UPDATE OF d),
    cancelled AS (
      UPDATE webhook_deliveries d SET status = 'cancelled', due_at = NULL, updated_at = statement_timestamp()
      FROM waiting WHERE d.id = waiting.id AND waiting.is_over),
    moved AS (
      UPDATE webhook_deliveries d SET due_at = waiting.due_at
      FROM waiting WHERE d.id = waiting.id AND NOT waiting.is_over AND waiting.is_movable
        AND d.due_at <> waiting.due_at)
    SELECT hook.updated_at AS changed_at, (SELECT count(*)::int FROM next) AS seen,
           (SELECT kind FROM next ORDER BY kind DESC LIMIT 1) AS last_kind,
           (SELECT id FROM next ORDER BY kind DESC, id DESC LIMIT 1) AS last_id
    FROM hook`,
);

/** All that waits follows the webhook as it was changed last; no row when it has changed since. $1 webhook, $2 when. */
export const FINISH: Statement = {
  name: 'webhooks.waiting_follows',
  text: `UPDATE webhooks SET waiting_is_stale = false WHERE id = $1 AND updated_at = $2 RETURNING id`,
};

export const FIND_STALE: Statement = {
  name: 'webhooks.find_stale',
  text: `SELECT id FROM webhooks WHERE waiting_is_stale ORDER BY id`,
};
