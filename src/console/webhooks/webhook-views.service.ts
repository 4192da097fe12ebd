import { Injectable } from '@nestjs/common';
import type { Response } from 'express';
import { AppError } from '../../core/errors.js';
import { answerCsv, everyPage, membersOf, type CsvColumns } from '../../core/http/csv-answer.js';
import { checkedMoment } from '../../core/moments.js';
import type { Page } from '../../core/pagination.js';
import { Database } from '../../database/database.js';
import { WebhookDeliveriesService } from '../../webhooks/webhook-deliveries.service.js';
import { WebhookListingService } from '../../webhooks/webhook-listing.service.js';
import type { ListedStatus } from '../../webhooks/webhook-listing.repository.js';
import { WebhookReplayService, type Replayed } from '../../webhooks/webhook-replay.service.js';
import type { Caller } from '../access/caller.js';
import { logExport } from '../export-log.js';
import { pageOf } from '../lists.js';
import type { JobDto } from '../jobs/job.dto.js';
import { ConsoleJobsService } from '../jobs/console-jobs.service.js';
import {
  toConsoleDeliveryDetailDto,
  toConsoleDeliveryDto,
  toConsoleWebhookDetailDto,
  toConsoleWebhookDto,
  toDeliveryFilter,
} from './webhook.mapper.js';
import type {
  DeliveriesQueryDto,
  DeliveryFilterDto,
  ReplayDto,
  ReplayFilterDto,
  WebhookDeliveriesQueryDto,
  WebhooksQueryDto,
} from './webhook-queries.dto.js';
import type {
  ConsoleDeliveryDetailDto,
  ConsoleDeliveryDto,
  ConsoleWebhookDetailDto,
  ConsoleWebhookDto,
  ReplayPreviewDto,
} from './webhook.dto.js';
import { idsOf, valuesOf } from '../filters.js';

/**
 * The number of deliveries that an export reads at once. It is small, because under a narrow filter a page reads many rows and
 * must end before PostgreSQL's statement timeout.
 */
const CSV_PAGE = 200;

const CSV_COLUMNS: CsvColumns<ConsoleDeliveryDto> = {
  ...membersOf<ConsoleDeliveryDto>('id created_at'),
  webhook_id: ({ webhook }) => webhook.id,
  url: ({ webhook }) => webhook.url,
  merchant_id: ({ merchant }) => merchant.id,
  merchant: ({ merchant }) => merchant.name,
  ...membersOf<ConsoleDeliveryDto>('event_id event order_number reference_id status'),
  attempts: ({ attempt_count }) => attempt_count,
  response_status: ({ last_attempt: last }) => last?.response_status ?? null,
  error: ({ last_attempt: last }) => last?.error ?? null,
  duration_ms: ({ last_attempt: last }) => last?.duration_ms ?? null,
  ...membersOf<ConsoleDeliveryDto>('next_attempt_at updated_at'),
};

/** Webhooks and deliveries of all merchants, and the replays that operators start. */
@Injectable()
export class WebhookViewsService {
  constructor(
    private readonly database: Database,
    private readonly listing: WebhookListingService,
    private readonly deliveries: WebhookDeliveriesService,
    private readonly replays: WebhookReplayService,
    private readonly jobs: ConsoleJobsService,
  ) {}

  async list(caller: Caller, { merchant, status, ...query }: WebhooksQueryDto): Promise<Page<ConsoleWebhookDto>> {
    const filter = { merchantIds: idsOf(merchant), statuses: valuesOf<ListedStatus>(status) };
    const page = await this.listing.list(filter, pageOf(query));
    return { ...page, data: page.data.map((each) => toConsoleWebhookDto(each, caller)) };
  }

  async show(caller: Caller, id: number): Promise<ConsoleWebhookDetailDto> {
    return toConsoleWebhookDetailDto(await this.listing.get(id), caller);
  }

  async deliveriesOf(
    caller: Caller,
    webhook: number,
    query: WebhookDeliveriesQueryDto,
  ): Promise<Page<ConsoleDeliveryDto>> {
    await this.listing.get(webhook);
    return this.allDeliveries(caller, { ...query, webhook: String(webhook) });
  }

  allDeliveries(caller: Caller, { limit, cursor, ...filter }: DeliveriesQueryDto): Promise<Page<ConsoleDeliveryDto>> {
    return this.listDeliveries(caller, filter, pageOf({ limit, cursor }));
  }

  async export(caller: Caller, filter: DeliveryFilterDto, response: Response): Promise<void> {
    const pages = everyPage((cursor) => this.listDeliveries(caller, filter, { cursor, limit: CSV_PAGE }));
    await answerCsv(response, 'deliveries.csv', CSV_COLUMNS, pages, (lines) =>
      logExport(this.database, caller, { list: 'deliveries', filter, lines }),
    );
  }

  async delivery(caller: Caller, id: bigint): Promise<ConsoleDeliveryDetailDto> {
    return toConsoleDeliveryDetailDto(await this.listing.delivery(id), caller);
  }

  /** @throws NOT_FOUND; CONFLICT while the webhook is inactive, or an attempt is in flight. */
  async retry(caller: Caller, id: bigint): Promise<ConsoleDeliveryDetailDto> {
    const { merchant_id: merchantId, webhook_id: webhookId } = await this.listing.delivery(id);
    await this.deliveries.retry(merchantId, webhookId, id, caller.actor());
    return this.delivery(caller, id);
  }

  async test(caller: Caller, id: number): Promise<ConsoleDeliveryDetailDto> {
    const { merchant_id: merchantId } = await this.listing.get(id);
    const { id: delivery } = await this.deliveries.test(merchantId, id, caller.actor());
    return this.delivery(caller, BigInt(delivery));
  }

  async preview(query: ReplayFilterDto): Promise<ReplayPreviewDto> {
    const upTo = await this.replays.lastId();
    const count = await this.replays.count({ ...(await this.toReplayed(query)), upTo });
    return { count, up_to: Number(upTo) };
  }

  /** @throws NOT_FOUND; CONFLICT where more deliveries match than expected, or another replay runs. */
  async replay(
    caller: Caller,
    key: string | undefined,
    { up_to, expected_count: expected, ...query }: ReplayDto,
  ): Promise<JobDto> {
    // `up_to` differs from preview to preview, so a repeated request may have another `up_to`.
    const content = { kind: 'replay' as const, idempotencyKey: key, params: { ...query, up_to }, passing: ['up_to'] };
    const earlier = await this.jobs.startedBefore(caller, content);
    if (earlier) return earlier;
    const replayed = { ...(await this.toReplayed(query)), upTo: BigInt(up_to) };
    const count = await this.replays.count(replayed);
    if (count > expected)
      throw new AppError('CONFLICT', `${count} deliveries match by now, not ${expected}: look again`);
    return this.jobs.startReplay(caller, content, replayed, count);
  }

  private async listDeliveries(
    caller: Caller,
    filter: DeliveryFilterDto,
    part: ReturnType<typeof pageOf>,
  ): Promise<Page<ConsoleDeliveryDto>> {
    const page = await this.listing.deliveries(toDeliveryFilter(filter), part);
    return { ...page, data: page.data.map((each) => toConsoleDeliveryDto(each, caller)) };
  }

  private async toReplayed({ webhook, status, event, since }: ReplayFilterDto): Promise<Replayed> {
    const { merchant_id: merchantId } = await this.listing.get(webhook);
    return { merchantId, webhookId: webhook, status, event: event ?? undefined, since: checkedMoment(since) };
  }
}
