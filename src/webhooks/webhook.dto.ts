import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { ApiMoment } from '../core/http/answer.decorators.js';
import { EVENT_KINDS, ORDER_EVENT_KINDS } from '../events/event.entity.js';
import { WEBHOOK_STATUSES } from './webhook.entity.js';

/** A webhook as merchants see it (specification, section 2.3). */
export class WebhookDto {
  @ApiProperty({ type: 'integer', example: 7 }) id!: number;
  @ApiProperty({ format: 'uri', example: 'https://shop.example/webhooks/topup' }) url!: string;
  @ApiProperty({ type: [String], enum: EVENT_KINDS, example: ORDER_EVENT_KINDS }) events!: string[];
  @ApiProperty({
    example: 'whsec_MF...',
    description: 'The first 8 characters of the secret and three dots',
  })
  secret_hint!: string;
  @ApiProperty({ enum: WEBHOOK_STATUSES, example: 'active' }) status!: string;
  @ApiProperty({ type: 'integer', example: 3, description: 'Retries after a failed first attempt' })
  max_retries!: number;
  @ApiProperty({ type: 'integer', example: 60, description: 'Minimum seconds between attempts' })
  retry_delay!: number;
  @ApiProperty({
    example: false,
    description: 'Whether events about orders carry the codes and serial numbers that were handed over',
  })
  include_deliveries!: boolean;
  @ApiMoment() created_at!: string;
  @ApiMoment() updated_at!: string;
}

export class CreatedWebhookDto extends WebhookDto {
  @ApiPropertyOptional({
    example: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwkGf3nX0rV6E=',
    description: 'The generated secret, if you gave none: shown here and never again',
  })
  secret?: string;
}

export class DeletedWebhookDto {
  @ApiProperty({ example: true }) success!: boolean;
  @ApiProperty({ example: 'Webhook 7 was deleted' }) message!: string;
}
