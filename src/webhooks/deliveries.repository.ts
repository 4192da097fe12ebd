import { Injectable } from '@nestjs/common';
import { Database, type Transaction } from '../database/database.js';
import { BoundedReadsService } from '../database/bounded-reads.service.js';
import type { DeliveredEvent, Event } from '../events/event.entity.js';
import * as sql from './deliveries.sql.js';
import type { DeliveryFilter } from './deliveries.sql.js';
import type { DeliveryAttempt } from './delivery-attempt.entity.js';
import { DELIVERY_STATUSES, type Delivery, type DeliveryStatus } from './delivery.entity.js';
import * as waiting from './waiting-deliveries.sql.js';
import type { Step } from './waiting-deliveries.sql.js';
import type { Webhook } from './webhook.entity.js';

export type { DeliveryFilter } from './deliveries.sql.js';
export type { Step } from './waiting-deliveries.sql.js';

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
  page(
    webhookId: number,
    filter: DeliveryFilter,
    before: bigint | null,
    limit: number,
  ): Promise<DeliveryRow[]> {
    return this.reads.list<DeliveryRow>(sql.PAGE, sql.pageValues(webhookId, filter, before, limit));
  }

  /** Those of all of a merchant's webhooks, deleted ones included, newest first. */
  pageOfMerchant(
    merchantId: number,
    status: DeliveryStatus | undefined,
    limit: number,
  ): Promise<DeliveryRow[]> {
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
    const [first] = await this.database.query<Pick<Delivery, 'id'>>(
      ...sql.FIRST_ID_SINCE.with({ moment: earlier }),
    );
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
      [waiting.LOCK_STEPS, [webhookId]],
      waiting.STEP.with({ webhookId, afterKind, afterId, limit }),
    );
    return step;
  }

  /** Removes a webhook's mark. @returns false where it changed since that moment. */
  async finishFollowing(webhookId: number, changedAt: Date): Promise<boolean> {
    return (await this.database.query(waiting.FINISH, [webhookId, changedAt])).length > 0;
  }

  /** The webhooks that have deliveries which may not follow them yet. */
  listStale(): Promise<Pick<Webhook, 'id'>[]> {
    return this.database.query<Pick<Webhook, 'id'>>(waiting.FIND_STALE);
  }
}
