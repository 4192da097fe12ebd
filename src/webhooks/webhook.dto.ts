import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { EVENT_KINDS, ORDER_EVENT_KINDS } from '../events/event.entity.js';
import { WEBHOOK_STATUSES, type Webhook } from './webhook.entity.js';

/** A webhook as merchants see it (specification, section 2.3). */
export class WebhookDto {
  @ApiProperty({ type: 'integer', example: 7 }) id!: number;
  @ApiProperty({ type: String, format: 'uri', example: 'https://shop.example/webhooks/topup' }) url!: string;
  @ApiProperty({ type: [String], enum: EVENT_KINDS, example: ORDER_EVENT_KINDS }) events!: string[];
  @ApiProperty({
    type: String,
    example: 'whsec_MF...',
    description: 'The first 8 characters of the secret and three dots',
  })
  secret_hint!: string;
  @ApiProperty({ type: String, enum: WEBHOOK_STATUSES, example: 'active' }) status!: string;
  @ApiProperty({ type: 'integer', example: 3, description: 'Retries after a failed first attempt' })
  max_retries!: number;
  @ApiProperty({ type: 'integer', example: 60, description: 'Minimum seconds between attempts' })
  retry_delay!: number;
  @ApiProperty({ type: String, format: 'date-time', example: '2026-01-15T08:30:00.123Z' })
  created_at!: string;
  @ApiProperty({ type: String, format: 'date-time', example: '2026-01-15T08:30:00.123Z' })
  updated_at!: string;
}

export class CreatedWebhookDto extends WebhookDto {
  @ApiPropertyOptional({
    type: String,
    example: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwkGf3nX0rV6E=',
    description: 'The generated secret, if you gave none: shown here and never again',
  })
  secret?: string;
}

export class DeletedWebhookDto {
  @ApiProperty({ type: Boolean, example: true }) success!: boolean;
  @ApiProperty({ type: String, example: 'Webhook 7 was deleted' }) message!: string;
}

export function toWebhookDto(webhook: Webhook): WebhookDto {
  return {
    id: webhook.id,
    url: webhook.url,
    events: webhook.events,
    secret_hint: webhook.secret_hint,
    status: webhook.status,
    max_retries: webhook.max_retries,
    retry_delay: webhook.retry_delay,
    created_at: webhook.created_at.toISOString(),
    updated_at: webhook.updated_at.toISOString(),
  };
}
