import { ApiProperty } from '@nestjs/swagger';
import { ApiMoment, ApiNullableText } from '../core/http/answer.decorators.js';
import { PageQueryDto } from '../core/http/page-query.dto.js';
import { OneOf } from '../core/validation/member.decorators.js';
import { ATTEMPT_ERRORS } from './delivery-attempt.entity.js';
import { DELIVERED_EVENTS, type DeliveredEvent } from '../events/event.entity.js';
import { DELIVERY_STATUSES, type DeliveryStatus } from './delivery.entity.js';

/** One event on its way to one webhook. */
export class DeliveryDto {
  @ApiProperty({ type: 'integer', example: 5012 }) id!: number;
  @ApiProperty({ type: 'integer', example: 7 }) webhook_id!: number;
  @ApiProperty({
    example: 'evt_3bqFzJ0WnXrT5c8HsVdK2m',
    description: 'Sent as `webhook-id` with every attempt',
  })
  event_id!: string;
  @ApiProperty({ enum: DELIVERED_EVENTS, example: 'order.completed' }) event!: string;
  @ApiNullableText('order-1001', 'Null for events that are about neither an order nor a deposit')
  reference_id!: string | null;
  @ApiProperty({ enum: DELIVERY_STATUSES, example: 'pending' }) status!: string;
  @ApiProperty({ type: 'integer', example: 1, description: 'Attempts that have ended' })
  attempt_count!: number;
  @ApiMoment({ nullable: true, description: 'Null when no attempt is planned, or one is in flight' })
  next_attempt_at!: string | null;
  @ApiMoment() created_at!: string;
  @ApiMoment() updated_at!: string;
}

/** One attempt to send the event. If no connection was possible, nothing was sent, and the attempt counts all the same. */
export class AttemptDto {
  @ApiProperty({ type: 'integer', example: 1 }) number!: number;
  @ApiMoment() started_at!: string;
  @ApiProperty({ type: 'integer', example: 87 }) duration_ms!: number;
  @ApiProperty({
    type: 'integer',
    nullable: true,
    example: 500,
    description: 'Null when there was no response',
  })
  response_status!: number | null;
  @ApiProperty({
    nullable: true,
    enum: [...ATTEMPT_ERRORS, null],
    example: null,
    description: 'Why there was no response',
  })
  error!: string | null;
  @ApiNullableText('Internal Server Error', 'The first KiB of the response')
  response_body!: string | null;
}

export class DeliveryDetailDto extends DeliveryDto {
  @ApiProperty({ type: [AttemptDto], description: 'Oldest first' }) attempts!: AttemptDto[];
}

export class DeliveryListQuery extends PageQueryDto {
  @OneOf(DELIVERY_STATUSES, { optional: true })
  status?: DeliveryStatus;

  @OneOf(DELIVERED_EVENTS, { optional: true })
  event?: DeliveredEvent;
}
