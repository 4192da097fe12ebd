import type { Statement } from '../database/database.js';
import type { DeliveryStatus } from './delivery.dto.js';

/** An attempt in flight does not count yet: `attempt_count` says how many are in the log. */
const COLUMNS = `d.id, d.webhook_id, e.public_id AS event_id, e.kind AS event, e.reference_id, d.status,
  d.attempt_count - (d.leased_until IS NOT NULL)::int AS attempt_count, d.due_at, d.created_at, d.updated_at`;

const FROM = 'FROM webhook_deliveries d JOIN events e ON e.id = d.event_id';

const page = (name: string, more = ''): Statement => ({
  name: `webhook_deliveries.page.${name}`,
  text: `SELECT ${COLUMNS} ${FROM}
         WHERE d.webhook_id = $1 AND ($2::bigint IS NULL OR d.id < $2) AND ($3::text IS NULL OR e.kind = $3) ${more}
         ORDER BY d.id DESC LIMIT $4`,
});

/** One statement per status, so that each is planned with the index that serves it. */
export const PAGES: Record<'all' | DeliveryStatus, Statement> = {
  all: page('all'),
  pending: page('pending', `AND d.status = 'pending'`),
  succeeded: page('succeeded', `AND d.status = 'succeeded'`),
  failed: page('failed', `AND d.status = 'failed'`),
  cancelled: page('cancelled', `AND d.status = 'cancelled'`),
};

export const FIND: Statement = {
  name: 'webhook_deliveries.find',
  text: `SELECT ${COLUMNS} ${FROM} WHERE d.id = $1`,
};

/** A delivery beside each of its attempts, in one answer, so that they always fit each other. */
export const FIND_WITH_ATTEMPTS: Statement = {
  name: 'webhook_deliveries.find_with_attempts',
  text: `SELECT d.*, a.number, a.started_at, a.duration_ms, a.response_status, a.error, a.response_body
         FROM (${FIND.text} AND d.webhook_id = $2) d LEFT JOIN webhook_attempts a ON a.delivery_id = d.id
         ORDER BY a.number`,
};

/** Deliveries of all of a merchant's webhooks, deleted ones included. */
export const FIND_OF_MERCHANT: Statement = {
  name: 'webhook_deliveries.find_of_merchant',
  text: `SELECT ${COLUMNS} ${FROM}
         WHERE d.webhook_id IN (SELECT id FROM webhooks WHERE merchant_id = $1)
           AND ($2::text IS NULL OR d.status = $2)
         ORDER BY d.id DESC LIMIT $3`,
};

export interface LockedWebhook {
  status: 'active' | 'inactive';
  now: Date;
}

/** The settings stay as they are until the transaction ends. */
export const LOCK_WEBHOOK: Statement = {
  name: 'webhooks.lock',
  text: `SELECT status, date_trunc('milliseconds', statement_timestamp()) AS now FROM webhooks
         WHERE id = $1 AND merchant_id = $2 AND deleted_at IS NULL FOR SHARE`,
};

export const LOCK_DELIVERY: Statement = {
  name: 'webhook_deliveries.lock',
  text: `SELECT leased_until IS NOT NULL AS in_flight FROM webhook_deliveries
         WHERE id = $1 AND webhook_id = $2 FOR NO KEY UPDATE`,
};

const RETRY = `status = 'pending', automatic = false, due_at = statement_timestamp(), updated_at = statement_timestamp()`;

export const RETRY_DELIVERY: Statement = {
  name: 'webhook_deliveries.retry',
  text: `UPDATE webhook_deliveries SET ${RETRY} WHERE id = $1`,
};

/** $1 merchant, $2 status, $3 created since, $4 only ids above, $5 how many. */
export const RETRY_MANY: Statement = {
  name: 'webhook_deliveries.retry_many',
  text: `
    WITH live AS MATERIALIZED (
      SELECT id FROM webhooks WHERE merchant_id = $1 AND status = 'active' AND deleted_at IS NULL
      ORDER BY id FOR SHARE),
    picked AS (
      SELECT id FROM webhook_deliveries
      WHERE webhook_id IN (SELECT id FROM live) AND id > $4 AND created_at >= $3 AND status = $2
        AND leased_until IS NULL
      ORDER BY id LIMIT $5 FOR NO KEY UPDATE)
    UPDATE webhook_deliveries d SET ${RETRY} FROM picked WHERE d.id = picked.id
    RETURNING d.id, d.webhook_id`,
};

/** $1 merchant, $2 status, $3 created since. */
export const COUNT_RETRYABLE: Statement = {
  name: 'webhook_deliveries.count_retryable',
  text: `
    SELECT count(*) AS count FROM webhook_deliveries
    WHERE webhook_id IN (SELECT id FROM webhooks WHERE merchant_id = $1 AND status = 'active' AND deleted_at IS NULL)
      AND created_at >= $3 AND status = $2 AND leased_until IS NULL`,
};

/** $1 webhook, $2 merchant, $3 the event's id, $4 its body, $5 now. */
export const RECORD_TEST: Statement = {
  name: 'webhook_deliveries.record_test',
  text: `
    WITH recorded AS (
      INSERT INTO events (public_id, merchant_id, kind, body, created_at)
      VALUES ($3, $2, 'webhook.test', $4, $5) RETURNING id)
    INSERT INTO webhook_deliveries (webhook_id, event_id, automatic, due_at, created_at, updated_at)
    SELECT $1, id, false, $5, $5, $5 FROM recorded
    RETURNING id`,
};
