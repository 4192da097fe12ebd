import { Controller, Get, Post, Query } from '@nestjs/common';
import { ApiSecurity, ApiTags } from '@nestjs/swagger';
import type { Caller } from '../auth/caller.js';
import { CurrentCaller } from '../auth/api-key.guard.js';
import { ApiRoute } from '../core/http/api-route.decorator.js';
import { EmptyBody } from '../core/validation/request-validation.pipe.js';
import type { Page } from '../core/pagination.js';
import { DeliveryDetailDto, DeliveryDto, DeliveryListQuery } from './delivery.dto.js';
import { DeliveryId, WebhookId } from './path-id.decorators.js';
import { WebhookDeliveriesService } from './webhook-deliveries.service.js';

@ApiTags('Webhooks')
@ApiSecurity('api-key')
@Controller('v1/merchant-webhooks/:id')
export class DeliveriesController {
  constructor(private readonly deliveries: WebhookDeliveriesService) {}

  @Get('deliveries')
  @ApiRoute({
    summary: 'List a webhook’s deliveries, newest first',
    description: 'The status of each event’s delivery to this webhook.',
    answer: { pageOf: DeliveryDto, description: 'A page of deliveries' },
    errors: ['BAD_REQUEST', 'NOT_FOUND'],
  })
  listDeliveries(
    @CurrentCaller() caller: Caller,
    @WebhookId() id: number,
    @Query() query: DeliveryListQuery,
  ): Promise<Page<DeliveryDto>> {
    return this.deliveries.list(caller.merchantId, id, query);
  }

  @Get('deliveries/:delivery_id')
  @ApiRoute({
    summary: 'See a delivery and its attempts',
    description: 'For each attempt: when it was made, how long it took, and the response or error.',
    answer: { type: DeliveryDetailDto },
    errors: ['BAD_REQUEST', 'NOT_FOUND'],
  })
  getDelivery(
    @CurrentCaller() caller: Caller,
    @WebhookId() id: number,
    @DeliveryId() deliveryId: bigint,
  ): Promise<DeliveryDetailDto> {
    return this.deliveries.get(caller.merchantId, id, deliveryId);
  }

  @Post('deliveries/:delivery_id/retry')
  @ApiRoute({
    summary: 'Try a delivery once more',
    description:
      'Makes one attempt at once, whatever the status of the delivery is, with the same event id and bytes. No automatic ' +
      'retry follows.',
    status: 202,
    answer: { type: DeliveryDto },
    errors: ['BAD_REQUEST', 'NOT_FOUND', 'CONFLICT', 'PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE'],
  })
  retryDelivery(
    @CurrentCaller() caller: Caller,
    @WebhookId() id: number,
    @DeliveryId() deliveryId: bigint,
    @EmptyBody() _body: void,
  ): Promise<DeliveryDto> {
    return this.deliveries.retry(caller.merchantId, id, deliveryId);
  }

  @Post('test')
  @ApiRoute({
    summary: 'Send a test event',
    description: 'One signed `webhook.test` with a sample order, also to an inactive webhook. It is not retried.',
    status: 202,
    answer: { type: DeliveryDto },
    errors: ['BAD_REQUEST', 'NOT_FOUND', 'PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE'],
  })
  sendTestEvent(
    @CurrentCaller() caller: Caller,
    @WebhookId() id: number,
    @EmptyBody() _body: void,
  ): Promise<DeliveryDto> {
    return this.deliveries.test(caller.merchantId, id);
  }
}
