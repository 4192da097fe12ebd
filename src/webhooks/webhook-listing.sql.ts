import { MAX_BIGINT } from '../core/pagination.js';
import type { Statement } from '../database/database.js';
import { selectFirstIdSince } from '../database/first-id-since.sql.js';
import { statement } from '../database/parameters.js';
import { DELIVERED_EVENTS, type DeliveredEvent, type Event } from '../events/event.entity.js';
import type { DeliveryAttempt } from './delivery-attempt.entity.js';
import { DELIVERY_STATUSES, UNDELIVERED, type Delivery, type DeliveryStatus } from './delivery.entity.js';
import type { Webhook } from './webhook.entity.js';

/** Waiting deliveries above this are not counted. */
export const COUNTED_AT_MOST = 1_000;
/** A webhook's share of successes is that of so many of its latest deliveries at most. */
export const SHARE_OF = 100;

/** How deliveries to a webhook go. */
export interface WebhookHealth {
  /** When the latest of its deliveries that succeeded did. */
  last_success_at: Date | null;
  /** When the first delivery was made of those that failed since; null where none did. */
  failing_since: Date | null;
  /** Deliveries that wait, and attempts in flight; one more than {@link COUNTED_AT_MOST} stands for more. */
  waiting: number;
  /** Of its deliveries of 24 hours that have ended, the latest {@link SHARE_OF}. */
  ended: number;
  succeeded: number;
}

/** A webhook with its merchant's name. */
export type WebhookRow = Omit<Webhook, 'secret_sealed' | 'previous_secret_sealed' | 'waiting_is_stale'> &
  WebhookHealth & { merchant_name: string };

const WEBHOOK = ['id', 'merchant_id', 'url', 'events', 'secret_hint', 'previous_secret_expires_at', 'status']
  .concat(['max_retries', 'retry_delay', 'include_deliveries', 'created_at', 'updated_at', 'deleted_at'])
  .map((column) => `w.${column}`)
  .join(', ');

const KINDS = `unnest('{${DELIVERED_EVENTS.join(',')}}'::text[]) AS kind`;

/**
 * A webhook's deliveries of one status, newest or oldest first, by the index of pages, which has them in order for each kind.
 * Asked for in an order that only this index gives.
 */
const ofStatus = (status: string, limit: number | string, { after = '', oldest = false } = {}): string => {
  const order = oldest ? 'p.kind, p.id + 0' : 'p.kind DESC, p.id + 0 DESC';
  return `
    SELECT found.* FROM ${KINDS}, LATERAL (
      SELECT p.id, p.status, p.created_at, p.attempt_ended_at FROM webhook_deliveries p
      WHERE p.webhook_id = w.id AND p.status = '${status}' AND p.kind = kind.kind ${after && `AND p.id + 0 > ${after}`}
      ORDER BY ${order} LIMIT ${limit}) AS found`;
};

/** In the index's order, so that no more are read than are counted. */
const waiting = (condition: string, order: string): string => `
  SELECT 1 FROM webhook_deliveries p WHERE p.webhook_id = w.id AND p.${condition}
  ORDER BY ${order} LIMIT ${COUNTED_AT_MOST + 1}`;

/** No delivery of 24 hours has this id or a lower one, also where clocks differ. */
const BEFORE_THE_DAY = `coalesce(
  (${selectFirstIdSince('webhook_deliveries', `statement_timestamp() - interval '24 hours 10 minutes'`)}), 0) - 1`;

/** Of the day alone: else each idle webhook would have its last ones read, wherever they are, to be left out. */
const ofTheDay = (status: string): string => ofStatus(status, SHARE_OF, { after: BEFORE_THE_DAY });

const LATEST_SUCCESS = `(${ofStatus('succeeded', 1)} ORDER BY found.id DESC LIMIT 1)`;

/** Since when the deliveries to each webhook `w` fail, after its latest success. */
const FAILING = `
  LEFT JOIN LATERAL ${LATEST_SUCCESS} AS success ON true
  CROSS JOIN LATERAL (
    SELECT min(bad.created_at) AS failing_since FROM (
      SELECT * FROM (${ofStatus('failed', 1, { after: 'coalesce(success.id, 0)', oldest: true })}) AS first_failed
      UNION ALL
      (SELECT p.id, p.status, p.created_at, p.attempt_ended_at FROM webhook_deliveries p
       WHERE p.webhook_id = w.id AND p.is_retry AND p.due_at IS NOT NULL ORDER BY p.due_at LIMIT ${SHARE_OF})) AS bad
    WHERE bad.id > coalesce(success.id, 0)) AS failing`;

/** What is told of each webhook `w`; each part reads some hundred rows at most. */
const HEALTH = `${FAILING}
  CROSS JOIN LATERAL (
    SELECT count(*)::int AS waiting FROM ((${waiting('due_at IS NOT NULL', 'p.is_retry, p.due_at')}) UNION ALL (${waiting('leased_until IS NOT NULL', 'p.leased_until')})) AS each) AS queue
  CROSS JOIN LATERAL (
    SELECT count(*)::int AS ended, (count(*) FILTER (WHERE latest.status = 'succeeded'))::int AS succeeded FROM (
      SELECT * FROM ((${ofTheDay('succeeded')}) UNION ALL (${ofTheDay('failed')})) AS both_ends
      ORDER BY id DESC LIMIT ${SHARE_OF}) AS latest
    WHERE latest.created_at > statement_timestamp() - interval '24 hours') AS share`;

const WITH_HEALTH = `${WEBHOOK}, m.name AS merchant_name, success.attempt_ended_at AS last_success_at,
  failing.failing_since, queue.waiting, share.ended, share.succeeded`;

/** Newest first, without those that were deleted. */
export const LIST_WEBHOOKS = statement(
  'webhook_listing.list',
  { merchantId: 'int?', status: 'text?', before: 'int', limit: 'int' },
  ({ merchantId, status, before, limit }) => `
    SELECT ${WITH_HEALTH} FROM (
      SELECT * FROM webhooks WHERE deleted_at IS NULL AND id < ${before}
        AND (${merchantId} IS NULL OR merchant_id = ${merchantId}) AND (${status} IS NULL OR status = ${status})
      ORDER BY id DESC LIMIT ${limit}) AS w
    JOIN merchants m ON m.id = w.merchant_id ${HEALTH}
    ORDER BY w.id DESC`,
);

/**
 * Those in use that fail for an hour or more and had no success since, newest first, without those of sandbox merchants. Each
 * webhook in use costs some look-ups by index; what is counted besides is counted only of those that are found.
 */
export const LIST_FAILING = statement(
  'webhook_listing.list_failing',
  { merchantId: 'int?', before: 'int', limit: 'int' },
  ({ merchantId, before, limit }) => `
    WITH found AS MATERIALIZED (
      SELECT w.id FROM webhooks w JOIN merchants m ON m.id = w.merchant_id AND NOT m.sandbox ${FAILING}
      WHERE w.deleted_at IS NULL AND w.status = 'active' AND w.id < ${before}
        AND (${merchantId} IS NULL OR w.merchant_id = ${merchantId})
        AND failing.failing_since < statement_timestamp() - interval '1 hour'
      ORDER BY w.id DESC LIMIT ${limit})
    SELECT ${WITH_HEALTH} FROM found JOIN webhooks w ON w.id = found.id
    JOIN merchants m ON m.id = w.merchant_id ${HEALTH}
    ORDER BY w.id DESC`,
);

/** Also one that was deleted. */
export const FIND_WEBHOOK = statement(
  'webhook_listing.find',
  { id: 'int' },
  ({ id }) => `
    SELECT ${WITH_HEALTH} FROM (SELECT * FROM webhooks WHERE id = ${id}) AS w
    JOIN merchants m ON m.id = w.merchant_id ${HEALTH}`,
);

/** A delivery with its webhook, its merchant, and its last attempt. */
export type ListedDelivery = Pick<
  Delivery,
  'id' | 'webhook_id' | 'status' | 'attempt_count' | 'due_at' | 'created_at' | 'updated_at'
> &
  Pick<Event, 'reference_id'> &
  Pick<Webhook, 'merchant_id' | 'url'> & {
    event_id: Event['public_id'];
    event: DeliveredEvent;
    in_flight: boolean;
    order_number: string | null;
    merchant_name: string;
    response_status: DeliveryAttempt['response_status'];
    error: DeliveryAttempt['error'];
    duration_ms: DeliveryAttempt['duration_ms'] | null;
  };

/** One delivery, with the event's body. */
export type ListedDeliveryDetail = ListedDelivery & Pick<Event, 'body'> & Pick<Webhook, 'include_deliveries'>;

const DELIVERY = `
  d.id, d.webhook_id, d.status, d.attempt_count - (d.leased_until IS NOT NULL)::int AS attempt_count, d.due_at,
  d.leased_until IS NOT NULL AS in_flight, d.created_at, d.updated_at, d.kind AS event, e.public_id AS event_id,
  e.reference_id, o.order_number, w.merchant_id, w.url, m.name AS merchant_name,
  a.response_status, a.error, a.duration_ms`;

const JOINED = `
  JOIN events e ON e.id = d.event_id
  LEFT JOIN orders o ON o.id = e.order_id
  JOIN webhooks w ON w.id = d.webhook_id
  JOIN merchants m ON m.id = w.merchant_id
  LEFT JOIN LATERAL (
    SELECT response_status, error, duration_ms FROM webhook_attempts
    WHERE delivery_id = d.id ORDER BY number DESC LIMIT 1) AS a ON true`;

export const FIND_DELIVERY = statement(
  'webhook_listing.find_delivery',
  { id: 'bigint' },
  ({ id }) => `
    SELECT ${DELIVERY}, e.body, w.include_deliveries
    FROM (SELECT * FROM webhook_deliveries WHERE id = ${id}) AS d ${JOINED}`,
);

/** Oldest first. $1 delivery. */
export const LIST_ATTEMPTS: Statement = {
  name: 'webhook_listing.list_attempts',
  text: `SELECT number, started_at, duration_ms, response_status, error, response_body FROM webhook_attempts
         WHERE delivery_id = $1 ORDER BY number`,
};

/** What must be true of a delivery; what is not given may be anything. */
export interface DeliveryListFilter {
  webhookId?: number | undefined;
  merchantId?: number | undefined;
  status?: DeliveryStatus | undefined;
  event?: DeliveredEvent | undefined;
  from?: Date | undefined;
}

/** So many of the newest deliveries are looked at before each webhook is. */
const NEWEST = 2_000;

export interface Conditions {
  statuses: string[];
  kinds: string[];
  from: Date;
  first: bigint;
  before: bigint;
  limit: number;
}

const CONDITIONS = {
  ...({ statuses: 'text[]', kinds: 'text[]', from: 'timestamptz' } as const),
  ...({ first: 'bigint', before: 'bigint', limit: 'int' } as const),
};

/**
 * The newest deliveries that the filter lets through, among the newest of all: most filters find a page there.
 * @returns fewer than the limit where there are not as many among them.
 */
export const PAGE_OF_NEWEST = statement(
  'webhook_listing.page_of_newest',
  CONDITIONS,
  ({ statuses, kinds, from, first, before, limit }) => `
    SELECT ${DELIVERY} FROM (
      SELECT * FROM (
        SELECT * FROM webhook_deliveries WHERE id < ${before} AND id >= ${first} ORDER BY id DESC LIMIT ${NEWEST}) AS newest
      WHERE status = ANY(${statuses}) AND kind = ANY(${kinds}) AND created_at >= ${from}
      ORDER BY id DESC LIMIT ${limit}) AS d ${JOINED}
    ORDER BY d.id DESC`,
);

/**
 * Those alone that failed or were cancelled, by the index of these: one look for each status and kind, however many webhooks
 * there are and however far back it goes. @see UNDELIVERED
 */
export const PAGE_OF_UNDELIVERED = statement(
  'webhook_listing.page_of_undelivered',
  CONDITIONS,
  ({ statuses, kinds, from, first, before, limit }) => `
    SELECT ${DELIVERY} FROM (
      SELECT found.id FROM unnest(${statuses}) AS status, unnest(${kinds}) AS kind, LATERAL (
        SELECT p.id FROM webhook_deliveries p
        WHERE p.status IN ('${UNDELIVERED.join("', '")}') AND p.status = status.status
          AND (p.kind, p.id + 0) < (kind.kind, ${before}) AND (p.kind, p.id + 0) >= (kind.kind, ${first})
          AND p.created_at >= ${from}
        ORDER BY p.kind DESC, p.id + 0 DESC LIMIT ${limit}) AS found
      ORDER BY found.id DESC LIMIT ${limit}) AS page
    JOIN webhook_deliveries d ON d.id = page.id ${JOINED}
    ORDER BY d.id DESC`,
);

/** Whether there are older ones than {@link PAGE_OF_NEWEST} looks at. */
export const HAS_OLDER = statement(
  'webhook_listing.has_older',
  { first: 'bigint', before: 'bigint' },
  ({ first, before }) => `
    SELECT EXISTS (SELECT FROM webhook_deliveries WHERE id < ${before} AND id >= ${first}
                   ORDER BY id DESC OFFSET ${NEWEST}) AS has_older`,
);

/**
 * The same by the index of pages, which has the deliveries of each webhook in order for each status and kind: one look
 * for each of these, however far back it goes.
 */
export const PAGE_BY_WEBHOOK = statement(
  'webhook_listing.page_by_webhook',
  { ...CONDITIONS, webhookId: 'int?', merchantId: 'int?' },
  ({ statuses, kinds, from, first, before, limit, webhookId, merchantId }) => `
    SELECT ${DELIVERY} FROM (
      SELECT found.id
      FROM (SELECT id FROM webhooks WHERE (${webhookId} IS NULL OR id = ${webhookId})
              AND (${merchantId} IS NULL OR merchant_id = ${merchantId})) AS hook,
        unnest(${statuses}) AS status, unnest(${kinds}) AS kind, LATERAL (
          SELECT p.id FROM webhook_deliveries p
          WHERE p.webhook_id = hook.id AND p.status = status.status
            AND (p.kind, p.id + 0) < (kind.kind, ${before}) AND (p.kind, p.id + 0) >= (kind.kind, ${first})
            AND p.created_at >= ${from}
          ORDER BY p.kind DESC, p.id + 0 DESC LIMIT ${limit}) AS found
      ORDER BY found.id DESC LIMIT ${limit}) AS page
    JOIN webhook_deliveries d ON d.id = page.id ${JOINED}
    ORDER BY d.id DESC`,
);

/** What both pages take. @param first no delivery of the time has a lower id. @param before the last one of the page before. */
export const conditionsOf = (
  { status, event, from }: DeliveryListFilter,
  { first, before, limit }: { first: bigint; before: bigint | null; limit: number },
): Conditions => ({
  first,
  limit,
  before: before ?? MAX_BIGINT,
  from: from ?? new Date(0),
  statuses: status === undefined ? [...DELIVERY_STATUSES] : [status],
  kinds: event === undefined ? [...DELIVERED_EVENTS] : [event],
});
