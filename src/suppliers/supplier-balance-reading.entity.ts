import { Column, Entity, ForeignKey, PrimaryColumn } from 'typeorm';
import { bigintColumn, timestampColumn } from '../database/columns.js';
import { Supplier } from './supplier.entity.js';

/** A balance of ours that a supplier reported. */
@Entity('supplier_balances')
export class SupplierBalanceReading {
  @ForeignKey(() => Supplier, { name: 'fk_supplier_balances_supplier', onDelete: 'CASCADE' })
  @PrimaryColumn('integer', { primaryKeyConstraintName: 'pk_supplier_balances' })
  supplier_id!: number;

  @PrimaryColumn(timestampColumn({ primaryKeyConstraintName: 'pk_supplier_balances' }))
  told_at!: Date;

  @Column('text')
  currency!: string;

  /** In millionths of its currency. */
  @Column(bigintColumn())
  micros!: bigint;
}
