import { pick } from '../core/members.js';
import type { WebhookDto } from './webhook.dto.js';
import type { Webhook } from './webhook.entity.js';
import type { AttemptRow, DeliveryRow } from './deliveries.repository.js';
import type { AttemptDto, DeliveryDto } from './delivery.dto.js';

export function toWebhookDto(webhook: Webhook): WebhookDto {
  return {
    ...pick(
      webhook,
      'id',
      'url',
      'events',
      'secret_hint',
      'status',
      'max_retries',
      'retry_delay',
      'include_deliveries',
    ),
    created_at: webhook.created_at.toISOString(),
    updated_at: webhook.updated_at.toISOString(),
  };
}

export const toDeliveryDto = (row: DeliveryRow): DeliveryDto => ({
  id: Number(row.id),
  ...pick(row, 'webhook_id', 'event_id', 'event', 'reference_id', 'status', 'attempt_count'),
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
          ...pick(row, 'duration_ms', 'response_status', 'error', 'response_body'),
        },
      ];
