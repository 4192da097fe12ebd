import { MAX_BIGINT } from '../core/pagination.js';
import type { Statement } from '../database/database.js';
import { selectFirstIdSince } from '../database/first-id-since.sql.js';
import { statement } from '../database/parameters.js';
import { DELIVERED_EVENTS, type DeliveredEvent, type Event } from '../events/event.entity.js';
import type { DeliveryAttempt } from './delivery-attempt.entity.js';
import { attemptsOf, DELIVERY_ATTEMPTS } from './delivery-attempts.sql.js';
import { DELIVERY_STATUSES, UNDELIVERED, type Delivery, type DeliveryStatus } from './delivery.entity.js';
import type { Webhook, WebhookStatus } from './webhook.entity.js';

/** Waiting deliveries are counted up to this number plus one. Attempts in flight have the same limit, separately. */
export const MAX_COUNTED = 1_000;
/** The maximum number of ended deliveries, the latest ones, from which the share of successes is computed. */
const SHARE_OF = 100;

/** The state of the deliveries to a webhook. */
interface WebhookHealth {
  /** When the latest successful delivery succeeded. */
  last_success_at: Date | null;
  /**
   * When the first failing delivery after the latest success was created: one that failed or waits for a retry. Null if
   * there is none.
   */
  failing_since: Date | null;
  /** The number of waiting deliveries and attempts in flight. If it is above {@link MAX_COUNTED}, there may be more. */
  waiting: number;
  /** The number of deliveries of the last 24 hours that succeeded or failed: the latest {@link SHARE_OF} at most. */
  ended: number;
  /** How many of these succeeded. */
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
 * Up to `limit` deliveries of each kind, newest or oldest first, for a webhook `w` and a status. `p.id + 0` makes PostgreSQL use
 * `ix_webhook_deliveries_page`, which has the deliveries in this order.
 */
const ofStatus = (status: string, limit: number | string, { after = '', oldest = false } = {}): string => {
  const order = oldest ? 'p.kind, p.id + 0' : 'p.kind DESC, p.id + 0 DESC';
  return `
    SELECT found.* FROM ${KINDS}, LATERAL (
      SELECT p.id, p.status, p.created_at, p.attempt_ended_at FROM webhook_deliveries p
      WHERE p.webhook_id = w.id AND p.status = '${status}' AND p.kind = kind.kind ${after && `AND p.id + 0 > ${after}`}
      ORDER BY ${order} LIMIT ${limit}) AS found`;
};

/** Selects deliveries to count. `order` is the order of an index, so that PostgreSQL reads only the counted rows. */
const waiting = (condition: string, order: string): string => `
  SELECT 1 FROM webhook_deliveries p WHERE p.webhook_id = w.id AND p.${condition}
  ORDER BY ${order} LIMIT ${MAX_COUNTED + 1}`;

/**
 * In SQL: an id such that all deliveries of the last 24 hours have a higher id. The 10 minutes are a margin, because
 * ids follow time only roughly.
 */
const BEFORE_THE_DAY = `coalesce(
  (${selectFirstIdSince('webhook_deliveries', `statement_timestamp() - interval '24 hours 10 minutes'`)}), 0) - 1`;

/** Selects only deliveries of the last day. Otherwise PostgreSQL would read, for each idle webhook, old deliveries in vain. */
const ofTheDay = (status: string): string => ofStatus(status, SHARE_OF, { after: BEFORE_THE_DAY });

const LATEST_SUCCESS = `(${ofStatus('succeeded', 1)} ORDER BY found.id DESC LIMIT 1)`;

/** For each webhook `w`: its latest success, and `failing_since` ({@link WebhookHealth}). */
const FAILING = `
  LEFT JOIN LATERAL ${LATEST_SUCCESS} AS success ON true
  CROSS JOIN LATERAL (
    SELECT min(bad.created_at) AS failing_since FROM (
      SELECT * FROM (${ofStatus('failed', 1, { after: 'coalesce(success.id, 0)', oldest: true })}) AS first_failed
      UNION ALL
      (SELECT p.id, p.status, p.created_at, p.attempt_ended_at FROM webhook_deliveries p
       WHERE p.webhook_id = w.id AND p.is_retry AND p.due_at IS NOT NULL ORDER BY p.due_at LIMIT ${SHARE_OF})) AS bad
    WHERE bad.id > coalesce(success.id, 0)) AS failing`;

/** The members of `WebhookHealth` for each webhook `w`. Each part reads a limited number of rows. */
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

const LISTED = { merchantIds: 'int[]?', statuses: 'text[]?', before: 'int', limit: 'int' } as const;

/** Webhooks that are not deleted, newest first. */
export const LIST_WEBHOOKS = statement(
  'webhook_listing.list',
  LISTED,
  ({ merchantIds, statuses, before, limit }) => `
    SELECT ${WITH_HEALTH} FROM (
      SELECT * FROM webhooks WHERE deleted_at IS NULL AND id < ${before}
        AND (${merchantIds} IS NULL OR merchant_id = ANY(${merchantIds}))
        AND (${statuses} IS NULL OR status = ANY(${statuses}))
      ORDER BY id DESC LIMIT ${limit}) AS w
    JOIN merchants m ON m.id = w.merchant_id ${HEALTH}
    ORDER BY w.id DESC`,
);

/**
 * Webhooks with one of the statuses, and active webhooks that have failed for more than an hour without a success, newest first.
 * Failing webhooks of sandbox merchants are left out. Each webhook costs some look-ups by index. The other members of its
 * health are read only for the webhooks of the page.
 */
export const LIST_WITH_FAILING = statement(
  'webhook_listing.list_with_failing',
  LISTED,
  ({ merchantIds, statuses, before, limit }) => `
    WITH found AS MATERIALIZED (
      SELECT w.id FROM webhooks w JOIN merchants m ON m.id = w.merchant_id ${FAILING}
      WHERE w.deleted_at IS NULL AND w.id < ${before}
        AND (${merchantIds} IS NULL OR w.merchant_id = ANY(${merchantIds}))
        AND (w.status = ANY(${statuses}) OR w.status = 'active' AND NOT m.sandbox)
        AND (w.status = ANY(${statuses}) OR failing.failing_since < statement_timestamp() - interval '1 hour')
      ORDER BY w.id DESC LIMIT ${limit})
    SELECT ${WITH_HEALTH} FROM found JOIN webhooks w ON w.id = found.id
    JOIN merchants m ON m.id = w.merchant_id ${HEALTH}
    ORDER BY w.id DESC`,
);

/** Finds deleted webhooks, too. */
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
    SELECT response_status, error, duration_ms FROM ${attemptsOf('d')} attempts ORDER BY number DESC LIMIT 1) AS a ON true`;

export const FIND_DELIVERY = statement(
  'webhook_listing.find_delivery',
  { id: 'bigint' },
  ({ id }) => `
    SELECT ${DELIVERY}, e.body, w.include_deliveries
    FROM (SELECT * FROM webhook_deliveries WHERE id = ${id}) AS d ${JOINED}`,
);

/** Attempts, oldest first. $1 delivery. */
export const LIST_ATTEMPTS: Statement = {
  name: 'webhook_listing.list_attempts',
  text: `SELECT number, started_at, duration_ms, response_status, error, response_body FROM ${DELIVERY_ATTEMPTS} a
         WHERE delivery_id = $1 ORDER BY number`,
};

/** A status that a list of webhooks can have; `failing` is no status of the row. */
export type ListedStatus = WebhookStatus | 'failing';

/** A filter of webhooks. */
export interface WebhookListFilter {
  merchantIds?: number[] | undefined;
  statuses?: ListedStatus[] | undefined;
}

/** A filter of deliveries: a delivery must match every given member. */
export interface DeliveryListFilter {
  webhookId?: number | undefined;
  merchantIds?: number[] | undefined;
  statuses?: DeliveryStatus[] | undefined;
  events?: DeliveredEvent[] | undefined;
  from?: Date | undefined;
}

/** A listing first searches this many of the newest deliveries, and then the deliveries of single webhooks. */
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
 * The matching deliveries among the {@link NEWEST} newest. Most filters find a full page there; otherwise it returns fewer
 * rows than the limit.
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
 * Failed or cancelled deliveries, by their own index: one look-up for each status and kind, even with many webhooks and old
 * deliveries. @see UNDELIVERED
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

/** Whether there are deliveries that {@link PAGE_OF_NEWEST} did not search, because they are older. */
export const HAS_OLDER = statement(
  'webhook_listing.has_older',
  { first: 'bigint', before: 'bigint' },
  ({ first, before }) => `
    SELECT EXISTS (SELECT FROM webhook_deliveries WHERE id < ${before} AND id >= ${first}
                   ORDER BY id DESC OFFSET ${NEWEST}) AS has_older`,
);

/**
 * Matching deliveries by `ix_webhook_deliveries_page`: one look-up for each webhook, status and kind, even if the deliveries are
 * old.
 */
export const PAGE_BY_WEBHOOK = statement(
  'webhook_listing.page_by_webhook',
  { ...CONDITIONS, webhookId: 'int?', merchantIds: 'int[]?' },
  ({ statuses, kinds, from, first, before, limit, webhookId, merchantIds }) => `
    SELECT ${DELIVERY} FROM (
      SELECT found.id
      FROM (SELECT id FROM webhooks WHERE (${webhookId} IS NULL OR id = ${webhookId})
              AND (${merchantIds} IS NULL OR merchant_id = ANY(${merchantIds}))) AS hook,
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

/** The parameters of all pages. @param first the lowest id of the period. @param before the last id of the previous page. */
export const conditionsOf = (
  { statuses = [...DELIVERY_STATUSES], events = [...DELIVERED_EVENTS], from }: DeliveryListFilter,
  { first, before, limit }: { first: bigint; before: bigint | null; limit: number },
): Conditions => ({
  first,
  limit,
  before: before ?? MAX_BIGINT,
  from: from ?? new Date(0),
  statuses,
  kinds: events,
});
