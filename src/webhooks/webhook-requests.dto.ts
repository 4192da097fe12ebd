import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Absent, AbsentOrNull, Integer, OneOf, Rule, SomeOf, Text } from '../core/validation/rule.js';
import { EVENT_KINDS, ORDER_EVENT_KINDS, type EventKind } from '../events/event.entity.js';
import { WEBHOOK_STATUSES, type WebhookStatus } from './webhook.entity.js';
import { MAX_URL_LENGTH, urlProblem } from './webhook-url.js';

const MAX_RETRIES = 10;
const MAX_RETRY_DELAY_SECONDS = 86_400;
const MAX_OVERLAP_SECONDS = 604_800;

const Url = (): PropertyDecorator =>
  Rule((value) => {
    if (value === undefined || value === null) return { code: 'REQUIRED', words: 'is required' };
    if (typeof value !== 'string') return { code: 'INVALID_TYPE', words: 'must be a string' };
    const words = urlProblem(value);
    return words === null ? null : { code: 'INVALID_VALUE', words };
  });

const url = {
  type: String,
  format: 'uri',
  maxLength: MAX_URL_LENGTH,
  example: 'https://shop.example/webhooks/topup',
};
const secret = { type: String, minLength: 16, maxLength: 255, example: 'a-secret-of-your-own' };
const events = {
  type: String,
  isArray: true,
  enum: EVENT_KINDS,
  minItems: 1,
  example: ORDER_EVENT_KINDS,
} as const;
const maxRetries = { type: 'integer', minimum: 0, maximum: MAX_RETRIES, example: 3 } as const;
const retryDelay = {
  type: 'integer',
  minimum: 1,
  maximum: MAX_RETRY_DELAY_SECONDS,
  example: 60,
  description: 'Seconds',
} as const;

/** The body of POST /v1/merchant-webhooks (specification, section 4.4). Null in an optional member means absent. */
export class CreateWebhookDto {
  @ApiProperty(url)
  @Url()
  url!: string;

  @ApiPropertyOptional({ ...secret, nullable: true, description: 'Generated when absent' })
  @AbsentOrNull()
  @Text(16, 255)
  secret?: string | null;

  @ApiPropertyOptional({ ...events, nullable: true, description: 'The ends of orders when absent' })
  @AbsentOrNull()
  @SomeOf(EVENT_KINDS)
  events?: EventKind[] | null;

  @ApiPropertyOptional({ ...maxRetries, nullable: true, description: '3 when absent' })
  @AbsentOrNull()
  @Integer(0, MAX_RETRIES)
  max_retries?: number | null;

  @ApiPropertyOptional({ ...retryDelay, nullable: true, description: 'Seconds; 60 when absent' })
  @AbsentOrNull()
  @Integer(1, MAX_RETRY_DELAY_SECONDS)
  retry_delay?: number | null;
}

/** The body of PATCH /v1/merchant-webhooks/{id} (specification, section 4.6): only what is sent changes. */
export class UpdateWebhookDto {
  @ApiPropertyOptional(url)
  @Absent()
  @Url()
  url?: string;

  @ApiPropertyOptional({ ...secret, description: 'Replaces the old one' })
  @Absent()
  @Text(16, 255)
  secret?: string;

  @ApiPropertyOptional({ type: String, enum: WEBHOOK_STATUSES, example: 'inactive' })
  @Absent()
  @OneOf(WEBHOOK_STATUSES)
  status?: WebhookStatus;

  @ApiPropertyOptional(events)
  @Absent()
  @SomeOf(EVENT_KINDS)
  events?: EventKind[];

  @ApiPropertyOptional(maxRetries)
  @Absent()
  @Integer(0, MAX_RETRIES)
  max_retries?: number;

  @ApiPropertyOptional(retryDelay)
  @Absent()
  @Integer(1, MAX_RETRY_DELAY_SECONDS)
  retry_delay?: number;

  @ApiPropertyOptional({
    type: 'integer',
    minimum: 0,
    maximum: MAX_OVERLAP_SECONDS,
    example: 86_400,
    description:
      'Seconds for which deliveries carry a signature of the replaced secret too; only with `secret`',
  })
  @Absent()
  @Integer(0, MAX_OVERLAP_SECONDS)
  rotation_overlap?: number;
}
