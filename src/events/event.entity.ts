import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn, Unique } from 'typeorm';
import { bigintColumn, IdColumn, timestampColumn } from '../database/columns.js';

/** The events of an order's end. Webhooks subscribe to them by default (specification, section 2.3). */
export const ORDER_EVENT_KINDS = ['order.completed', 'order.failed'] as const;

/** The events that merchants can subscribe to. */
export const EVENT_KINDS = [...ORDER_EVENT_KINDS, 'wallet.low_balance', 'deposit.paid', 'deposit.expired'] as const;
export type EventKind = (typeof EVENT_KINDS)[number];

/** The events that webhooks can receive. Merchants cannot subscribe to a test: they request it. */
export const DELIVERED_EVENTS = [...EVENT_KINDS, 'webhook.test'] as const;
export type DeliveredEvent = (typeof DELIVERED_EVENTS)[number];

const quoted = (kinds: readonly string[]): string => kinds.map((kind) => `'${kind}'`).join(', ');

/** A notification for a merchant. An order records exactly one event, when it ends. Retention removes old events. */
@Entity('events')
@Unique('uq_events_public_id', ['public_id'])
@Index('uq_events_order', ['order_id'], { unique: true, where: 'order_id IS NOT NULL' })
@Index('ix_events_page', { synchronize: false })
@Check('ck_events_kind', `kind IN (${quoted(DELIVERED_EVENTS)})`)
@Check('ck_events_order', `(kind LIKE 'order.%') = (order_id IS NOT NULL)`)
export class Event {
  @IdColumn('bigint', 'pk_events')
  id!: bigint;

  /** The id that merchants see. */
  @Column('text')
  public_id!: string;

  @Column('integer')
  merchant_id!: number;

  @Column('text')
  kind!: DeliveredEvent;

  @ForeignKey('Order', { name: 'fk_events_order' })
  @Column(bigintColumn({ nullable: true }))
  order_id!: bigint | null;

  @Column('text', { nullable: true })
  reference_id!: string | null;

  /**
   * The bytes that webhooks receive. For a webhook with `include_deliveries`, the sender adds the order's codes and serial
   * numbers.
   */
  @Column('text')
  body!: string;

  @Column(timestampColumn())
  created_at!: Date;
}

/** The table has one row. Retention may have removed events that were created at `removed_until` or before. */
@Entity('event_retention')
@Check('ck_event_retention_only_row', 'only_row')
export class EventRetention {
  @PrimaryColumn('boolean', { default: true, primaryKeyConstraintName: 'pk_event_retention' })
  only_row!: true;

  @Column('timestamptz')
  removed_until!: Date;
}
