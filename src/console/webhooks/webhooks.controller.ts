import { Body, Controller, Get, Post, Query, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { AppError } from '../../core/errors.js';
import { answerCsv, everyPage, membersOf, type CsvColumns } from '../../core/http/csv-answer.js';
import { checkedMoment } from '../../core/moments.js';
import type { Page } from '../../core/pagination.js';
import { Database } from '../../database/database.js';
import { WebhookDeliveriesService } from '../../webhooks/webhook-deliveries.service.js';
import type { ListedStatus } from '../../webhooks/webhook-listing.repository.js';
import { WebhookListingService } from '../../webhooks/webhook-listing.service.js';
import { WebhookReplayService, type Replayed } from '../../webhooks/webhook-replay.service.js';
import { CurrentCaller, type Caller } from '../access/caller.js';
import { ConsoleRoute } from '../access/console-route.decorator.js';
import { IdempotencyKey, PathBigId, PathId } from '../access/parameters.js';
import { logExport } from '../export-log.js';
import { idsOf, valuesOf } from '../filters.js';
import { ConsoleJobsService } from '../jobs/console-jobs.service.js';
import { JobDto } from '../jobs/job.dto.js';
import { pageOf } from '../lists.js';
import {
  DeliveriesQueryDto,
  DeliveryFilterDto,
  ReplayDto,
  ReplayFilterDto,
  WebhookDeliveriesQueryDto,
  WebhooksQueryDto,
} from './webhook-queries.dto.js';
import {
  ConsoleDeliveryDetailDto,
  ConsoleDeliveryDto,
  ConsoleWebhookDetailDto,
  ConsoleWebhookDto,
  ReplayPreviewDto,
} from './webhook.dto.js';
import {
  toConsoleDeliveryDetailDto,
  toConsoleDeliveryDto,
  toConsoleWebhookDetailDto,
  toConsoleWebhookDto,
  toDeliveryFilter,
} from './webhook.mapper.js';

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
@ApiTags('Webhooks')
@Controller('api')
export class ConsoleWebhooksController {
  constructor(
    private readonly database: Database,
    private readonly listing: WebhookListingService,
    private readonly attempts: WebhookDeliveriesService,
    private readonly replays: WebhookReplayService,
    private readonly jobs: ConsoleJobsService,
  ) {}

  @Get('webhooks')
  @ConsoleRoute('webhooks.read', 'Webhooks of all merchants and their recent deliveries’ success, newest first', [
    ConsoleWebhookDto,
  ])
  async list(
    @CurrentCaller() caller: Caller,
    @Query() { merchant, status, ...query }: WebhooksQueryDto,
  ): Promise<Page<ConsoleWebhookDto>> {
    const filter = { merchantIds: idsOf(merchant), statuses: valuesOf<ListedStatus>(status) };
    const page = await this.listing.list(filter, pageOf(query));
    return { ...page, data: page.data.map((each) => toConsoleWebhookDto(each, caller)) };
  }

  @Post('webhooks/replay/preview')
  @ConsoleRoute('webhooks.replay', 'How many deliveries a replay would attempt once more', ReplayPreviewDto, {
    description: 'A replay skips deliveries of an inactive webhook, and deliveries with an attempt in flight.',
  })
  async preview(@Body() body: ReplayFilterDto): Promise<ReplayPreviewDto> {
    const upTo = await this.replays.lastId();
    const count = await this.replays.count({ ...(await this.toReplayed(body)), upTo });
    return { count, up_to: Number(upTo) };
  }

  @Post('webhooks/replay')
  @ConsoleRoute('webhooks.replay', 'Attempt deliveries once more, as a job', JobDto, {
    description: '409 if more deliveries match than `expected_count`, or another replay runs.',
    status: 201,
  })
  async replay(
    @CurrentCaller() caller: Caller,
    @IdempotencyKey() key: string | undefined,
    @Body() { up_to, expected_count: expected, ...filter }: ReplayDto,
  ): Promise<JobDto> {
    // `up_to` differs from preview to preview, so a repeated request may have another `up_to`.
    const content = {
      kind: 'replay' as const,
      idempotencyKey: key,
      params: { ...filter, up_to },
      timeDependent: ['up_to'],
    };
    const earlier = await this.jobs.startedBefore(caller, content);
    if (earlier) return earlier;
    const replayed = { ...(await this.toReplayed(filter)), upTo: BigInt(up_to) };
    const count = await this.replays.count(replayed);
    if (count > expected)
      throw new AppError('CONFLICT', `${count} deliveries match by now, not ${expected}: look again`);
    return this.jobs.startReplay(caller, content, replayed, count);
  }

  @Get('webhooks/:id')
  @ConsoleRoute('webhooks.read', 'A webhook with its settings, also one that was deleted', ConsoleWebhookDetailDto)
  async show(@CurrentCaller() caller: Caller, @PathId('webhook') id: number): Promise<ConsoleWebhookDetailDto> {
    return toConsoleWebhookDetailDto(await this.listing.get(id), caller);
  }

  @Get('webhooks/:id/deliveries')
  @ConsoleRoute('webhooks.read', 'A webhook’s deliveries, newest first', [ConsoleDeliveryDto])
  async deliveriesOf(
    @CurrentCaller() caller: Caller,
    @PathId('webhook') id: number,
    @Query() query: WebhookDeliveriesQueryDto,
  ): Promise<Page<ConsoleDeliveryDto>> {
    await this.listing.get(id);
    return this.deliveries(caller, { ...query, webhook: String(id) });
  }

  @Post('webhooks/:id/test')
  @ConsoleRoute('webhooks.test', 'Send a test event with a sample order, once', ConsoleDeliveryDetailDto, {
    status: 201,
  })
  async test(@CurrentCaller() caller: Caller, @PathId('webhook') id: number): Promise<ConsoleDeliveryDetailDto> {
    const { merchant_id: merchantId } = await this.listing.get(id);
    const { id: delivery } = await this.attempts.test(merchantId, id, caller.actor());
    return this.delivery(caller, BigInt(delivery));
  }

  @Get('deliveries')
  @ConsoleRoute('webhooks.read', 'Deliveries to all webhooks, newest first', [ConsoleDeliveryDto])
  deliveries(
    @CurrentCaller() caller: Caller,
    @Query() { limit, cursor, ...filter }: DeliveriesQueryDto,
  ): Promise<Page<ConsoleDeliveryDto>> {
    return this.listDeliveries(caller, filter, pageOf({ limit, cursor }));
  }

  @Get('deliveries.csv')
  @ConsoleRoute('exports.run', 'The deliveries of a filter as CSV, at most 1,000,000 lines', 'csv', {
    description: 'UTF-8 with a byte order mark. The audit log records the filters and the number of lines.',
  })
  async export(
    @CurrentCaller() caller: Caller,
    @Query() filter: DeliveryFilterDto,
    @Res() response: Response,
  ): Promise<void> {
    const pages = everyPage((cursor) => this.listDeliveries(caller, filter, { cursor, limit: CSV_PAGE }));
    await answerCsv(response, 'deliveries.csv', CSV_COLUMNS, pages, (lines) =>
      logExport(this.database, caller, { list: 'deliveries', filter, lines }),
    );
  }

  @Get('deliveries/:id')
  @ConsoleRoute('webhooks.read', 'A delivery with its body and every attempt', ConsoleDeliveryDetailDto)
  async delivery(
    @CurrentCaller() caller: Caller,
    @PathBigId('delivery') id: bigint,
  ): Promise<ConsoleDeliveryDetailDto> {
    return toConsoleDeliveryDetailDto(await this.listing.delivery(id), caller);
  }

  @Post('deliveries/:id/retry')
  @ConsoleRoute('webhooks.replay', 'Attempt a delivery once more, at once', ConsoleDeliveryDetailDto, {
    description: '409 while the webhook is inactive, or an attempt is in flight.',
  })
  async retry(@CurrentCaller() caller: Caller, @PathBigId('delivery') id: bigint): Promise<ConsoleDeliveryDetailDto> {
    const { merchant_id: merchantId, webhook_id: webhookId } = await this.listing.delivery(id);
    await this.attempts.retry(merchantId, webhookId, id, caller.actor());
    return this.delivery(caller, id);
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
