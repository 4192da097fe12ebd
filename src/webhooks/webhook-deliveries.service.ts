import { DELIVERY_STATUSES, type DeliveryStatus } from './delivery.entity.js';
import { Injectable } from '@nestjs/common';
import { AppError, notFound } from '../core/errors.js';
import { newEventId } from '../core/identifiers.js';
import { decodeCursor, encodeCursor, MAX_BIGINT, pageLimit, toPage, type Page } from '../core/pagination.js';
import { Database, type Queryable } from '../database/database.js';
import { Reads } from '../database/reads.js';
import { recordAction, type Actor } from '../audit-log/audit-log.js';
import { eventBody } from '../events/event-log.js';
import { WorkNotifier } from '../queues/work-notifier.js';
import * as sql from './deliveries.sql.js';
import {
  toAttempts,
  toDeliveryDto,
  type AttemptRow,
  type DeliveryDetailDto,
  type DeliveryDto,
  type DeliveryListQuery,
  type DeliveryRow,
} from './delivery.dto.js';
import { SAMPLE_ORDER } from './sample-order.js';
import { WebhooksService } from './webhooks.service.js';

const REPLAY_BATCH = 1_000;

type ReplayValues = [merchantId: number, status: DeliveryStatus, since: Date, above: bigint, limit: number];
type ReplayedRow = { id: bigint; webhook_id: number };

/** A delivery beside one of its attempts, if there was any. */
type JoinedRow = DeliveryRow & AttemptRow;

/** The log of deliveries, and what a merchant or the operator can ask of it. */
@Injectable()
export class WebhookDeliveriesService {
  constructor(
    private readonly database: Database,
    private readonly reads: Reads,
    private readonly notifier: WorkNotifier,
    private readonly webhooks: WebhooksService,
  ) {}

  /** Newest first. @throws NOT_FOUND; BAD_REQUEST for a bad cursor */
  async list(merchantId: number, webhookId: number, query: DeliveryListQuery): Promise<Page<DeliveryDto>> {
    const limit = pageLimit(query);
    const before = decodeCursor(query.cursor, [MAX_BIGINT])?.[0] ?? null;
    await this.webhooks.get(merchantId, webhookId);
    const values = sql.pageValues(webhookId, query, before, limit + 1);
    const rows = await this.reads.query<DeliveryRow>(sql.PAGE, values);
    return toPage(rows, limit, ({ id }) => encodeCursor(id), toDeliveryDto);
  }

  /** A delivery with its attempts. @throws NOT_FOUND */
  async get(merchantId: number, webhookId: number, id: bigint): Promise<DeliveryDetailDto> {
    await this.webhooks.get(merchantId, webhookId);
    const rows = await this.reads.query<JoinedRow>(sql.FIND_WITH_ATTEMPTS, [id, webhookId]);
    const [delivery] = rows;
    if (!delivery) throw notFound('delivery');
    return { ...toDeliveryDto(delivery), attempts: rows.flatMap(toAttempts) };
  }

  /**
   * Makes one more attempt at once, whatever the delivery's status, with the same event; none follows by itself.
   * @throws NOT_FOUND; CONFLICT while the webhook is inactive or an attempt is in flight
   */
  async retry(merchantId: number, webhookId: number, id: bigint): Promise<DeliveryDto> {
    const delivery = await this.database.transaction(async (tx) => {
      const { status } = await lockWebhook(tx, merchantId, webhookId);
      const [locked] = await tx.query<{ in_flight: boolean }>(sql.LOCK_DELIVERY, [id, webhookId]);
      if (!locked) throw notFound('delivery');
      if (status === 'inactive') throw new AppError('CONFLICT', 'The webhook is inactive');
      if (locked.in_flight) throw new AppError('CONFLICT', 'An attempt is in flight');
      await tx.query(sql.RETRY_DELIVERY, [id]);
      return findDelivery(tx, id);
    });
    return this.started(delivery);
  }

  /**
   * Sends a `webhook.test` event with a sample order, once, also to an inactive webhook.
   * @throws NOT_FOUND
   */
  async test(merchantId: number, webhookId: number): Promise<DeliveryDto> {
    const delivery = await this.database.transaction(async (tx) => {
      const { now } = await lockWebhook(tx, merchantId, webhookId);
      const eventId = newEventId();
      const body = eventBody(eventId, 'webhook.test', now, SAMPLE_ORDER);
      const values = [webhookId, merchantId, eventId, body, now];
      const [recorded] = await tx.query<{ id: bigint }>(sql.RECORD_TEST, values);
      return recorded && findDelivery(tx, recorded.id);
    });
    return this.started(delivery);
  }

  /**
   * Deliveries of all of a merchant's webhooks, deleted ones included, newest first.
   * @param limit how many at most.
   */
  async listForMerchant(
    merchantId: number,
    { status, limit = 1_000 }: { status?: DeliveryStatus; limit?: number } = {},
  ): Promise<DeliveryDto[]> {
    const values = [merchantId, status === undefined ? DELIVERY_STATUSES : [status], limit];
    return (await this.reads.query<DeliveryRow>(sql.FIND_OF_MERCHANT, values)).map(toDeliveryDto);
  }

  /**
   * Retries, as {@link retry} does, every delivery of a status that was created since a moment. Those of inactive or
   * deleted webhooks, and those with an attempt in flight, are passed over.
   * @param by the operator, for their log, which keeps each batch with its own transaction.
   * @param onProgress is told how many are retried.
   * @returns how many.
   */
  async replay(
    merchantId: number,
    since: Date,
    status: DeliveryStatus = 'failed',
    { by, onProgress }: { by?: Actor; onProgress?: (done: number) => void } = {},
  ): Promise<number> {
    let replayed = 0;
    let above = 0n;
    for (;;) {
      const rows = await this.replayBatch([merchantId, status, since, above, REPLAY_BATCH], by);
      this.notifier.notifyWebhooks(rows.map(({ webhook_id }) => webhook_id));
      replayed += rows.length;
      onProgress?.(replayed);
      if (rows.length < REPLAY_BATCH) return replayed;
      above = rows.reduce((highest, { id }) => (id > highest ? id : highest), above);
    }
  }

  /** How many deliveries {@link replay} would retry now. */
  async countReplayable(merchantId: number, since: Date, status: DeliveryStatus): Promise<number> {
    const values = [merchantId, status, since];
    const [found] = await this.database.query<{ count: bigint }>(sql.COUNT_RETRYABLE, values);
    return Number(found?.count ?? 0n);
  }

  private replayBatch(values: ReplayValues, by: Actor | undefined): Promise<ReplayedRow[]> {
    return this.database.transaction(async (tx) => {
      const rows = await tx.query<ReplayedRow>(sql.RETRY_MANY, values);
      const [merchantId, status, since] = values;
      const detail = { replayed: rows.length, status, since: since.toISOString() };
      if (rows.length > 0) recordAction(tx, by, { action: 'webhook.replay', merchantId, detail });
      return rows;
    });
  }

  private started(delivery: DeliveryRow | undefined): DeliveryDto {
    if (!delivery) throw new Error('a delivery that was just written is not there');
    this.notifier.notifyWebhooks([delivery.webhook_id]);
    return toDeliveryDto(delivery);
  }
}

async function findDelivery(queryable: Queryable, id: bigint): Promise<DeliveryRow | undefined> {
  const [delivery] = await queryable.query<DeliveryRow>(sql.FIND, [id]);
  return delivery;
}

async function lockWebhook(tx: Queryable, merchantId: number, id: number): Promise<sql.LockedWebhook> {
  const [webhook] = await tx.query<sql.LockedWebhook>(sql.LOCK_WEBHOOK, [id, merchantId]);
  if (!webhook) throw notFound('webhook');
  return webhook;
}
