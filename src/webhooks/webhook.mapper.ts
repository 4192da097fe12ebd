import type { WebhookDto } from './webhook.dto.js';
import type { Webhook } from './webhook.entity.js';

export function toWebhookDto(webhook: Webhook): WebhookDto {
  return {
    id: webhook.id,
    url: webhook.url,
    events: webhook.events,
    secret_hint: webhook.secret_hint,
    status: webhook.status,
    max_retries: webhook.max_retries,
    retry_delay: webhook.retry_delay,
    include_deliveries: webhook.include_deliveries,
    created_at: webhook.created_at.toISOString(),
    updated_at: webhook.updated_at.toISOString(),
  };
}
