import { Check, Column, Entity, ForeignKey, Index, Unique } from 'typeorm';
import { bigintColumn, IdColumn, timestampColumn } from '../database/columns.js';
import { Supplier } from '../suppliers/supplier.entity.js';
import { OrderUnit } from './order-unit.entity.js';

const REVERSAL_KINDS = ['taken_back', 'bought_late', 'unknown_purchase'] as const;
type ReversalKind = (typeof REVERSAL_KINDS)[number];

/**
 * A discrepancy, for an operator's decision: a supplier contradicts the result of a unit or of an attempt, or reports a
 * purchase of no known order. Only the discrepancy of such a purchase may have no unit. Settlements write the rows of
 * units, so the entity is in `orders`.
 */
@Entity('supplier_reversals')
@ForeignKey(() => OrderUnit, ['order_id', 'item', 'unit'], ['order_id', 'item', 'unit'], {
  name: 'fk_supplier_reversals_unit',
})
@Unique('uq_supplier_reversals_unit_kind', ['order_id', 'item', 'unit', 'kind', 'attempt', 'turn'])
@Index('uq_supplier_reversals_reference', ['supplier_id', 'reference'], {
  unique: true,
  where: 'order_id IS NULL AND reference IS NOT NULL',
})
@Index('uq_supplier_reversals_supplier_reference', ['supplier_id', 'supplier_reference'], {
  unique: true,
  where: 'order_id IS NULL AND reference IS NULL',
})
@Index('ix_supplier_reversals_open', ['supplier_id'], { where: `status = 'open'` })
@Index('ix_supplier_reversals_lately', ['supplier_id', 'created_at'], { where: 'order_id IS NULL' })
@Index('ix_supplier_reversals_purchase', ['supplier_id', 'supplier_reference'], { where: 'order_id IS NULL' })
@Check('ck_supplier_reversals_kind', `kind IN ('taken_back', 'bought_late', 'unknown_purchase')`)
@Check('ck_supplier_reversals_status', `status IN ('open', 'closed')`)
@Check('ck_supplier_reversals_cost', 'num_nulls(cost_micros, cost_currency) IN (0, 2)')
@Check('ck_supplier_reversals_says', `says IN ('succeeded', 'failed')`)
@Check('ck_supplier_reversals_closed', `(status = 'closed') = (closed_at IS NOT NULL)`)
@Check('ck_supplier_reversals_unit', 'num_nulls(order_id, item, unit, attempt) IN (0, 4)')
@Check(
  'ck_supplier_reversals_purchase',
  `order_id IS NOT NULL OR (kind = 'unknown_purchase' AND num_nonnulls(reference, supplier_reference) > 0)`,
)
export class SupplierReversal {
  @IdColumn('integer', 'pk_supplier_reversals')
  id!: number;

  /** Null, like `item`, `unit` and `attempt`, if the purchase belongs to no known order. */
  @Column(bigintColumn({ nullable: true }))
  order_id!: bigint | null;

  @Column('smallint', { nullable: true })
  item!: number | null;

  @Column('smallint', { nullable: true })
  unit!: number | null;

  @ForeignKey(() => Supplier, { name: 'fk_supplier_reversals_supplier' })
  @Column('integer')
  supplier_id!: number;

  /** The number of the attempt that the report is about. */
  @Column('smallint', { default: 1, nullable: true })
  attempt!: number | null;

  @Column('text')
  kind!: ReversalKind;

  /**
   * The number of this row among the rows of the same kind for the same attempt, from 1. It is above 1 for a further purchase under
   * the attempt's reference, or when a supplier's report changes again after an operator closed the earlier rows.
   */
  @Column('smallint', { default: 1 })
  turn!: number;

  /** The supplier's latest report; null until it differs from the report that opened the row. */
  @Column('text', { nullable: true })
  says!: 'succeeded' | 'failed' | null;

  @Column('text', { nullable: true })
  supplier_reference!: string | null;

  // The next four columns are from the supplier's report of a purchase of no known order.

  /** Our reference, as the supplier reports it. */
  @Column('text', { nullable: true })
  reference!: string | null;

  @Column('text', { nullable: true })
  supplier_sku!: string | null;

  /** The player, as the supplier writes it. */
  @Column('text', { nullable: true })
  player!: string | null;

  /** When the supplier sold the purchase, by its clock. */
  @Column(timestampColumn({ nullable: true }))
  bought_at!: Date | null;

  @Column('text', { nullable: true })
  detail!: string | null;

  /** The cost that the supplier reported, in millionths of its currency; null if it reported none. */
  @Column(bigintColumn({ nullable: true }))
  cost_micros!: bigint | null;

  @Column('text', { nullable: true })
  cost_currency!: string | null;

  /** Codes that the supplier handed over, sealed with SECRETS_KEY. The merchant gets them only by an operator's decision. */
  @Column('bytea', { nullable: true, select: false })
  delivered_sealed!: Buffer | null;

  @Column('text', { default: 'open' })
  status!: 'open' | 'closed';

  @Column(timestampColumn())
  created_at!: Date;

  @Column(timestampColumn({ nullable: true }))
  closed_at!: Date | null;
}
