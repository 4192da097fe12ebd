import { Check, Column, Entity, ForeignKey, Index } from 'typeorm';
import { placeOf, type Place } from '../core/secret-box.js';
import { createdAtColumn, IdColumn, timestampColumn } from '../database/columns.js';
import { EVENT_KINDS, type EventKind } from '../events/event.entity.js';

/**
 * The place of both secrets of a webhook: it is the same, because a rotation copies `secret_sealed` to
 * `previous_secret_sealed`.
 */
export const webhookSecretPlace = (id: number): Place => placeOf('webhooks.secret', id);

export const WEBHOOK_STATUSES = ['active', 'inactive'] as const;
export type WebhookStatus = (typeof WEBHOOK_STATUSES)[number];

/** A webhook that a merchant registered. The row of a deleted webhook stays, for the log of its deliveries. */
@Entity('webhooks')
@Index('ix_webhooks_merchant', ['merchant_id'], { where: 'deleted_at IS NULL' })
@Index('ix_webhooks_stale', ['id'], { where: 'waiting_is_stale' })
@Check('ck_webhooks_events', `cardinality(events) > 0 AND events <@ ARRAY['${EVENT_KINDS.join("', '")}']`)
@Check('ck_webhooks_status', `status IN ('active', 'inactive')`)
@Check('ck_webhooks_max_retries', 'max_retries BETWEEN 0 AND 10')
@Check('ck_webhooks_retry_delay', 'retry_delay BETWEEN 1 AND 86400')
@Check('ck_webhooks_previous_secret', '(previous_secret_sealed IS NULL) = (previous_secret_expires_at IS NULL)')
export class Webhook {
  @IdColumn('integer', 'pk_webhooks')
  id!: number;

  @ForeignKey('Merchant', { name: 'fk_webhooks_merchant' })
  @Column('integer')
  merchant_id!: number;

  @Column('text')
  url!: string;

  @Column('text', { array: true })
  events!: EventKind[];

  @Column('bytea', { select: false })
  secret_sealed!: Buffer;

  /** The first characters of the secret, by which merchants recognize it. */
  @Column('text')
  secret_hint!: string;

  /** The previous secret. Until it expires, each message also has a signature with it. */
  @Column('bytea', { nullable: true, select: false })
  previous_secret_sealed!: Buffer | null;

  @Column(timestampColumn({ nullable: true }))
  previous_secret_expires_at!: Date | null;

  @Column('text', { default: 'active' })
  status!: WebhookStatus;

  @Column('smallint', { default: 3 })
  max_retries!: number;

  /** The minimum number of seconds from the end of an attempt to the start of the next. */
  @Column('integer', { default: 60 })
  retry_delay!: number;

  /** Whether order events carry the codes and serial numbers of units. */
  @Column('boolean', { default: false })
  include_deliveries!: boolean;

  /** Whether waiting deliveries may still follow earlier settings of the webhook ({@link WaitingDeliveriesService}). */
  @Column('boolean', { default: false, select: false })
  waiting_is_stale!: boolean;

  @Column(createdAtColumn())
  created_at!: Date;

  @Column(createdAtColumn())
  updated_at!: Date;

  @Column(timestampColumn({ nullable: true }))
  deleted_at!: Date | null;
}
