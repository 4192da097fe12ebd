import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn, Unique } from 'typeorm';
import type { UnitFailureCode } from '../core/failures.js';
import { bigintColumn, timestampColumn } from '../database/columns.js';
import { OrderUnit } from './order-unit.entity.js';
import type { PassedOver } from './order-item.entity.js';

/**
 * An attempt to buy a unit: one reference at one supplier. Workers commit an attempt before its first send. The row stays until the
 * order is archived. The state of the latest attempt is that of its unit.
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

  /** Our reference. By it, most suppliers recognize whether a send repeats an earlier send or is another purchase. */
  @Column('text')
  reference!: string;

  /** The supplier's own reference; null until the supplier has reported it. */
  @Column('text', { nullable: true })
  supplier_reference!: string | null;

  /** Whether `supplier_reference` comes from a callback without proof, and the supplier has not confirmed it yet. */
  @Column('boolean', { default: false })
  is_hearsay!: boolean;

  /** The template of the player's ids for this supplier; null for the adapter's usual notation. */
  @Column('text', { nullable: true })
  player_template!: string | null;

  /** The offer's cost, in millionths of `cost_currency`; null if it had none, or if the reported cost has another currency. */
  @Column(bigintColumn({ nullable: true }))
  expected_cost_micros!: bigint | null;

  /**
   * The cost limit; null if there is none, or if the reported cost has another currency. Only some adapters send it to their
   * suppliers.
   */
  @Column(bigintColumn({ nullable: true }))
  max_cost_micros!: bigint | null;

  /** The cost that the supplier reported; null if it reported none. */
  @Column(bigintColumn({ nullable: true }))
  cost_micros!: bigint | null;

  @Column('text', { nullable: true })
  cost_currency!: string | null;

  /** The exchange rate when routing chose the offer; null if unknown, or if the reported cost has another currency. */
  @Column('numeric', { precision: 20, scale: 10, nullable: true })
  baht_per_unit!: string | null;

  /** The failure code of a refusal that counts only once it is confirmed: by a repetition, or by an inquiry that finds no purchase. */
  @Column('text', { nullable: true })
  unconfirmed!: UnitFailureCode | null;

  /** Why the next attempt began: the supplier refused this attempt, or never accepted a send of it. Null for the latest attempt. */
  @Column('text', { nullable: true })
  ended_as!: 'failed' | 'withdrawn' | null;

  @Column('text', { nullable: true })
  failure_code!: UnitFailureCode | null;

  @Column('text', { nullable: true })
  failure_message!: string | null;

  @Column(timestampColumn({ nullable: true }))
  ended_at!: Date | null;

  /** The first preferred offers that could not be used, without those that are off; null if there were none. Those of a first attempt are in the item's row. */
  @Column('jsonb', { nullable: true })
  passed_over!: PassedOver[] | null;

  @Column(timestampColumn())
  created_at!: Date;
}
