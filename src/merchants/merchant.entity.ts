import { Check, Column, Entity, Unique, UpdateDateColumn } from 'typeorm';
import { createdAtColumn, IdColumn, timestampColumn } from '../database/columns.js';

export const MERCHANT_STATUSES = ['active', 'suspended'] as const;
export type MerchantStatus = (typeof MERCHANT_STATUSES)[number];

@Entity('merchants')
@Unique('uq_merchants_sandbox', ['id', 'sandbox'])
@Check('ck_merchants_name', 'length(name) BETWEEN 1 AND 128')
@Check('ck_merchants_status', `status IN ('active', 'suspended')`)
export class Merchant {
  @IdColumn('integer', 'pk_merchants')
  id!: number;

  @Column('text')
  name!: string;

  @Column('text', { default: 'active' })
  status!: MerchantStatus;

  /** Whether the built-in supplier fulfils the merchant's orders. Never changes. */
  @Column('boolean', { default: false })
  sandbox!: boolean;

  @Column(createdAtColumn())
  created_at!: Date;

  @UpdateDateColumn(timestampColumn({ default: () => 'now()' }))
  updated_at!: Date;
}
