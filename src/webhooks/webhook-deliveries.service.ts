import { Injectable } from '@nestjs/common';
import { AppError, notFound } from '../core/errors.js';
import { present } from '../core/invariant.js';
import { newEventId } from '../core/identifiers.js';
import { decodeCursor, encodeCursor, MAX_BIGINT, pageLimit, toPage, type Page } from '../core/pagination.js';
import { Database, type Transaction } from '../database/database.js';
import { recordAction, type Actor } from '../audit-log/audit-log.js';
import { eventBody } from '../events/event-log.js';
import { WorkNotifier } from '../queues/work-notifier.js';
import { DeliveriesRepository, type DeliveryRow } from './deliveries.repository.js';
import type { DeliveryDetailDto, DeliveryDto, DeliveryListQuery } from './delivery.dto.js';
import { toAttempts, toDeliveryDto } from './webhook.mapper.js';
import { SAMPLE_ORDER } from './sample-order.js';
import { WebhooksRepository, type LockedWebhook } from './webhooks.repository.js';
import { WebhooksService } from './webhooks.service.js';

/** The log of deliveries, for merchants and operators: lists, retries, tests. */
@Injectable()
export class WebhookDeliveriesService {
  constructor(
    private readonly database: Database,
    private readonly deliveries: DeliveriesRepository,
    private readonly registrations: WebhooksRepository,
    private readonly notifier: WorkNotifier,
    private readonly webhooks: WebhooksService,
  ) {}

  /** Newest first. @throws NOT_FOUND; BAD_REQUEST for a bad cursor */
  async list(merchantId: number, webhookId: number, query: DeliveryListQuery): Promise<Page<DeliveryDto>> {
    const limit = pageLimit(query);
    const before = decodeCursor(query.cursor, [MAX_BIGINT])?.[0] ?? null;
    await this.webhooks.get(merchantId, webhookId);
    const rows = await this.deliveries.page(webhookId, query, before, limit + 1);
    return toPage(rows, limit, ({ id }) => encodeCursor(id), toDeliveryDto);
  }

  /** A delivery with its attempts. @throws NOT_FOUND */
  async get(merchantId: number, webhookId: number, id: bigint): Promise<DeliveryDetailDto> {
    await this.webhooks.get(merchantId, webhookId);
    const rows = await this.deliveries.listWithAttempts(webhookId, id);
    const [delivery] = rows;
    if (!delivery) throw notFound('delivery');
    return { ...toDeliveryDto(delivery), attempts: rows.flatMap(toAttempts) };
  }

  /**
   * Makes one more attempt at once, whatever the delivery's status is, with the same event. No automatic retry follows.
   * @param by the operator, for the audit log.
   * @throws NOT_FOUND; CONFLICT while the webhook is inactive or an attempt is in flight
   */
  async retry(merchantId: number, webhookId: number, id: bigint, by?: Actor): Promise<DeliveryDto> {
    const delivery = await this.database.transaction(async (tx) => {
      const { status } = await this.lockWebhook(tx, merchantId, webhookId);
      const locked = await this.deliveries.lock(tx, webhookId, id);
      if (!locked) throw notFound('delivery');
      if (status === 'inactive') throw new AppError('CONFLICT', 'The webhook is inactive');
      if (locked.in_flight) throw new AppError('CONFLICT', 'An attempt is in flight');
      this.deliveries.retry(tx, id);
      const detail = { webhook: webhookId, delivery: Number(id) };
      recordAction(tx, by, { action: 'webhook.retry', merchantId, detail });
      return this.deliveries.find(tx, id);
    });
    return this.started(delivery);
  }

  /**
   * Sends a `webhook.test` event with a sample order, once, also to an inactive webhook.
   * @param by the operator, for the audit log.
   * @throws NOT_FOUND
   */
  async test(merchantId: number, webhookId: number, by?: Actor): Promise<DeliveryDto> {
    const delivery = await this.database.transaction(async (tx) => {
      const { now } = await this.lockWebhook(tx, merchantId, webhookId);
      const eventId = newEventId();
      const body = eventBody(eventId, 'webhook.test', now, SAMPLE_ORDER);
      const written = await this.deliveries.insertTest(tx, { merchantId, webhookId, eventId, body, now });
      const id = present(written, 'a delivery was written');
      const detail = { webhook: webhookId, delivery: Number(id) };
      recordAction(tx, by, { action: 'webhook.test', merchantId, detail });
      return this.deliveries.find(tx, id);
    });
    return this.started(delivery);
  }

  /** @throws NOT_FOUND */
  private async lockWebhook(tx: Transaction, merchantId: number, id: number): Promise<LockedWebhook> {
    const webhook = await this.registrations.lock(tx, merchantId, id);
    if (!webhook) throw notFound('webhook');
    return webhook;
  }

  private started(delivery: DeliveryRow | undefined): DeliveryDto {
    if (!delivery) throw new Error('a delivery that was just written is missing');
    this.notifier.notifyWebhooks([delivery.webhook_id]);
    return toDeliveryDto(delivery);
  }
}
