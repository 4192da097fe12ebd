import { Check, Column, Entity, ForeignKey, Index, Unique } from 'typeorm';
import { bigintColumn, IdColumn, timestampColumn } from '../database/columns.js';
import { Supplier } from '../suppliers/supplier.entity.js';
import { OrderUnit } from './order-unit.entity.js';

export const REVERSAL_KINDS = ['taken_back', 'bought_late', 'unknown_purchase'] as const;
export type ReversalKind = (typeof REVERSAL_KINDS)[number];

/** A case for the operator: an answer of the supplier that contradicts how the unit was settled. */
@Entity('supplier_reversals')
@ForeignKey(() => OrderUnit, ['order_id', 'item', 'unit'], ['order_id', 'item', 'unit'], {
  name: 'fk_supplier_reversals_unit',
})
@Unique('uq_supplier_reversals_unit_kind', ['order_id', 'item', 'unit', 'kind', 'attempt'])
@Index('ix_supplier_reversals_open', ['supplier_id'], { where: `status = 'open'` })
@Check('ck_supplier_reversals_kind', `kind IN ('taken_back', 'bought_late', 'unknown_purchase')`)
@Check('ck_supplier_reversals_status', `status IN ('open', 'closed')`)
@Check('ck_supplier_reversals_cost', 'num_nulls(cost_micros, cost_currency) IN (0, 2)')
@Check('ck_supplier_reversals_closed', `(status = 'closed') = (closed_at IS NOT NULL)`)
export class SupplierReversal {
  @IdColumn('integer', 'pk_supplier_reversals')
  id!: number;

  @Column(bigintColumn())
  order_id!: bigint;

  @Column('smallint')
  item!: number;

  @Column('smallint')
  unit!: number;

  @ForeignKey(() => Supplier, { name: 'fk_supplier_reversals_supplier' })
  @Column('integer')
  supplier_id!: number;

  /** The number of the attempt that it is about. */
  @Column('smallint', { default: 1 })
  attempt!: number;

  @Column('text')
  kind!: ReversalKind;

  @Column('text', { nullable: true })
  supplier_reference!: string | null;

  @Column('text', { nullable: true })
  detail!: string | null;

  /** What the supplier took for it, in millionths of its currency; null where it did not say. */
  @Column(bigintColumn({ nullable: true }))
  cost_micros!: bigint | null;

  @Column('text', { nullable: true })
  cost_currency!: string | null;

  @Column('text', { default: 'open' })
  status!: 'open' | 'closed';

  @Column(timestampColumn())
  created_at!: Date;

  @Column(timestampColumn({ nullable: true }))
  closed_at!: Date | null;
}
