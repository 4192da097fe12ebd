import { Injectable } from '@nestjs/common';
import { BoundedReadsService } from '../database/bounded-reads.service.js';
import { Database, type Statement, type Transaction } from '../database/database.js';
import { statement } from '../database/parameters.js';
import type { DeliveredEvent, Event } from '../events/event.entity.js';
import * as sql from './deliveries.sql.js';
import type { DeliveryFilter } from './deliveries.sql.js';
import type { DeliveryAttempt } from './delivery-attempt.entity.js';
import { type Delivery, DELIVERY_STATUSES, type DeliveryStatus } from './delivery.entity.js';
import type { Webhook } from './webhook.entity.js';

/** The first half of the advisory locks' keys: arbitrary, but unique among ours. */
const STEP_LOCKS = 7_038_169;

/** Steps of one webhook take turns. $1 webhook. */
const LOCK_STEPS: Statement = {
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
const STEP = statement(
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
const FINISH: Statement = {
  name: 'webhooks.waiting_follows',
  text: `UPDATE webhooks SET waiting_is_stale = false WHERE id = $1 AND updated_at = $2 RETURNING id`,
};

const FIND_STALE: Statement = {
  name: 'webhooks.find_stale',
  text: `SELECT id FROM webhooks WHERE waiting_is_stale ORDER BY id`,
};

export type { DeliveryFilter } from './deliveries.sql.js';

/** A delivery with what its event says of itself. */
export type DeliveryRow = Pick<
  Delivery,
  'id' | 'webhook_id' | 'status' | 'attempt_count' | 'due_at' | 'created_at' | 'updated_at'
> &
  Pick<Event, 'reference_id'> & { event_id: Event['public_id']; event: Event['kind'] };

/** All null where there was no attempt yet. */
export type AttemptRow = Pick<
  DeliveryAttempt,
  'started_at' | 'duration_ms' | 'response_status' | 'error' | 'response_body'
> & { number: DeliveryAttempt['number'] | null };

/** Deliveries of a status, of any of a merchant's webhooks, that were created since a moment. */
export interface Which {
  merchantId: number;
  /** One of them only. */
  webhookId: number | null;
  status: DeliveryStatus;
  event: DeliveredEvent | null;
  since: Date;
  /** Only those up to this id. */
  upTo: bigint | null;
}

interface TestEvent {
  merchantId: number;
  webhookId: number;
  eventId: string;
  body: string;
  now: Date;
}

/** Deliveries are given their ids by several processes, each by its own clock. */
const MARGIN_MS = 600_000;

type Place = Pick<Step, 'last_kind' | 'last_id'>;

/** The log of deliveries with their attempts. What carries them out has a repository of its own. */
@Injectable()
export class DeliveriesRepository {
  constructor(
    private readonly database: Database,
    private readonly reads: BoundedReadsService,
  ) {}

  /** Newest first. @param before the last id of the page before, null for the first page. */
  page(webhookId: number, filter: DeliveryFilter, before: bigint | null, limit: number): Promise<DeliveryRow[]> {
    return this.reads.list<DeliveryRow>(sql.PAGE, sql.pageValues(webhookId, filter, before, limit));
  }

  /** Those of all of a merchant's webhooks, deleted ones included, newest first. */
  pageOfMerchant(merchantId: number, status: DeliveryStatus | undefined, limit: number): Promise<DeliveryRow[]> {
    const statuses = status === undefined ? DELIVERY_STATUSES : [status];
    return this.reads.list<DeliveryRow>(sql.FIND_OF_MERCHANT, [merchantId, statuses, limit]);
  }

  /** A delivery beside each of its attempts; none where there is no such delivery. */
  findWithAttempts(webhookId: number, id: bigint): Promise<(DeliveryRow & AttemptRow)[]> {
    return this.reads.query<DeliveryRow & AttemptRow>(sql.FIND_WITH_ATTEMPTS, [id, webhookId]);
  }

  async find(tx: Transaction, id: bigint): Promise<DeliveryRow | undefined> {
    const [delivery] = await tx.query<DeliveryRow>(sql.FIND, [id]);
    return delivery;
  }

  async lock(tx: Transaction, webhookId: number, id: bigint): Promise<{ in_flight: boolean } | undefined> {
    const [locked] = await tx.query<{ in_flight: boolean }>(sql.LOCK_DELIVERY, [id, webhookId]);
    return locked;
  }

  /** Has one more attempt made at once, whatever the status. */
  retry(tx: Transaction, id: bigint): void {
    tx.write(sql.RETRY_DELIVERY, [id]);
  }

  /** The same for the next of many, in the order of ids; those with an attempt in flight are passed over. */
  retryMany(
    tx: Transaction,
    which: Which,
    { above, limit }: { above: bigint; limit: number },
  ): Promise<Pick<Delivery, 'id' | 'webhook_id'>[]> {
    return tx.query<Pick<Delivery, 'id' | 'webhook_id'>>(...sql.RETRY_MANY.with({ ...which, above, limit }));
  }

  /** How many {@link retryMany} would find now. */
  async countRetryable(which: Which, above: bigint): Promise<number> {
    const counting = sql.COUNT_RETRYABLE.with({ ...which, above });
    const [found] = await this.database.query<{ count: bigint }>(...counting);
    return Number(found?.count ?? 0n);
  }

  /** No delivery of that moment or later has a lower id. */
  async firstIdSince(moment: Date): Promise<bigint> {
    const earlier = new Date(moment.getTime() - MARGIN_MS);
    const [first] = await this.database.query<Pick<Delivery, 'id'>>(...sql.FIRST_ID_SINCE.with({ moment: earlier }));
    return first?.id ?? 0n;
  }

  async lastId(): Promise<bigint> {
    const [last] = await this.database.query<Pick<Delivery, 'id'>>(sql.LAST_ID);
    return last?.id ?? 0n;
  }

  /** @returns the id of the event's delivery. */
  async insertTest(tx: Transaction, event: TestEvent): Promise<bigint | undefined> {
    const [recorded] = await tx.query<Pick<Delivery, 'id'>>(...sql.RECORD_TEST.with(event));
    return recorded?.id;
  }

  /**
   * Makes the next of a webhook's waiting deliveries follow its settings.
   * @returns undefined where there is no such webhook.
   */
  async followWebhook(webhookId: number, after: Place | undefined, limit: number): Promise<Step | undefined> {
    const afterKind = after?.last_kind ?? '';
    const afterId = after?.last_id ?? 0n;
    const [step] = await this.database.batch<Step>(
      [LOCK_STEPS, [webhookId]],
      STEP.with({ webhookId, afterKind, afterId, limit }),
    );
    return step;
  }

  /** Removes a webhook's mark. @returns false where it changed since that moment. */
  async finishFollowing(webhookId: number, changedAt: Date): Promise<boolean> {
    return (await this.database.query(FINISH, [webhookId, changedAt])).length > 0;
  }

  /** The webhooks that have deliveries which may not follow them yet. */
  listStale(): Promise<Pick<Webhook, 'id'>[]> {
    return this.database.query<Pick<Webhook, 'id'>>(FIND_STALE);
  }
}
