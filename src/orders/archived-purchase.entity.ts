import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { bigintColumn } from '../database/columns.js';
import { Supplier } from '../suppliers/supplier.entity.js';

/**
 * The references of an attempt of an archived order. The supplier may still report them. An attempt has a row if its reference is
 * random or it did not buy its unit. The service finds the other attempts by the order's number in the reference.
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

  /** The unit failed, or another attempt followed. A sale under this reference would contradict the books. */
  @Column('boolean', { default: false })
  not_bought!: boolean;
}
