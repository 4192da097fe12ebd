import { DELIVERED_EVENTS, type DeliveredEvent } from '../events/event.entity.js';
import { DELIVERY_STATUSES, type DeliveryStatus } from './delivery.entity.js';
import type { Statement } from '../database/database.js';
import { firstIdSince } from '../database/first-id-since.sql.js';
import { statement } from '../database/parameters.js';
import { MAX_BIGINT } from '../core/pagination.js';

/** An attempt in flight does not count yet: `attempt_count` says how many are in the log. */
const COLUMNS = `d.id, d.webhook_id, e.public_id AS event_id, e.kind AS event, e.reference_id, d.status,
  d.attempt_count - (d.leased_until IS NOT NULL)::int AS attempt_count, d.due_at, d.created_at, d.updated_at`;

const FROM = 'FROM webhook_deliveries d JOIN events e ON e.id = d.event_id';

/**
 * The newest deliveries of some webhooks, before an id. The index has them in order for each status and kind of a
 * webhook by itself, so that as many are read of each, and the newest of these are taken. They are asked for in an
 * order that only this index gives: by the primary key all others' deliveries would be read, too.
 * @param webhooks a table with a `webhook_id` each.
 */
const newest = (webhooks: string, statuses: string, kinds: string, before: string, limit: string): string => `
  SELECT ${COLUMNS} FROM (
    SELECT found.id
    FROM ${webhooks}, unnest(${statuses}::text[]) AS status, unnest(${kinds}::text[]) AS kind, LATERAL (
      SELECT p.id FROM webhook_deliveries p
      WHERE p.webhook_id = webhooks.webhook_id AND p.status = status.status
        AND (p.kind, p.id + 0) < (kind.kind, ${before}) AND p.kind >= kind.kind
      ORDER BY p.kind DESC, p.id + 0 DESC LIMIT ${limit}) AS found
    ORDER BY found.id DESC LIMIT ${limit}) AS page
  JOIN webhook_deliveries d ON d.id = page.id JOIN events e ON e.id = d.event_id
  ORDER BY d.id DESC`;

export const PAGE: Statement = {
  name: 'webhook_deliveries.page',
  text: newest('(SELECT $1::int AS webhook_id) AS webhooks', '$2', '$3', '$4::bigint', '$5'),
};

export interface DeliveryFilter {
  status?: DeliveryStatus | undefined;
  event?: DeliveredEvent | undefined;
}

/** For {@link PAGE}. @param before the last id of the page before, null for the first page. */
export const pageValues = (
  webhookId: number,
  { status, event }: DeliveryFilter,
  before: bigint | null,
  limit: number,
): unknown[] => [
  webhookId,
  status === undefined ? DELIVERY_STATUSES : [status],
  event === undefined ? DELIVERED_EVENTS : [event],
  before ?? MAX_BIGINT,
  limit,
];

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

/** Deliveries of all of a merchant's webhooks, deleted ones included. $1 merchant, $2 statuses, $3 how many. */
export const FIND_OF_MERCHANT: Statement = {
  name: 'webhook_deliveries.find_of_merchant',
  text: newest(
    '(SELECT id AS webhook_id FROM webhooks WHERE merchant_id = $1) AS webhooks',
    '$2',
    `'{${DELIVERED_EVENTS.join(',')}}'`,
    `${MAX_BIGINT}`,
    '$3',
  ),
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

const WHICH = {
  ...({ merchantId: 'int', webhookId: 'int?', status: 'text', event: 'text?' } as const),
  ...({ since: 'timestamptz', above: 'bigint', upTo: 'bigint?' } as const),
};

/** Of a merchant's webhooks that are active, what no attempt is made of at present. @param live has their ids. */
const retryable = (live: string, { status, event, since, above, upTo }: Record<keyof typeof WHICH, string>): string => `
  webhook_id IN (SELECT id FROM ${live}) AND id > ${above} AND (${upTo} IS NULL OR id <= ${upTo})
  AND created_at >= ${since} AND status = ${status} AND (${event} IS NULL OR kind = ${event}) AND leased_until IS NULL`;

const live = ({ merchantId, webhookId }: Record<keyof typeof WHICH, string>): string => `
  SELECT id FROM webhooks WHERE merchant_id = ${merchantId} AND (${webhookId} IS NULL OR id = ${webhookId})
    AND status = 'active' AND deleted_at IS NULL`;

export const RETRY_MANY = statement(
  'webhook_deliveries.retry_many',
  { ...WHICH, limit: 'int' },
  ({ limit, ...which }) => `
    WITH live AS MATERIALIZED (${live(which)} ORDER BY id FOR SHARE),
    picked AS (
      SELECT id FROM webhook_deliveries WHERE ${retryable('live', which)}
      ORDER BY id LIMIT ${limit} FOR NO KEY UPDATE)
    UPDATE webhook_deliveries d SET ${RETRY} FROM picked WHERE d.id = picked.id
    RETURNING d.id, d.webhook_id`,
);

export const COUNT_RETRYABLE = statement(
  'webhook_deliveries.count_retryable',
  WHICH,
  (which) => `
    WITH live AS MATERIALIZED (${live(which)})
    SELECT count(*) AS count FROM webhook_deliveries WHERE ${retryable('live', which)}`,
);

export const FIRST_ID_SINCE = firstIdSince('webhook_deliveries.first_id_since', 'webhook_deliveries');

export const LAST_ID: Statement = {
  name: 'webhook_deliveries.last_id',
  text: 'SELECT coalesce(max(id), 0) AS id FROM webhook_deliveries',
};

/** An event of its own, under the wallet's lock as every event is (see `recordEvents`), and its one delivery. */
export const RECORD_TEST = statement(
  'webhook_deliveries.record_test',
  { merchantId: 'int', webhookId: 'int', eventId: 'text', body: 'text', now: 'timestamptz' },
  ({ merchantId, webhookId, eventId, body, now }) => `
    WITH turn AS MATERIALIZED (
      SELECT merchant_id FROM wallets WHERE merchant_id = ${merchantId} FOR NO KEY UPDATE),
    recorded AS (
      INSERT INTO events (public_id, merchant_id, kind, body, created_at)
      SELECT ${eventId}, merchant_id, 'webhook.test', ${body}, ${now} FROM turn RETURNING id)
    INSERT INTO webhook_deliveries (webhook_id, event_id, kind, automatic, due_at, created_at, updated_at)
    SELECT ${webhookId}, id, 'webhook.test', false, ${now}, ${now}, ${now} FROM recorded
    RETURNING id`,
);
