import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { bigintColumn } from '../database/columns.js';
import { Supplier } from '../suppliers/supplier.entity.js';

/**
 * The names of an attempt of an archived order, where ours is random, or where it is none that bought its unit: its supplier
 * may still speak of it. The others that begin with the order's number are found by that.
 */
@Entity('archived_purchases')
@Index('ix_archived_purchases_order', ['order_id'])
@Index('ix_archived_purchases_supplier_reference', ['supplier_id', 'supplier_reference'], {
  where: 'supplier_reference IS NOT NULL',
})
export class ArchivedPurchase {
  @ForeignKey(() => Supplier, { name: 'fk_archived_purchases_supplier' })
  @PrimaryColumn('integer', { primaryKeyConstraintName: 'pk_archived_purchases' })
  supplier_id!: number;

  @PrimaryColumn('text', { primaryKeyConstraintName: 'pk_archived_purchases' })
  reference!: string;

  @PrimaryColumn(bigintColumn({ primaryKeyConstraintName: 'pk_archived_purchases' }))
  order_id!: bigint;

  @Column('text', { nullable: true })
  supplier_reference!: string | null;

  /** Whether its unit failed, or another attempt followed: then it may not be sold. */
  @Column('boolean', { default: false })
  not_bought!: boolean;
}
