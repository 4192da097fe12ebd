import { Column, Entity, ForeignKey, PrimaryColumn } from 'typeorm';
import { timestampColumn } from '../database/columns.js';
import { Supplier } from './supplier.entity.js';

/** A SKU to read by itself: a supplier refused the SKU's price, or reported a change. */
@Entity('supplier_product_reads')
export class SupplierProductRead {
  @ForeignKey(() => Supplier, { name: 'fk_supplier_product_reads_supplier', onDelete: 'CASCADE' })
  @PrimaryColumn('integer', { primaryKeyConstraintName: 'pk_supplier_product_reads' })
  supplier_id!: number;

  @PrimaryColumn('text', { primaryKeyConstraintName: 'pk_supplier_product_reads' })
  sku!: string;

  /** When a process last marked the SKU. A reading that began earlier does not count. */
  @Column(timestampColumn())
  asked_at!: Date;

  @Column(timestampColumn())
  due_at!: Date;
}
