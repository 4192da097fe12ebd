import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn, Unique } from 'typeorm';
import type { UnitFailureCode } from '../core/failures.js';
import { bigintColumn, timestampColumn } from '../database/columns.js';
import { Supplier } from '../suppliers/supplier.entity.js';
import { OrderUnit } from './order-unit.entity.js';
import type { PassedOver } from './passed-over.js';

/**
 * An attempt to buy a unit: one reference at one supplier, committed before anything is sent under it, and kept for
 * ever. The latest attempt of a unit stands as the unit does.
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

  @ForeignKey(() => Supplier, { name: 'fk_unit_attempts_supplier' })
  @Column('integer')
  supplier_id!: number;

  @Column('text')
  supplier_sku!: string;

  /** By which the supplier knows the purchase, and tells a repeated send from another one. */
  @Column('text')
  reference!: string;

  /** The supplier's own name of the purchase, once it has said one. */
  @Column('text', { nullable: true })
  supplier_reference!: string | null;

  /** Whether that name came with a callback that anybody could have sent, and the supplier has not confirmed it. */
  @Column('boolean', { default: false })
  is_hearsay!: boolean;

  /** How the supplier wants the player written; null for its usual way. */
  @Column('text', { nullable: true })
  player_template!: string | null;

  /** What the offer said that it would cost, in millionths of `cost_currency`; null where it said nothing. */
  @Column(bigintColumn({ nullable: true }))
  expected_cost_micros!: bigint | null;

  /** What the supplier was told that it may cost at most. */
  @Column(bigintColumn({ nullable: true }))
  max_cost_micros!: bigint | null;

  /** What the supplier said that it took; null where it said nothing. */
  @Column(bigintColumn({ nullable: true }))
  cost_micros!: bigint | null;

  @Column('text', { nullable: true })
  cost_currency!: string | null;

  /** The exchange rate when it began. */
  @Column('numeric', { precision: 20, scale: 10, nullable: true })
  baht_per_unit!: string | null;

  /** The code of a refusal that counts once it was said again. */
  @Column('text', { nullable: true })
  unconfirmed!: UnitFailureCode | null;

  /** How it ended, if another attempt followed; the latest one stands as its unit does. */
  @Column('text', { nullable: true })
  ended_as!: 'failed' | 'withdrawn' | null;

  @Column('text', { nullable: true })
  failure_code!: UnitFailureCode | null;

  @Column('text', { nullable: true })
  failure_message!: string | null;

  @Column(timestampColumn({ nullable: true }))
  ended_at!: Date | null;

  /** The offers that came before this one and were not taken; null where there were none, and of a unit's first attempt. */
  @Column('jsonb', { nullable: true })
  passed_over!: PassedOver[] | null;

  @Column(timestampColumn())
  created_at!: Date;
}
