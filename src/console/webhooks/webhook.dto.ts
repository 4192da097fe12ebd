import { ApiProperty } from '@nestjs/swagger';
import { ApiMoment, ApiNullableText } from '../../core/http/answer.decorators.js';
import { DELIVERED_EVENTS, EVENT_KINDS } from '../../events/event.entity.js';
import { ATTEMPT_ERRORS } from '../../webhooks/delivery-attempt.entity.js';
import { DELIVERY_STATUSES } from '../../webhooks/delivery.entity.js';
import { WEBHOOK_STATUSES } from '../../webhooks/webhook.entity.js';
import { MerchantNameDto } from '../orders/order.dto.js';

export class SuccessShareDto {
  @ApiProperty({ type: 'integer', example: 97 }) succeeded!: number;
  @ApiProperty({ type: 'integer', example: 100, description: 'At most 100, the latest' }) ended!: number;
}

/** A webhook in a list. */
export class ConsoleWebhookDto {
  @ApiProperty({ type: 'integer', example: 7 }) id!: number;
  @ApiProperty({ example: 'https://shop.example/webhooks/topup' }) url!: string;
  @ApiProperty({ type: MerchantNameDto }) merchant!: MerchantNameDto;
  @ApiProperty({ type: [String], enum: EVENT_KINDS, example: ['order.completed'] }) events!: string[];
  @ApiProperty({ enum: WEBHOOK_STATUSES, example: 'active' }) status!: string;
  @ApiMoment({ nullable: true, description: 'When the latest delivery that succeeded did' })
  last_success_at!: string | null;
  @ApiMoment({
    nullable: true,
    description: 'Since when deliveries fail and none succeeded; null while they succeed',
  })
  failing_since!: string | null;
  @ApiProperty({
    type: 'integer',
    example: 0,
    description: 'Deliveries that wait; 1001 or more stands for more than 1,000',
  })
  waiting!: number;
  @ApiProperty({ type: SuccessShareDto, description: 'Of the deliveries of 24 hours that have ended' })
  day!: SuccessShareDto;
}

/** A webhook with its settings. Its secret is shown to nobody. */
export class ConsoleWebhookDetailDto extends ConsoleWebhookDto {
  @ApiProperty({ example: 'whsec_MF...' }) secret_hint!: string;
  @ApiMoment({ nullable: true, description: 'Until when the secret before signs as well' })
  previous_secret_expires_at!: string | null;
  @ApiProperty({ type: 'integer', example: 3 }) max_retries!: number;
  @ApiProperty({ type: 'integer', example: 60, description: 'Seconds between attempts' })
  retry_delay!: number;
  @ApiProperty({ example: false, description: 'Whether it is told codes and serial numbers' })
  include_deliveries!: boolean;
  @ApiMoment() created_at!: string;
  @ApiMoment() updated_at!: string;
  @ApiMoment({ nullable: true }) deleted_at!: string | null;
}

const Status = (): PropertyDecorator =>
  ApiProperty({
    type: 'integer',
    nullable: true,
    example: 500,
    description: 'Null when there was no answer',
  });
const Failure = (): PropertyDecorator =>
  ApiProperty({ type: String, nullable: true, enum: [...ATTEMPT_ERRORS, null], example: null });

export class LastAttemptDto {
  @Status() response_status!: number | null;
  @Failure() error!: string | null;
  @ApiProperty({ type: 'integer', example: 87 }) duration_ms!: number;
}

export class WebhookNameDto {
  @ApiProperty({ type: 'integer', example: 7 }) id!: number;
  @ApiProperty({ example: 'https://shop.example/webhooks/topup' }) url!: string;
}

/** A delivery in a list. */
export class ConsoleDeliveryDto {
  @ApiProperty({ type: 'integer', example: 5012 }) id!: number;
  @ApiProperty({ type: WebhookNameDto }) webhook!: WebhookNameDto;
  @ApiProperty({ type: MerchantNameDto }) merchant!: MerchantNameDto;
  @ApiProperty({ example: 'evt_3bqFzJ0WnXrT5c8HsVdK2m' }) event_id!: string;
  @ApiProperty({ enum: DELIVERED_EVENTS, example: 'order.completed' }) event!: string;
  @ApiNullableText('ord_Np3O7rcsqNmBTwD7', 'Null for events that are not about an order')
  order_number!: string | null;
  @ApiNullableText('shop-10001') reference_id!: string | null;
  @ApiProperty({ enum: DELIVERY_STATUSES, example: 'failed' }) status!: string;
  @ApiProperty({ example: false, description: 'Whether an attempt is in flight' }) in_flight!: boolean;
  @ApiProperty({ type: 'integer', example: 4, description: 'Attempts that have ended' })
  attempt_count!: number;
  @ApiMoment({ nullable: true }) next_attempt_at!: string | null;
  @ApiProperty({ type: LastAttemptDto, nullable: true }) last_attempt!: LastAttemptDto | null;
  @ApiMoment() created_at!: string;
  @ApiMoment() updated_at!: string;
}

export class ConsoleAttemptDto extends LastAttemptDto {
  @ApiProperty({ type: 'integer', example: 1 }) number!: number;
  @ApiMoment() started_at!: string;
  @ApiNullableText('Internal Server Error', 'The first KiB of the answer') response_body!: string | null;
  @ApiProperty({ example: false, description: 'Whether the answer repeats what this role may not see' })
  is_hidden!: boolean;
}

/** A delivery with what was sent, and every attempt. */
export class ConsoleDeliveryDetailDto extends ConsoleDeliveryDto {
  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    description: 'The event; codes are not in it, and players are cut for those who may not read them',
  })
  body!: Record<string, unknown>;
  @ApiProperty({ type: [ConsoleAttemptDto], description: 'Oldest first' }) attempts!: ConsoleAttemptDto[];
}

export class ReplayPreviewDto {
  @ApiProperty({ type: 'integer', example: 120 }) count!: number;
  @ApiProperty({ type: 'integer', example: 5012, description: 'No delivery of a higher id is among them' })
  up_to!: number;
}
