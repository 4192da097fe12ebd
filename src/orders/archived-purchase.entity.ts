import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { bigintColumn } from '../database/columns.js';
import { Supplier } from '../suppliers/supplier.entity.js';

/**
 * The references of an attempt of an archived order, because its supplier may still report them. An attempt has no row if it
 * bought its unit, has no reference of the supplier, and its own reference begins with the order number: by that number the
 * service recognizes it.
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

  /**
   * Whether the attempt did not buy its unit: the unit failed, or another attempt followed. A reported sale would contradict
   * this.
   */
  @Column('boolean', { default: false })
  not_bought!: boolean;
}
