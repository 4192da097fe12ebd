import { Injectable } from '@nestjs/common';
import { notFound } from '../core/errors.js';
import { decodeCursor, encodeCursor, MAX_BIGINT, MAX_INTEGER, toPage, type Page } from '../core/pagination.js';
import type { AttemptRow } from './deliveries.repository.js';
import {
  WebhookListingRepository,
  type ListedDelivery,
  type ListedDeliveryDetail,
  type DeliveryListFilter,
  type WebhookListFilter,
  type WebhookRow,
} from './webhook-listing.repository.js';

interface PageRequest {
  cursor?: string | undefined;
  limit: number;
}

/** Webhooks and deliveries of all merchants, for operators. */
@Injectable()
export class WebhookListingService {
  constructor(private readonly listing: WebhookListingRepository) {}

  /** Webhooks, newest first. `failing` lists webhooks that have failed for an hour. @throws BAD_REQUEST for a wrong cursor. */
  async list({ merchantIds, statuses }: WebhookListFilter, { cursor, limit }: PageRequest): Promise<Page<WebhookRow>> {
    const before = Number(decodeCursor(cursor, [MAX_INTEGER])?.[0] ?? MAX_INTEGER);
    const rows = await this.listing.list(
      { merchantIds: merchantIds ?? null, statuses: statuses ?? null },
      before,
      limit + 1,
    );
    return toPage(rows, limit, ({ id }) => encodeCursor(id));
  }

  /** Finds deleted webhooks, too. @throws NOT_FOUND */
  async get(id: number): Promise<WebhookRow> {
    const webhook = await this.listing.find(id);
    if (!webhook) throw notFound('webhook');
    return webhook;
  }

  /** Newest first. @throws BAD_REQUEST for a wrong cursor. */
  async deliveries(filter: DeliveryListFilter, { cursor, limit }: PageRequest): Promise<Page<ListedDelivery>> {
    const before = decodeCursor(cursor, [MAX_BIGINT])?.[0] ?? null;
    const rows = await this.listing.page(filter, before, limit + 1);
    return toPage(rows, limit, ({ id }) => encodeCursor(id));
  }

  /** A delivery with its attempts, oldest first. @throws NOT_FOUND */
  async delivery(id: bigint): Promise<ListedDeliveryDetail & { attempts: AttemptRow[] }> {
    const delivery = await this.listing.findDelivery(id);
    if (!delivery) throw notFound('delivery');
    return { ...delivery, attempts: await this.listing.attempts(id) };
  }
}
