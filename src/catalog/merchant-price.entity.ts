import { Check, Column, Entity, ForeignKey, PrimaryColumn, UpdateDateColumn } from 'typeorm';
import type { Satang } from '../core/money.js';
import { bigintColumn, timestampColumn } from '../database/columns.js';
import { Merchant } from '../merchants/merchant.entity.js';
import { Product } from './product.entity.js';

/** A merchant's own price of a product. Its distance from the list price is the merchant's discount. */
@Entity('merchant_prices')
@Check('ck_merchant_prices_price_not_negative', 'price >= 0')
export class MerchantPrice {
  @ForeignKey(() => Merchant, { name: 'fk_merchant_prices_merchant' })
  @PrimaryColumn('integer', { primaryKeyConstraintName: 'pk_merchant_prices' })
  merchant_id!: number;

  @ForeignKey(() => Product, { name: 'fk_merchant_prices_product' })
  @PrimaryColumn('integer', { primaryKeyConstraintName: 'pk_merchant_prices' })
  product_id!: number;

  @Column(bigintColumn())
  price!: Satang;

  @UpdateDateColumn(timestampColumn({ default: () => 'now()' }))
  updated_at!: Date;
}
