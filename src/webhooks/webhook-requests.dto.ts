import {
  Flag,
  Integer,
  OneOf,
  SomeOf,
  Text,
  TextThat,
  type MemberOptions,
} from '../core/validation/member.decorators.js';
import { EVENT_KINDS, ORDER_EVENT_KINDS, type EventKind } from '../events/event.entity.js';
import { WEBHOOK_STATUSES, type WebhookStatus } from './webhook.entity.js';
import { MAX_URL_LENGTH, urlProblem } from './webhook-url.js';

const Url = (options: MemberOptions = {}): PropertyDecorator =>
  TextThat(
    urlProblem,
    { format: 'uri', maxLength: MAX_URL_LENGTH },
    { example: 'https://shop.example/webhooks/topup', ...options },
  );

const Secret = (options: MemberOptions): PropertyDecorator =>
  Text(16, 255, { example: 'a-secret-of-your-own', ...options });

const Events = (options: MemberOptions): PropertyDecorator =>
  SomeOf(EVENT_KINDS, { example: ORDER_EVENT_KINDS, ...options });

const MaxRetries = (options: MemberOptions): PropertyDecorator => Integer(0, 10, { example: 3, ...options });

const RetryDelay = (options: MemberOptions): PropertyDecorator =>
  Integer(1, 86_400, { example: 60, description: 'Seconds', ...options });

const IncludeDeliveries = (options: MemberOptions): PropertyDecorator => Flag({ example: false, ...options });

/** The body of POST /v1/merchant-webhooks (specification, section 4.4). Null in an optional member means absent. */
export class CreateWebhookDto {
  @Url()
  url!: string;

  @Secret({ optional: true, nullable: true, description: 'Generated when absent' })
  secret?: string | null;

  @Events({ optional: true, nullable: true, description: 'order.completed and order.failed when absent' })
  events?: EventKind[] | null;

  @MaxRetries({ optional: true, nullable: true, description: '3 when absent' })
  max_retries?: number | null;

  @RetryDelay({ optional: true, nullable: true, description: 'Seconds; 60 when absent' })
  retry_delay?: number | null;

  @IncludeDeliveries({
    optional: true,
    nullable: true,
    description:
      'Whether events about orders carry the codes and serial numbers that were handed over; false when absent',
  })
  include_deliveries?: boolean | null;
}

/**
 * The body of PATCH /v1/merchant-webhooks/{id} (specification, section 4.6). Absent members change nothing, except that
 * a new `secret` without `rotation_overlap` ends a running overlap.
 */
export class UpdateWebhookDto {
  @Url({ optional: true })
  url?: string;

  @Secret({ optional: true, description: 'Replaces the old secret' })
  secret?: string;

  @OneOf(WEBHOOK_STATUSES, { optional: true, example: 'inactive' })
  status?: WebhookStatus;

  @Events({ optional: true })
  events?: EventKind[];

  @MaxRetries({ optional: true })
  max_retries?: number;

  @RetryDelay({ optional: true })
  retry_delay?: number;

  @IncludeDeliveries({ optional: true })
  include_deliveries?: boolean;

  @Integer(0, 604_800, {
    optional: true,
    example: 86_400,
    description: 'Seconds for which deliveries carry a signature of the replaced secret too; only with `secret`',
  })
  rotation_overlap?: number;
}
