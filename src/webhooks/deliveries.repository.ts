import { Injectable } from '@nestjs/common';
import { BoundedReadsService } from '../database/bounded-reads.service.js';
import { Database, type Statement, type Transaction } from '../database/database.js';
import { statement } from '../database/parameters.js';
import { type DeliveredEvent, type Event, DELIVERED_EVENTS } from '../events/event.entity.js';
import { DELIVERY_ATTEMPTS } from './delivery-attempts.sql.js';
import type { DeliveryAttempt } from './delivery-attempt.entity.js';
import { type Delivery, DELIVERY_STATUSES, type DeliveryStatus } from './delivery.entity.js';
import type { Webhook } from './webhook.entity.js';
import { firstIdSince } from '../database/first-id-since.sql.js';
import { MAX_BIGINT } from '../core/pagination.js';

/** The columns of a delivery as merchants see them: `attempt_count` leaves out an attempt in flight, because the log lacks it. */
const COLUMNS = `d.id, d.webhook_id, e.public_id AS event_id, e.kind AS event, e.reference_id, d.status,
  d.attempt_count - (d.leased_until IS NOT NULL)::int AS attempt_count, d.due_at, d.created_at, d.updated_at`;

const FROM = 'FROM webhook_deliveries d JOIN events e ON e.id = d.event_id';

/**
 * The newest deliveries of a webhook, below an id. `ix_webhook_deliveries_page` sorts the deliveries of each webhook, status
 * and kind separately. So the statement reads up to `limit` deliveries for each of these, and returns the newest among them.
 * `id + 0` makes PostgreSQL use that index. By the primary key, it would also read the deliveries of all other webhooks.
 */
export const PAGE: Statement = {
  name: 'webhook_deliveries.page',
  text: `
  SELECT ${COLUMNS} FROM (
    SELECT found.id
    FROM (SELECT $1::int AS webhook_id) AS webhooks, unnest($2::text[]) AS status, unnest($3::text[]) AS kind, LATERAL (
      SELECT p.id FROM webhook_deliveries p
      WHERE p.webhook_id = webhooks.webhook_id AND p.status = status.status
        AND (p.kind, p.id + 0) < (kind.kind, $4::bigint) AND p.kind >= kind.kind
      ORDER BY p.kind DESC, p.id + 0 DESC LIMIT $5) AS found
    ORDER BY found.id DESC LIMIT $5) AS page
  JOIN webhook_deliveries d ON d.id = page.id JOIN events e ON e.id = d.event_id
  ORDER BY d.id DESC`,
};

export interface DeliveryFilter {
  status?: DeliveryStatus | undefined;
  event?: DeliveredEvent | undefined;
}

/** The values of {@link PAGE}. @param before the last id of the previous page, null for the first page. */
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

/** Reads a delivery and its attempts in one statement, so that both show the same moment. */
const FIND_WITH_ATTEMPTS: Statement = {
  name: 'webhook_deliveries.find_with_attempts',
  text: `SELECT d.*, a.number, a.started_at, a.duration_ms, a.response_status, a.error, a.response_body
         FROM (${FIND.text} AND d.webhook_id = $2) d LEFT JOIN ${DELIVERY_ATTEMPTS} a ON a.delivery_id = d.id
         ORDER BY a.number`,
};

const LOCK_DELIVERY: Statement = {
  name: 'webhook_deliveries.lock',
  text: `SELECT leased_until IS NOT NULL AS in_flight FROM webhook_deliveries
         WHERE id = $1 AND webhook_id = $2 FOR NO KEY UPDATE`,
};

const RETRY = `status = 'pending', automatic = false, due_at = statement_timestamp(), updated_at = statement_timestamp()`;

const RETRY_DELIVERY: Statement = {
  name: 'webhook_deliveries.retry',
  text: `UPDATE webhook_deliveries SET ${RETRY} WHERE id = $1`,
};

const SELECTION = {
  ...({ merchantId: 'int', webhookId: 'int?', status: 'text', event: 'text?' } as const),
  ...({ since: 'timestamptz', above: 'bigint', upTo: 'bigint?' } as const),
};

/** The condition for deliveries that {@link RETRY_MANY} may retry. @param live a table with the ids of active webhooks. */
const retryable = (
  live: string,
  { status, event, since, above, upTo }: Record<keyof typeof SELECTION, string>,
): string => `
  webhook_id IN (SELECT id FROM ${live}) AND id > ${above} AND (${upTo} IS NULL OR id <= ${upTo})
  AND created_at >= ${since} AND status = ${status} AND (${event} IS NULL OR kind = ${event}) AND leased_until IS NULL`;

const live = ({ merchantId, webhookId }: Record<keyof typeof SELECTION, string>): string => `
  SELECT id FROM webhooks WHERE merchant_id = ${merchantId} AND (${webhookId} IS NULL OR id = ${webhookId})
    AND status = 'active' AND deleted_at IS NULL`;

const RETRY_MANY = statement(
  'webhook_deliveries.retry_many',
  { ...SELECTION, limit: 'int' },
  ({ limit, ...selection }) => `
    WITH live AS MATERIALIZED (${live(selection)} ORDER BY id FOR SHARE),
    picked AS (
      SELECT id FROM webhook_deliveries WHERE ${retryable('live', selection)}
      ORDER BY id LIMIT ${limit} FOR NO KEY UPDATE)
    UPDATE webhook_deliveries d SET ${RETRY} FROM picked WHERE d.id = picked.id
    RETURNING d.id, d.webhook_id`,
);

const COUNT_RETRYABLE = statement(
  'webhook_deliveries.count_retryable',
  SELECTION,
  (selection) => `
    WITH live AS MATERIALIZED (${live(selection)})
    SELECT count(*) AS count FROM webhook_deliveries WHERE ${retryable('live', selection)}`,
);

export const FIRST_ID_SINCE = firstIdSince('webhook_deliveries.first_id_since', 'webhook_deliveries');

const LAST_ID: Statement = {
  name: 'webhook_deliveries.last_id',
  text: 'SELECT coalesce(max(id), 0) AS id FROM webhook_deliveries',
};

/** Writes a test event with one delivery, under the wallet's lock like every event (`recordEvents`). */
const RECORD_TEST = statement(
  'webhook_deliveries.record_test',
  { merchantId: 'int', webhookId: 'int', eventId: 'text', body: 'text', now: 'timestamptz' },
  ({ merchantId, webhookId, eventId, body, now }) => `
    WITH wallet AS MATERIALIZED (
      SELECT merchant_id FROM wallets WHERE merchant_id = ${merchantId} FOR NO KEY UPDATE),
    recorded AS (
      INSERT INTO events (public_id, merchant_id, kind, body, created_at)
      SELECT ${eventId}, merchant_id, 'webhook.test', ${body}, ${now} FROM wallet RETURNING id)
    INSERT INTO webhook_deliveries (webhook_id, event_id, kind, automatic, due_at, created_at, updated_at)
    SELECT ${webhookId}, id, 'webhook.test', false, ${now}, ${now}, ${now} FROM recorded
    RETURNING id`,
);

/** The first half of the advisory locks' keys: arbitrary, but unique among ours. */
const STEP_LOCKS = 7_038_169;

/** Lets one process at a time take steps for a webhook ({@link STEP}). $1 webhook. */
const LOCK_STEPS: Statement = {
  name: 'webhook_deliveries.lock_steps',
  text: `SELECT pg_advisory_xact_lock(${STEP_LOCKS}, $1)`,
};

export interface Step {
  /** The `updated_at` that the webhook had at the time of the step. */
  changed_at: Webhook['updated_at'];
  /** The number of deliveries in the step. */
  seen: number;
  /** The kind of the last delivery in the step; null if there was none. */
  last_kind: Delivery['kind'] | null;
  last_id: Delivery['id'] | null;
}

/**
 * Applies a webhook's settings to its next waiting deliveries, in the order of `ix_webhook_deliveries_page`. If the
 * webhook is inactive, its test events still wait; if it is deleted, they do not. Statements that lock several waiting
 * deliveries lock them in the order of ids, or skip locked ones. So they never deadlock.
 */
const STEP = statement(
  'webhook_deliveries.adapt_to_webhook',
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

/** Clears `waiting_is_stale` of a webhook. Changes nothing and returns no row if the webhook has changed since $2. $1 webhook. */
const FINISH: Statement = {
  name: 'webhooks.waiting_follows',
  text: `UPDATE webhooks SET waiting_is_stale = false WHERE id = $1 AND updated_at = $2 RETURNING id`,
};

const LIST_STALE: Statement = {
  name: 'webhooks.list_stale',
  text: `SELECT id FROM webhooks WHERE waiting_is_stale ORDER BY id`,
};

/** A delivery with its event's id, kind and reference. */
export type DeliveryRow = Pick<
  Delivery,
  'id' | 'webhook_id' | 'status' | 'attempt_count' | 'due_at' | 'created_at' | 'updated_at'
> &
  Pick<Event, 'reference_id'> & { event_id: Event['public_id']; event: Event['kind'] };

/** An attempt of a delivery. All members are null for a delivery without attempts. */
export type AttemptRow = Pick<
  DeliveryAttempt,
  'started_at' | 'duration_ms' | 'response_status' | 'error' | 'response_body'
> & { number: DeliveryAttempt['number'] | null };

/** Selects deliveries of a merchant by status and age. */
export interface DeliverySelection {
  merchantId: number;
  /** Null for all webhooks. */
  webhookId: number | null;
  status: DeliveryStatus;
  event: DeliveredEvent | null;
  since: Date;
  /** Only deliveries up to this id; null for no limit. */
  upTo: bigint | null;
}

interface TestEvent {
  merchantId: number;
  webhookId: number;
  eventId: string;
  body: string;
  now: Date;
}

/**
 * A delivery with a lower id may have a later `created_at`, by this much: transactions read the time before they write
 * their events, and after a failover another server's clock counts.
 */
const MARGIN_MS = 600_000;

type Place = Pick<Step, 'last_kind' | 'last_id'>;

/** The log of deliveries with their attempts. `DispatchRepository` has the statements that deliver. */
@Injectable()
export class DeliveriesRepository {
  constructor(
    private readonly database: Database,
    private readonly reads: BoundedReadsService,
  ) {}

  /** Newest first. @param before the last id of the previous page, null for the first page. */
  page(webhookId: number, filter: DeliveryFilter, before: bigint | null, limit: number): Promise<DeliveryRow[]> {
    return this.reads.list<DeliveryRow>(PAGE, pageValues(webhookId, filter, before, limit));
  }

  /** One row for each attempt. A delivery without attempts has one row, and an unknown delivery none. */
  listWithAttempts(webhookId: number, id: bigint): Promise<(DeliveryRow & AttemptRow)[]> {
    return this.reads.query<DeliveryRow & AttemptRow>(FIND_WITH_ATTEMPTS, [id, webhookId]);
  }

  async find(tx: Transaction, id: bigint): Promise<DeliveryRow | undefined> {
    const [delivery] = await tx.query<DeliveryRow>(FIND, [id]);
    return delivery;
  }

  async lock(tx: Transaction, webhookId: number, id: bigint): Promise<{ in_flight: boolean } | undefined> {
    const [locked] = await tx.query<{ in_flight: boolean }>(LOCK_DELIVERY, [id, webhookId]);
    return locked;
  }

  /** Makes one more attempt due at once, whatever the delivery's status is. */
  retry(tx: Transaction, id: bigint): void {
    tx.write(RETRY_DELIVERY, [id]);
  }

  /** Like {@link retry}, for the next selected deliveries in the order of ids. Skips a delivery with an attempt in flight. */
  retryMany(
    tx: Transaction,
    selection: DeliverySelection,
    { above, limit }: { above: bigint; limit: number },
  ): Promise<Pick<Delivery, 'id' | 'webhook_id'>[]> {
    return tx.query<Pick<Delivery, 'id' | 'webhook_id'>>(...RETRY_MANY.with({ ...selection, above, limit }));
  }

  /** Counts the deliveries that {@link retryMany} would find now. */
  async countRetryable(selection: DeliverySelection, above: bigint): Promise<number> {
    const counting = COUNT_RETRYABLE.with({ ...selection, above });
    const [found] = await this.database.query<{ count: bigint }>(...counting);
    return Number(found?.count ?? 0n);
  }

  /** Returns an id such that each delivery of that moment or later has this id or a higher one. */
  async firstIdSince(moment: Date): Promise<bigint> {
    const earlier = new Date(moment.getTime() - MARGIN_MS);
    const [first] = await this.database.query<Pick<Delivery, 'id'>>(...FIRST_ID_SINCE.with({ moment: earlier }));
    return first?.id ?? 0n;
  }

  async lastId(): Promise<bigint> {
    const [last] = await this.database.query<Pick<Delivery, 'id'>>(LAST_ID);
    return last?.id ?? 0n;
  }

  /** @returns the id of the event's delivery. */
  async insertTest(tx: Transaction, event: TestEvent): Promise<bigint | undefined> {
    const [recorded] = await tx.query<Pick<Delivery, 'id'>>(...RECORD_TEST.with(event));
    return recorded?.id;
  }

  /**
   * Applies a webhook's settings to its next waiting deliveries.
   * @returns undefined if there is no such webhook.
   */
  async adaptToWebhook(webhookId: number, after: Place | undefined, limit: number): Promise<Step | undefined> {
    const afterKind = after?.last_kind ?? '';
    const afterId = after?.last_id ?? 0n;
    const [step] = await this.database.batch<Step>(
      [LOCK_STEPS, [webhookId]],
      STEP.with({ webhookId, afterKind, afterId, limit }),
    );
    return step;
  }

  /** Clears `waiting_is_stale` once the deliveries are adapted. @returns false if the webhook has changed since `changedAt`. */
  async finishAdapting(webhookId: number, changedAt: Date): Promise<boolean> {
    return (await this.database.query(FINISH, [webhookId, changedAt])).length > 0;
  }

  /** Lists webhooks whose waiting deliveries are perhaps not adapted to the settings yet. */
  listStale(): Promise<Pick<Webhook, 'id'>[]> {
    return this.database.query<Pick<Webhook, 'id'>>(LIST_STALE);
  }
}
