import { Column, Entity, PrimaryGeneratedColumn } from 'typeorm';
import type { EventKind } from '../events/event-log.js';

export const WEBHOOK_STATUSES = ['active', 'inactive'] as const;
export type WebhookStatus = (typeof WEBHOOK_STATUSES)[number];

/** A registration; one that was deleted stays, for the deliveries that it had. */
@Entity('webhooks')
export class Webhook {
  @PrimaryGeneratedColumn('identity', { type: 'integer', generatedIdentity: 'ALWAYS' })
  id!: number;

  @Column('integer', { name: 'merchant_id' })
  merchantId!: number;

  @Column('text')
  url!: string;

  @Column({ type: 'text', array: true })
  events!: EventKind[];

  @Column({ type: 'bytea', name: 'secret_sealed', select: false })
  secretSealed!: Buffer;

  @Column('text', { name: 'secret_hint' })
  secretHint!: string;

  /** Still signs, beside the secret, until it expires. */
  @Column({ type: 'bytea', name: 'previous_secret_sealed', nullable: true, select: false })
  previousSecretSealed!: Buffer | null;

  @Column({ type: 'timestamptz', name: 'previous_secret_expires_at', precision: 3, nullable: true })
  previousSecretExpiresAt!: Date | null;

  @Column('text')
  status!: WebhookStatus;

  @Column('smallint', { name: 'max_retries' })
  maxRetries!: number;

  /** Seconds from the end of an attempt to the start of the next. */
  @Column('integer', { name: 'retry_delay' })
  retryDelay!: number;

  /** Whether deliveries that wait may not follow the settings yet. */
  @Column('boolean', { name: 'waiting_is_stale', select: false })
  waitingIsStale!: boolean;

  @Column({ type: 'timestamptz', name: 'created_at', precision: 3 })
  createdAt!: Date;

  @Column({ type: 'timestamptz', name: 'updated_at', precision: 3 })
  updatedAt!: Date;

  @Column({ type: 'timestamptz', name: 'deleted_at', precision: 3, nullable: true })
  deletedAt!: Date | null;
}
