import { Check, Column, Entity, ForeignKey, PrimaryColumn, Unique } from 'typeorm';
import { bigintColumn, timestampColumn } from '../database/columns.js';
import { Supplier } from '../suppliers/supplier.entity.js';
import { OrderUnit } from './order-unit.entity.js';

/**
 * An attempt to buy a unit: one reference at one supplier, committed before anything is sent under it, and kept for
 * ever. The latest attempt of a unit stands as the unit does.
 */
@Entity('unit_attempts')
@ForeignKey(() => OrderUnit, ['order_id', 'item', 'unit'], ['order_id', 'item', 'unit'], {
  name: 'fk_unit_attempts_unit',
})
@Unique('uq_unit_attempts_reference', ['supplier_id', 'reference'])
@Check('ck_unit_attempts_number', 'number > 0')
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

  @Column(timestampColumn())
  created_at!: Date;
}
