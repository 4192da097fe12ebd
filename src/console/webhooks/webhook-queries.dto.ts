import { IntersectionType, OmitType } from '@nestjs/swagger';
import { MAX_INTEGER } from '../../core/pagination.js';
import { Integer, Moment, OneOf } from '../../core/validation/member.decorators.js';
import { DELIVERED_EVENTS, type DeliveredEvent } from '../../events/event.entity.js';
import { DELIVERY_STATUSES, type DeliveryStatus } from '../../webhooks/delivery.entity.js';
import { WEBHOOK_STATUSES } from '../../webhooks/webhook.entity.js';
import { AnyId, AnyOf } from '../filters.js';
import { Id, ListQueryDto } from '../orders/order-queries.dto.js';

export class WebhooksQueryDto extends ListQueryDto {
  @AnyId('The id of a merchant') merchant?: string;
  @AnyOf(
    [...WEBHOOK_STATUSES, 'failing'],
    '`failing`: active webhooks of live merchants whose deliveries have failed for more than an hour without a success',
  )
  status?: string;
}

export class DeliveryFilterDto {
  @AnyOf(DELIVERY_STATUSES, 'The status') status?: string;
  @AnyId('The id of a merchant') merchant?: string;
  @Id('The id of a webhook') webhook?: string;
  @AnyOf(DELIVERED_EVENTS, 'The event') event?: string;
  @Moment({ optional: true, description: 'Created at or after' }) from?: string;
}

export class DeliveriesQueryDto extends IntersectionType(DeliveryFilterDto, ListQueryDto) {}

/** A filter of one webhook's deliveries. */
export class WebhookDeliveriesQueryDto extends OmitType(DeliveriesQueryDto, ['merchant', 'webhook']) {}

/** The filter of a replay: the replay attempts the matching deliveries once more. */
export class ReplayFilterDto {
  @Integer(1, Number(MAX_INTEGER), { example: 7, description: 'The id of the webhook' }) webhook!: number;
  @OneOf(DELIVERY_STATUSES, { example: 'failed' }) status!: DeliveryStatus;
  @OneOf(DELIVERED_EVENTS, { optional: true, nullable: true }) event?: DeliveredEvent | null;
  @Moment({ description: 'Created at or after' }) since!: string;
}

export class ReplayDto extends ReplayFilterDto {
  @Integer(0, Number.MAX_SAFE_INTEGER, {
    example: 5012,
    description: 'The `up_to` of the preview: deliveries with a higher id are not attempted',
  })
  up_to!: number;
  @Integer(1, Number.MAX_SAFE_INTEGER, {
    example: 120,
    description: 'The `count` of the preview: 409 if more deliveries match by now',
  })
  expected_count!: number;
}
