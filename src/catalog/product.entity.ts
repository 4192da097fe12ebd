import { Column, CreateDateColumn, Entity, PrimaryGeneratedColumn, UpdateDateColumn } from 'typeorm';
import type { Satang } from '../core/money.js';
import { bigintColumn } from '../database/bigint-column.js';

@Entity('products')
export class Product {
  @PrimaryGeneratedColumn('identity', { type: 'integer', generatedIdentity: 'ALWAYS' })
  id!: number;

  @Column('text')
  sku!: string;

  @Column('text')
  name!: string;

  /** The list price of one unit. */
  @Column(bigintColumn())
  price!: Satang;

  @Column('integer', { name: 'supplier_id' })
  supplierId!: number;

  /** What the supplier calls the product. */
  @Column('text', { name: 'supplier_sku' })
  supplierSku!: string;

  @Column('boolean', { name: 'requires_server' })
  requiresServer!: boolean;

  @Column('boolean', { name: 'requires_character' })
  requiresCharacter!: boolean;

  @Column('smallint', { name: 'max_quantity' })
  maxQuantity!: number;

  @Column('boolean')
  active!: boolean;

  @CreateDateColumn({ name: 'created_at', type: 'timestamptz', precision: 3 })
  createdAt!: Date;

  @UpdateDateColumn({ name: 'updated_at', type: 'timestamptz', precision: 3 })
  updatedAt!: Date;
}
