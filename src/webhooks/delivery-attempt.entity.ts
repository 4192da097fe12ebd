import { Check, Column, Entity, ForeignKey, PrimaryColumn } from 'typeorm';
import { HTTP_FAILURES } from '../core/safe-http/http-failure.js';
import { bigintColumn, timestampColumn } from '../database/columns.js';
import { Delivery } from './delivery.entity.js';

/** Why an attempt got no response. `interrupted`: its lease ended before a worker recorded the outcome. */
export const ATTEMPT_ERRORS = [...HTTP_FAILURES, 'interrupted'] as const;

/** One POST of a delivery, with its outcome. */
@Entity('webhook_attempts')
@Check('ck_webhook_attempts_error', `error IN (${ATTEMPT_ERRORS.map((error) => `'${error}'`).join(', ')})`)
export class DeliveryAttempt {
  @ForeignKey(() => Delivery, { name: 'fk_webhook_attempts_delivery' })
  @PrimaryColumn(bigintColumn({ primaryKeyConstraintName: 'pk_webhook_attempts' }))
  delivery_id!: bigint;

  /** Counted from 1. */
  @PrimaryColumn('integer', { primaryKeyConstraintName: 'pk_webhook_attempts' })
  number!: number;

  @Column(timestampColumn())
  started_at!: Date;

  @Column('integer')
  duration_ms!: number;

  @Column('integer', { nullable: true })
  response_status!: number | null;

  /** Why there was no response. */
  @Column('text', { nullable: true })
  error!: string | null;

  @Column('text', { nullable: true })
  response_body!: string | null;
}
