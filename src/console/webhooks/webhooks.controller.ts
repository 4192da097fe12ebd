import { Body, Controller, Get, Post, Query, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import type { Page } from '../../core/pagination.js';
import { CurrentCaller, type Caller } from '../access/caller.js';
import { ConsoleRoute } from '../access/console-route.decorator.js';
import { IdempotencyKey, PathBigId, PathId } from '../access/parameters.js';
import { JobDto } from '../jobs/job.dto.js';
import { WebhookViewsService } from './webhook-views.service.js';
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

@ApiTags('Webhooks')
@Controller('api')
export class ConsoleWebhooksController {
  constructor(private readonly webhooks: WebhookViewsService) {}

  @Get('webhooks')
  @ConsoleRoute('webhooks.read', 'Webhooks of all merchants and their recent deliveries’ success, newest first', [
    ConsoleWebhookDto,
  ])
  list(@CurrentCaller() caller: Caller, @Query() query: WebhooksQueryDto): Promise<Page<ConsoleWebhookDto>> {
    return this.webhooks.list(caller, query);
  }

  @Post('webhooks/replay/preview')
  @ConsoleRoute('webhooks.replay', 'How many deliveries a replay would attempt once more', ReplayPreviewDto, {
    description: 'A replay skips deliveries of an inactive webhook, and deliveries with an attempt in flight.',
  })
  preview(@Body() body: ReplayFilterDto): Promise<ReplayPreviewDto> {
    return this.webhooks.preview(body);
  }

  @Post('webhooks/replay')
  @ConsoleRoute('webhooks.replay', 'Attempt deliveries once more, as a job', JobDto, {
    description: '409 if more deliveries match than `expected_count`, or another replay runs.',
    status: 201,
  })
  replay(
    @CurrentCaller() caller: Caller,
    @IdempotencyKey() key: string | undefined,
    @Body() body: ReplayDto,
  ): Promise<JobDto> {
    return this.webhooks.replay(caller, key, body);
  }

  @Get('webhooks/:id')
  @ConsoleRoute('webhooks.read', 'A webhook with its settings, also one that was deleted', ConsoleWebhookDetailDto)
  show(@CurrentCaller() caller: Caller, @PathId('webhook') id: number): Promise<ConsoleWebhookDetailDto> {
    return this.webhooks.show(caller, id);
  }

  @Get('webhooks/:id/deliveries')
  @ConsoleRoute('webhooks.read', 'A webhook’s deliveries, newest first', [ConsoleDeliveryDto])
  deliveriesOf(
    @CurrentCaller() caller: Caller,
    @PathId('webhook') id: number,
    @Query() query: WebhookDeliveriesQueryDto,
  ): Promise<Page<ConsoleDeliveryDto>> {
    return this.webhooks.deliveriesOf(caller, id, query);
  }

  @Post('webhooks/:id/test')
  @ConsoleRoute('webhooks.test', 'Send a test event with a sample order, once', ConsoleDeliveryDetailDto, {
    status: 201,
  })
  test(@CurrentCaller() caller: Caller, @PathId('webhook') id: number): Promise<ConsoleDeliveryDetailDto> {
    return this.webhooks.test(caller, id);
  }

  @Get('deliveries')
  @ConsoleRoute('webhooks.read', 'Deliveries to all webhooks, newest first', [ConsoleDeliveryDto])
  deliveries(@CurrentCaller() caller: Caller, @Query() query: DeliveriesQueryDto): Promise<Page<ConsoleDeliveryDto>> {
    return this.webhooks.allDeliveries(caller, query);
  }

  @Get('deliveries.csv')
  @ConsoleRoute('exports.run', 'The deliveries of a filter as CSV, at most 1,000,000 lines', 'csv', {
    description: 'UTF-8 with a byte order mark. The audit log records the filters and the number of lines.',
  })
  export(@CurrentCaller() caller: Caller, @Query() query: DeliveryFilterDto, @Res() response: Response): Promise<void> {
    return this.webhooks.export(caller, query, response);
  }

  @Get('deliveries/:id')
  @ConsoleRoute('webhooks.read', 'A delivery with its body and every attempt', ConsoleDeliveryDetailDto)
  delivery(@CurrentCaller() caller: Caller, @PathBigId('delivery') id: bigint): Promise<ConsoleDeliveryDetailDto> {
    return this.webhooks.delivery(caller, id);
  }

  @Post('deliveries/:id/retry')
  @ConsoleRoute('webhooks.replay', 'Attempt a delivery once more, at once', ConsoleDeliveryDetailDto, {
    description: '409 while the webhook is inactive, or an attempt is in flight.',
  })
  retry(@CurrentCaller() caller: Caller, @PathBigId('delivery') id: bigint): Promise<ConsoleDeliveryDetailDto> {
    return this.webhooks.retry(caller, id);
  }
}
