import { Check, Column, Entity, Unique, UpdateDateColumn } from 'typeorm';
import { createdAtColumn, IdColumn, timestampColumn } from '../database/columns.js';

export const MERCHANT_STATUSES = ['active', 'suspended'] as const;
export type MerchantStatus = (typeof MERCHANT_STATUSES)[number];

export const MAX_WEIGHT = 100;

@Entity('merchants')
@Unique('uq_merchants_sandbox', ['id', 'sandbox'])
@Check('ck_merchants_name', 'length(name) BETWEEN 1 AND 128')
@Check('ck_merchants_status', `status IN ('active', 'suspended')`)
@Check('ck_merchants_weight', `weight BETWEEN 1 AND ${MAX_WEIGHT}`)
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

  /** How many of a supplier's slots the merchant gets in each turn, while units of other merchants also wait for that supplier. */
  @Column('smallint', { default: 1 })
  weight!: number;

  @Column(createdAtColumn())
  created_at!: Date;

  @UpdateDateColumn(timestampColumn({ default: () => 'now()' }))
  updated_at!: Date;
}
