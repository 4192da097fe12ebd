import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn, Unique } from 'typeorm';
import type { UnitFailureCode } from '../core/failures.js';
import { bigintColumn, timestampColumn } from '../database/columns.js';
import { OrderUnit } from './order-unit.entity.js';
import type { PassedOver } from './order-item.entity.js';

/**
 * An attempt to buy a unit: one reference at one supplier. The worker commits it before its first send, and it stays until its
 * order is archived. The latest attempt has the state of its unit.
 */
@Entity('unit_attempts')
@ForeignKey(() => OrderUnit, ['order_id', 'item', 'unit'], ['order_id', 'item', 'unit'], {
  name: 'fk_unit_attempts_unit',
})
@Unique('uq_unit_attempts_reference', ['supplier_id', 'reference'])
@Index('ix_unit_attempts_supplier_reference', ['supplier_id', 'supplier_reference'], {
  where: 'supplier_reference IS NOT NULL',
})
@Check('ck_unit_attempts_number', 'number > 0')
@Check('ck_unit_attempts_ended_as', `ended_as IN ('failed', 'withdrawn')`)
@Check('ck_unit_attempts_ended', '(ended_as IS NULL) = (ended_at IS NULL)')
@Check('ck_unit_attempts_failure', `failure_code IS NULL OR ended_as = 'failed'`)
@Check(
  'ck_unit_attempts_currency',
  'cost_currency IS NOT NULL OR num_nonnulls(expected_cost_micros, max_cost_micros, cost_micros) = 0',
)
export class UnitAttempt {
  @PrimaryColumn(bigintColumn({ primaryKeyConstraintName: 'pk_unit_attempts' }))
  order_id!: bigint;

  @PrimaryColumn('smallint', { primaryKeyConstraintName: 'pk_unit_attempts' })
  item!: number;

  @PrimaryColumn('smallint', { primaryKeyConstraintName: 'pk_unit_attempts' })
  unit!: number;

  /** Counted from 1. */
  @PrimaryColumn('smallint', { primaryKeyConstraintName: 'pk_unit_attempts' })
  number!: number;

  @Column('integer')
  supplier_id!: number;

  @Column('text')
  supplier_sku!: string;

  /** Our reference. It tells the supplier whether a send repeats an earlier one or is another purchase. */
  @Column('text')
  reference!: string;

  /** The supplier's own reference, once it has reported one. */
  @Column('text', { nullable: true })
  supplier_reference!: string | null;

  /** A callback without proof brought `supplier_reference`, and the supplier has not confirmed it. */
  @Column('boolean', { default: false })
  is_hearsay!: boolean;

  /** The supplier's notation of the player; null for the adapter's usual one. */
  @Column('text', { nullable: true })
  player_template!: string | null;

  /** The offer's cost, in millionths of `cost_currency`; null if the offer had none. */
  @Column(bigintColumn({ nullable: true }))
  expected_cost_micros!: bigint | null;

  /** The cost limit that we sent to the supplier. */
  @Column(bigintColumn({ nullable: true }))
  max_cost_micros!: bigint | null;

  /** The cost that the supplier reported; null if it reported none. */
  @Column(bigintColumn({ nullable: true }))
  cost_micros!: bigint | null;

  @Column('text', { nullable: true })
  cost_currency!: string | null;

  /** The exchange rate when the attempt began; null if unknown, or if the supplier reported its cost in another currency. */
  @Column('numeric', { precision: 20, scale: 10, nullable: true })
  baht_per_unit!: string | null;

  /** The code of a refusal that counts only once the supplier repeats it. */
  @Column('text', { nullable: true })
  unconfirmed!: UnitFailureCode | null;

  /** The reason for the next attempt: the supplier refused this one, or never accepted it. Null for the latest attempt. */
  @Column('text', { nullable: true })
  ended_as!: 'failed' | 'withdrawn' | null;

  @Column('text', { nullable: true })
  failure_code!: UnitFailureCode | null;

  @Column('text', { nullable: true })
  failure_message!: string | null;

  @Column(timestampColumn({ nullable: true }))
  ended_at!: Date | null;

  /** The better offers that could not be used; null if there were none. The first attempt has them in its item. */
  @Column('jsonb', { nullable: true })
  passed_over!: PassedOver[] | null;

  @Column(timestampColumn())
  created_at!: Date;
}
