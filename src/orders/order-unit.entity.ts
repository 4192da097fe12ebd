import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import type { FailureCode } from '../core/failures.js';
import { bigintColumn, timestampColumn } from '../database/columns.js';
import { OrderItem } from './order-item.entity.js';
import type { UnitState } from './states.js';

/** One of the `quantity` copies of an item's product. The service buys each unit separately, and settles it at most once. */
@Entity('order_units')
@ForeignKey(() => OrderItem, ['order_id', 'item'], ['order_id', 'position'], { name: 'fk_order_units_item' })
@Index('ix_order_units_due', { synchronize: false })
@Index('ix_order_units_review', ['order_id'], { where: `state = 'review'` })
@Index('ix_order_units_unknown', ['unknown_since'], { where: `state = 'unknown'` })
@Check('ck_order_units_unit', 'unit BETWEEN 1 AND 100')
@Check('ck_order_units_state', `state IN ('queued', 'sending', 'unknown', 'succeeded', 'failed', 'review')`)
@Check('ck_order_units_next_action', `next_action IN ('send', 'inquire')`)
@Check('ck_order_units_due', `(next_action_at IS NULL) = (state IN ('succeeded', 'failed', 'review'))`)
@Check(
  'ck_order_units_call',
  `num_nulls(call_process, call_duration_ms) IN (0, 2) AND (call_process IS NULL OR state = 'succeeded')`,
)
@Check('ck_order_units_failure', `(state = 'failed') = (failure_code IS NOT NULL)`)
export class OrderUnit {
  @PrimaryColumn(bigintColumn({ primaryKeyConstraintName: 'pk_order_units' }))
  order_id!: bigint;

  /** The position of the unit's item. */
  @PrimaryColumn('smallint', { primaryKeyConstraintName: 'pk_order_units' })
  item!: number;

  /** Counted from 1. */
  @PrimaryColumn('smallint', { primaryKeyConstraintName: 'pk_order_units' })
  unit!: number;

  @Column('integer')
  supplier_id!: number;

  /**
   * The merchant of the unit's order. Not a foreign key, because the order has one. Null if an earlier version placed the unit.
   * `ix_order_units_due` contains this column ({@link waitingMerchant}).
   */
  @Column('integer', { nullable: true })
  merchant_id!: number | null;

  /** The number of the unit's latest attempt; 0 before the first attempt. */
  @Column('smallint', { default: 0 })
  attempt!: number;

  @Column('text', { default: 'queued' })
  state!: UnitState;

  @Column('text', { default: 'send' })
  next_action!: 'send' | 'inquire';

  /** The time of the next action; during a claim, the end of the lease; null for a unit that is settled or in review. */
  @Column('timestamptz', { nullable: true })
  next_action_at!: Date | null;

  /**
   * Each claim and each next attempt raises this number. So does a callback that proves a purchase, unless a call about
   * the unit's only send is in flight, or the unit waits for an inquiry. A refusal of a call settles the unit only if
   * the claim of that call is still the latest.
   */
  @Column('integer', { default: 0 })
  claim!: number;

  /**
   * Equals `claim`, or `-claim` for a unit of the sandbox. Older versions of the service do not write this column, and would buy
   * later attempts and sandbox units wrongly. So the database skips their claims of such units.
   */
  @Column('integer', { default: 0 })
  attempt_claim!: number;

  /** The name of the claim, `<process>/<number>`; null without a claim. */
  @Column('text', { nullable: true })
  claimed_by!: string | null;

  /**
   * The name of the claim for the unit's only send, if the lease of that claim ended and another claim followed. If its worker sent
   * nothing, the worker undoes the claim by this name.
   */
  @Column('text', { nullable: true })
  interrupted_claim!: string | null;

  @Column('integer', { default: 0 })
  sends!: number;

  @Column('integer', { default: 0 })
  inquiries!: number;

  // `first_sent_at`, `last_sent_at` and `unknown_since` are about the latest attempt.

  @Column(timestampColumn({ nullable: true }))
  first_sent_at!: Date | null;

  @Column(timestampColumn({ nullable: true }))
  last_sent_at!: Date | null;

  /** The supplier's address and our account there at the last send (`destinationOf`). */
  @Column('text', { nullable: true })
  sent_to!: string | null;

  @Column(timestampColumn({ nullable: true }))
  unknown_since!: Date | null;

  @Column('text', { nullable: true })
  supplier_reference!: string | null;

  @Column('text', { nullable: true })
  failure_code!: FailureCode | null;

  @Column('text', { nullable: true })
  failure_message!: string | null;

  // The next two columns store the call that bought the unit, if that call was a send without further details. Such a call has no
  // row in `supplier_calls` ({@link SUPPLIER_CALLS}).

  /** The process that made the call. */
  @Column('text', { nullable: true })
  call_process!: string | null;

  @Column('integer', { nullable: true })
  call_duration_ms!: number | null;

  @Column(timestampColumn())
  updated_at!: Date;
}
