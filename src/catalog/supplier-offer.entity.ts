import { Check, Column, Entity, ForeignKey, Unique, UpdateDateColumn } from 'typeorm';
import { bigintColumn, createdAtColumn, IdColumn, timestampColumn } from '../database/columns.js';
import { Supplier } from '../suppliers/supplier.entity.js';
import { Product } from './product.entity.js';

/** A product as one supplier sells it to us. */
@Entity('supplier_offers')
@Unique('uq_supplier_offers', ['product_id', 'supplier_id', 'supplier_sku'])
@Check('ck_supplier_offers_off_by_fault', 'NOT (off_by_fault AND active)')
@Check('ck_supplier_offers_priority', 'priority BETWEEN 1 AND 1000')
@Check('ck_supplier_offers_guard_percent', 'guard_percent >= 0')
@Check('ck_supplier_offers_cost_not_negative', 'cost_micros >= 0')
@Check('ck_supplier_offers_sandbox', 'supplier_id <> 0')
@Check('ck_supplier_offers_cost', 'num_nulls(cost_micros, cost_currency) IN (0, 2)')
export class SupplierOffer {
  @IdColumn('integer', 'pk_supplier_offers')
  id!: number;

  @ForeignKey(() => Product, { name: 'fk_supplier_offers_product' })
  @Column('integer')
  product_id!: number;

  @ForeignKey(() => Supplier, { name: 'fk_supplier_offers_supplier' })
  @Column('integer')
  supplier_id!: number;

  /** The supplier's SKU of the product. */
  @Column('text')
  supplier_sku!: string;

  /** Routing tries priority 1 first. Among offers of the same priority, it tries the cheapest first. */
  @Column('smallint', { default: 1 })
  priority!: number;

  /** Whether the offer is switched on. */
  @Column('boolean', { default: true })
  active!: boolean;

  /** Why the offer was switched off; null if no reason was given, or if the offer is on. */
  @Column('text', { nullable: true })
  off_reason!: string | null;

  /** Since when the offer is off; null if it is on, or if an earlier version of the service switched it off. */
  @Column(timestampColumn({ nullable: true }))
  off_at!: Date | null;

  /**
   * Whether a configuration fault switched the offer off, not an operator. Then a change of the offer's catalogue item switches the
   * offer on again.
   */
  @Column('boolean', { default: false })
  off_by_fault!: boolean;

  /** The form in which the supplier wants the player; null for the adapter's default. */
  @Column('text', { nullable: true })
  player_template!: string | null;

  /** How much more than expected a purchase may cost, in percent. */
  @Column('numeric', { precision: 5, scale: 2, default: 5 })
  guard_percent!: string;

  /** The expected cost of one unit, in millionths of `cost_currency`; null if it is unknown. */
  @Column(bigintColumn({ nullable: true }))
  cost_micros!: bigint | null;

  @Column('text', { nullable: true })
  cost_currency!: string | null;

  /** When an operator last set the cost, or a reading last found the cost in the supplier's catalogue. */
  @Column(timestampColumn({ nullable: true }))
  cost_at!: Date | null;

  /** Whether a player can get only one unit a day. */
  @Column('boolean', { default: false })
  once_per_day!: boolean;

  @Column(createdAtColumn())
  created_at!: Date;

  @UpdateDateColumn(timestampColumn({ default: () => 'now()' }))
  updated_at!: Date;
}
