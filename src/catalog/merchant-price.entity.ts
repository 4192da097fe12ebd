import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { Satang } from '../core/money.js';
import { bigintColumn } from '../database/bigint-column.js';

/** A merchant's own price of a product; what it is below the list price is the merchant's discount. */
@Entity('merchant_prices')
export class MerchantPrice {
  @PrimaryColumn('integer', { name: 'merchant_id' })
  merchantId!: number;

  @PrimaryColumn('integer', { name: 'product_id' })
  productId!: number;

  @Column(bigintColumn())
  price!: Satang;
}
