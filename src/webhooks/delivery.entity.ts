import { Check, Column, Entity, ForeignKey, Index, Unique } from 'typeorm';
import { bigintColumn, IdColumn, timestampColumn } from '../database/columns.js';
import { Event, type DeliveredEvent } from '../events/event.entity.js';
import { Webhook } from './webhook.entity.js';

export const DELIVERY_STATUSES = ['pending', 'succeeded', 'failed', 'cancelled'] as const;
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

/** How deliveries end that did not succeed: few do, and an index has them by themselves. */
export const UNDELIVERED = ['failed', 'cancelled'] as const satisfies readonly DeliveryStatus[];

/** An event on its way to one webhook. */
@Entity('webhook_deliveries')
@Unique('uq_webhook_deliveries_event_webhook', ['event_id', 'webhook_id'])
@Index('ix_webhook_deliveries_due', ['webhook_id', 'is_retry', 'due_at'], { where: 'due_at IS NOT NULL' })
@Index('ix_webhook_deliveries_leased', ['webhook_id', 'leased_until'], { where: 'leased_until IS NOT NULL' })
@Index('ix_webhook_deliveries_page', { synchronize: false })
@Index('ix_webhook_deliveries_undelivered', { synchronize: false })
@Check('ck_webhook_deliveries_status', `status IN ('pending', 'succeeded', 'failed', 'cancelled')`)
@Check('ck_webhook_deliveries_lease', '(leased_until IS NULL) = (attempt_started_at IS NULL)')
@Check('ck_webhook_deliveries_work', 'due_at IS NULL OR leased_until IS NULL')
@Check('ck_webhook_deliveries_pending', `(status = 'pending') = (due_at IS NOT NULL OR leased_until IS NOT NULL)`)
@Check('ck_webhook_deliveries_kind', 'kind IS NOT NULL')
export class Delivery {
  @IdColumn('bigint', 'pk_webhook_deliveries')
  id!: bigint;

  @ForeignKey(() => Webhook, { name: 'fk_webhook_deliveries_webhook' })
  @Column('integer')
  webhook_id!: number;

  @ForeignKey(() => Event, { name: 'fk_webhook_deliveries_event' })
  @Column(bigintColumn())
  event_id!: bigint;

  /** The kind of its event. Never null: a check says so, which could be added without locking the table. */
  @Column('text', { nullable: true })
  kind!: DeliveredEvent;

  @Column('text', { default: 'pending' })
  status!: DeliveryStatus;

  /** False once it was retried by hand: then there are no automatic retries. */
  @Column('boolean', { default: true })
  automatic!: boolean;

  @Column('integer', { default: 0 })
  attempt_count!: number;

  /** First attempts go before retries. The database makes it. */
  @Column({
    type: 'boolean',
    generatedType: 'STORED',
    asExpression: '(attempt_count > 0)',
    insert: false,
    update: false,
  })
  is_retry!: boolean;

  /** When the next attempt is due. */
  @Column('timestamptz', { nullable: true })
  due_at!: Date | null;

  /** While an attempt is made: when another worker may take over. */
  @Column('timestamptz', { nullable: true })
  leased_until!: Date | null;

  /** The worker that makes the attempt. */
  @Column('text', { nullable: true })
  claimed_by!: string | null;

  @Column(timestampColumn({ nullable: true }))
  attempt_started_at!: Date | null;

  @Column('timestamptz', { nullable: true })
  attempt_ended_at!: Date | null;

  /** Not before this moment, at the receiver's own request. */
  @Column('timestamptz', { nullable: true })
  retry_after_at!: Date | null;

  @Column(timestampColumn())
  created_at!: Date;

  @Column(timestampColumn())
  updated_at!: Date;
}
