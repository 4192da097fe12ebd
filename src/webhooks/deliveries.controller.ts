import { Controller, Get, HttpCode, Post, Query } from '@nestjs/common';
import {
  ApiAcceptedResponse,
  ApiOkResponse,
  ApiOperation,
  ApiParam,
  ApiSecurity,
  ApiTags,
} from '@nestjs/swagger';
import type { Caller } from '../auth/api-key-verifier.js';
import { CurrentCaller } from '../auth/authentication.js';
import { ApiErrors } from '../core/http/api-errors.js';
import { ApiPage, type Page } from '../core/pagination.js';
import { DeliveryDetailDto, DeliveryDto, DeliveryListQuery } from './delivery.dto.js';
import { EmptyBody } from './empty-body.pipe.js';
import { DeliveryId, WebhookId } from './path-ids.js';
import { WebhookDeliveriesService } from './webhook-deliveries.service.js';

const ApiDeliveryId = (): MethodDecorator =>
  ApiParam({ name: 'delivery_id', schema: { type: 'integer' }, example: 5012 });

@ApiTags('Webhooks')
@ApiSecurity('api-key')
@ApiParam({ name: 'id', schema: { type: 'integer' }, example: 7 })
@Controller('v1/merchant-webhooks/:id')
export class DeliveriesController {
  constructor(private readonly deliveries: WebhookDeliveriesService) {}

  @Get('deliveries')
  @ApiOperation({
    summary: 'List a webhook’s deliveries, newest first',
    description: 'What became of each event on its way to this webhook.',
  })
  @ApiPage(DeliveryDto, 'A page of deliveries')
  @ApiErrors('BAD_REQUEST', 'NOT_FOUND')
  listDeliveries(
    @CurrentCaller() caller: Caller,
    @WebhookId() id: number,
    @Query() query: DeliveryListQuery,
  ): Promise<Page<DeliveryDto>> {
    return this.deliveries.list(caller.merchantId, id, query);
  }

  @Get('deliveries/:delivery_id')
  @ApiOperation({
    summary: 'See a delivery and its attempts',
    description: 'Of each attempt, when it was made, how long it took, and what was answered or went wrong.',
  })
  @ApiDeliveryId()
  @ApiOkResponse({ type: DeliveryDetailDto })
  @ApiErrors('BAD_REQUEST', 'NOT_FOUND')
  getDelivery(
    @CurrentCaller() caller: Caller,
    @WebhookId() id: number,
    @DeliveryId() deliveryId: bigint,
  ): Promise<DeliveryDetailDto> {
    return this.deliveries.get(caller.merchantId, id, deliveryId);
  }

  @Post('deliveries/:delivery_id/retry')
  @HttpCode(202)
  @ApiOperation({
    summary: 'Try a delivery once more',
    description:
      'At once, whatever its status, with the same event id and bytes. No retry follows by itself.',
  })
  @ApiDeliveryId()
  @ApiAcceptedResponse({ type: DeliveryDto })
  @ApiErrors('BAD_REQUEST', 'NOT_FOUND', 'CONFLICT', 'PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE')
  retryDelivery(
    @CurrentCaller() caller: Caller,
    @WebhookId() id: number,
    @DeliveryId() deliveryId: bigint,
    @EmptyBody() _body: void,
  ): Promise<DeliveryDto> {
    return this.deliveries.retry(caller.merchantId, id, deliveryId);
  }

  @Post('test')
  @HttpCode(202)
  @ApiOperation({
    summary: 'Send a test event',
    description:
      'One signed `webhook.test` with a sample order, also to an inactive webhook. It is not retried.',
  })
  @ApiAcceptedResponse({ type: DeliveryDto })
  @ApiErrors('BAD_REQUEST', 'NOT_FOUND', 'PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE')
  sendTestEvent(
    @CurrentCaller() caller: Caller,
    @WebhookId() id: number,
    @EmptyBody() _body: void,
  ): Promise<DeliveryDto> {
    return this.deliveries.test(caller.merchantId, id);
  }
}
