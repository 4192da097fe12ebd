import { Injectable } from '@nestjs/common';
import { Database } from '../database/database.js';
import { DeliveriesRepository, type AttemptRow } from './deliveries.repository.js';
import * as sql from './webhook-listing.sql.js';
import type {
  DeliveryListFilter,
  ListedDelivery,
  ListedDeliveryDetail,
  ListedStatus,
  WebhookRow,
} from './webhook-listing.sql.js';
import { UNDELIVERED } from './delivery.entity.js';

export type {
  DeliveryListFilter,
  ListedDelivery,
  ListedDeliveryDetail,
  ListedStatus,
  WebhookListFilter,
  WebhookRow,
} from './webhook-listing.sql.js';

/** Webhooks and deliveries of all merchants, for operators. */
@Injectable()
export class WebhookListingRepository {
  constructor(
    private readonly database: Database,
    private readonly deliveries: DeliveriesRepository,
  ) {}

  /** Newest first. */
  list(
    { merchantIds, statuses }: { merchantIds: number[] | null; statuses: ListedStatus[] | null },
    before: number,
    limit: number,
  ): Promise<WebhookRow[]> {
    const page = { merchantIds, statuses, before, limit };
    // Active webhooks include the failing ones.
    const withFailing = statuses?.includes('failing') && !statuses.includes('active');
    return this.database.query<WebhookRow>(...(withFailing ? sql.LIST_WITH_FAILING : sql.LIST_WEBHOOKS).with(page));
  }

  /** Finds deleted webhooks, too. */
  async find(id: number): Promise<WebhookRow | undefined> {
    const [webhook] = await this.database.query<WebhookRow>(...sql.FIND_WEBHOOK.with({ id }));
    return webhook;
  }

  /** Deliveries, newest first. @param before the last id of the previous page, null for the first page. */
  async page(filter: DeliveryListFilter, before: bigint | null, limit: number): Promise<ListedDelivery[]> {
    const first = filter.from ? await this.deliveries.firstIdSince(filter.from) : 0n;
    const conditions = sql.conditionsOf(filter, { first, before, limit });
    const { webhookId = null, merchantIds = null } = filter;
    if (webhookId === null && merchantIds === null) {
      if (conditions.statuses.every((status) => (UNDELIVERED as readonly string[]).includes(status)))
        return this.database.query<ListedDelivery>(...sql.PAGE_OF_UNDELIVERED.with(conditions));
      const newest = await this.database.query<ListedDelivery>(...sql.PAGE_OF_NEWEST.with(conditions));
      if (newest.length === limit || !(await this.hasOlder(conditions))) return newest;
    }
    const byWebhook = sql.PAGE_BY_WEBHOOK.with({ ...conditions, webhookId, merchantIds });
    return this.database.query<ListedDelivery>(...byWebhook);
  }

  async findDelivery(id: bigint): Promise<ListedDeliveryDetail | undefined> {
    const [delivery] = await this.database.query<ListedDeliveryDetail>(...sql.FIND_DELIVERY.with({ id }));
    return delivery;
  }

  /** Oldest first. */
  attempts(id: bigint): Promise<AttemptRow[]> {
    return this.database.query<AttemptRow>(sql.LIST_ATTEMPTS, [id]);
  }

  private async hasOlder({ first, before }: sql.Conditions): Promise<boolean> {
    const [row] = await this.database.query<{ has_older: boolean }>(...sql.HAS_OLDER.with({ first, before }));
    return row?.has_older ?? false;
  }
}
