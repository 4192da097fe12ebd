import type { WebhookDto } from './webhook.dto.js';
import type { Webhook } from './webhook.entity.js';
import type { AttemptRow, DeliveryRow } from './deliveries.repository.js';
import type { AttemptDto, DeliveryDto } from './delivery.dto.js';

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

export const toDeliveryDto = (row: DeliveryRow): DeliveryDto => ({
  id: Number(row.id),
  webhook_id: row.webhook_id,
  event_id: row.event_id,
  event: row.event,
  reference_id: row.reference_id,
  status: row.status,
  attempt_count: row.attempt_count,
  next_attempt_at: row.due_at?.toISOString() ?? null,
  created_at: row.created_at.toISOString(),
  updated_at: row.updated_at.toISOString(),
});

/** The attempt of a row, if there is one. */
export const toAttempts = ({ number, started_at, ...row }: AttemptRow): AttemptDto[] =>
  number === null
    ? []
    : [
        {
          number,
          started_at: started_at.toISOString(),
          duration_ms: row.duration_ms,
          response_status: row.response_status,
          error: row.error,
          response_body: row.response_body,
        },
      ];
