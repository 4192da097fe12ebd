import { ApiProperty } from '@nestjs/swagger';
import { PageQueryDto } from '../core/http/page-query.dto.js';
import { OneOf } from '../core/validation/member.decorators.js';
import { ATTEMPT_ERRORS } from './delivery-attempt.entity.js';
import type { AttemptRow, DeliveryRow } from './deliveries.repository.js';
import {
  DELIVERED_EVENTS,
  DELIVERY_STATUSES,
  type DeliveredEvent,
  type DeliveryStatus,
} from './delivery.entity.js';

const moment = { type: String, format: 'date-time', example: '2026-01-15T08:30:00.123Z' } as const;

/** One event on its way to one webhook. */
export class DeliveryDto {
  @ApiProperty({ type: 'integer', example: 5012 }) id!: number;
  @ApiProperty({ type: 'integer', example: 7 }) webhook_id!: number;
  @ApiProperty({
    type: String,
    example: 'evt_3bqFzJ0WnXrT5c8HsVdK2m',
    description: 'Sent as `webhook-id` with every attempt',
  })
  event_id!: string;
  @ApiProperty({ type: String, enum: DELIVERED_EVENTS, example: 'order.completed' }) event!: string;
  @ApiProperty({
    type: String,
    nullable: true,
    example: 'order-1001',
    description: 'Null for events that are not about an order',
  })
  reference_id!: string | null;
  @ApiProperty({ type: String, enum: DELIVERY_STATUSES, example: 'pending' }) status!: string;
  @ApiProperty({ type: 'integer', example: 1, description: 'Attempts that have ended' })
  attempt_count!: number;
  @ApiProperty({
    ...moment,
    nullable: true,
    description: 'Null when no attempt is planned, or one is in flight',
  })
  next_attempt_at!: string | null;
  @ApiProperty(moment) created_at!: string;
  @ApiProperty(moment) updated_at!: string;
}

/** One request that was sent, or could not be. */
export class AttemptDto {
  @ApiProperty({ type: 'integer', example: 1 }) number!: number;
  @ApiProperty(moment) started_at!: string;
  @ApiProperty({ type: 'integer', example: 87 }) duration_ms!: number;
  @ApiProperty({
    type: 'integer',
    nullable: true,
    example: 500,
    description: 'Null when there was no response',
  })
  response_status!: number | null;
  @ApiProperty({
    type: String,
    nullable: true,
    enum: [...ATTEMPT_ERRORS, null],
    example: null,
    description: 'Why there was no response',
  })
  error!: string | null;
  @ApiProperty({
    type: String,
    nullable: true,
    example: 'Internal Server Error',
    description: 'The first KiB of the response',
  })
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
