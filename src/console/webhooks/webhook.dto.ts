import { ApiProperty } from '@nestjs/swagger';
import { Shown } from '../../core/http/answer.decorators.js';
import { DELIVERED_EVENTS, EVENT_KINDS } from '../../events/event.entity.js';
import { ATTEMPT_ERRORS } from '../../webhooks/delivery-attempt.entity.js';
import { DELIVERY_STATUSES } from '../../webhooks/delivery.entity.js';
import { WEBHOOK_STATUSES } from '../../webhooks/webhook.entity.js';
import { MerchantNameDto } from '../orders/order.dto.js';

export class SuccessShareDto {
  @Shown.integer(97, 'The number of `ended` deliveries that succeeded') succeeded!: number;
  @Shown.integer(100, 'Deliveries that have ended: the latest, at most 100') ended!: number;
}

/** A webhook in a list. */
export class ConsoleWebhookDto {
  @Shown.integer(7) id!: number;
  @Shown.text('https://shop.example/webhooks/topup') url!: string;
  @ApiProperty({ type: MerchantNameDto }) merchant!: MerchantNameDto;
  @ApiProperty({ type: [String], enum: EVENT_KINDS, example: ['order.completed'] }) events!: string[];
  @Shown.oneOf(WEBHOOK_STATUSES, 'active') status!: string;
  @Shown.nullableMoment('When the latest successful delivery succeeded') last_success_at!: Date | null;
  @Shown.nullableMoment(
    'The creation time of the oldest failing delivery after the latest success: one that failed or waits for a retry. Null if there is none',
  )
  failing_since!: Date | null;
  @Shown.integer(0, 'Deliveries that wait; 1001 or more stands for more than 1,000') waiting!: number;
  @ApiProperty({ type: SuccessShareDto, description: 'The deliveries of the last 24 hours' })
  day!: SuccessShareDto;
}

/** A webhook with its settings, but never with its secret. */
export class ConsoleWebhookDetailDto extends ConsoleWebhookDto {
  @Shown.text('whsec_MF...') secret_hint!: string;
  @Shown.nullableMoment('Until when the previous secret signs as well') previous_secret_expires_at!: Date | null;
  @Shown.integer(3) max_retries!: number;
  @Shown.integer(60, 'Seconds between attempts') retry_delay!: number;
  @Shown.flag(false, 'Whether it receives codes and serial numbers') include_deliveries!: boolean;
  @Shown.moment() created_at!: Date;
  @Shown.moment() updated_at!: Date;
  @Shown.nullableMoment() deleted_at!: Date | null;
}

export class LastAttemptDto {
  @Shown.nullableInteger(500, 'Null when there was no answer') response_status!: number | null;
  @Shown.nullableOneOf(ATTEMPT_ERRORS, null) error!: string | null;
  @Shown.integer(87) duration_ms!: number;
}

export class WebhookNameDto {
  @Shown.integer(7) id!: number;
  @Shown.text('https://shop.example/webhooks/topup') url!: string;
}

/** A delivery in a list. */
export class ConsoleDeliveryDto {
  @Shown.integer(5012) id!: number;
  @ApiProperty({ type: WebhookNameDto }) webhook!: WebhookNameDto;
  @ApiProperty({ type: MerchantNameDto }) merchant!: MerchantNameDto;
  @Shown.text('evt_3bqFzJ0WnXrT5c8HsVdK2m') event_id!: string;
  @Shown.oneOf(DELIVERED_EVENTS, 'order.completed') event!: string;
  @Shown.nullableText('ord_Np3O7rcsqNmBTwD7', 'Null for events that are not about an order') order_number!:
    string | null;
  @Shown.nullableText('shop-10001', 'Null if the event has none, or if the operator may not see its data')
  reference_id!: string | null;
  @Shown.oneOf(DELIVERY_STATUSES, 'failed') status!: string;
  @Shown.flag(false, 'Whether an attempt is in flight') in_flight!: boolean;
  @Shown.integer(4, 'Attempts that have ended') attempt_count!: number;
  @Shown.nullableMoment() next_attempt_at!: Date | null;
  @ApiProperty({ type: LastAttemptDto, nullable: true }) last_attempt!: LastAttemptDto | null;
  @Shown.moment() created_at!: Date;
  @Shown.moment() updated_at!: Date;
}

export class ConsoleAttemptDto extends LastAttemptDto {
  @Shown.integer(1) number!: number;
  @Shown.moment() started_at!: string;
  @Shown.nullableText('Internal Server Error', 'The first KiB of the answer') response_body!: string | null;
  @Shown.flag(false, 'Whether `response_body` is null because it may repeat what the operator may not see')
  is_hidden!: boolean;
}

/** A delivery with its body and every attempt. */
export class ConsoleDeliveryDetailDto extends ConsoleDeliveryDto {
  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    description:
      'The event, without codes. Operators who may not read players see only the last characters of the player’s ids, and no ' +
      '`metadata`. `data` is null for operators who may not see what the event is about, such as deposits',
  })
  body!: Record<string, unknown>;
  @ApiProperty({ type: [ConsoleAttemptDto], description: 'Oldest first' }) attempts!: ConsoleAttemptDto[];
}

export class ReplayPreviewDto {
  @Shown.integer(120, 'How many deliveries the replay would attempt') count!: number;
  @Shown.integer(5012, 'The highest id that the preview counts') up_to!: number;
}
