import { Check, Column, Entity, ForeignKey, Unique, UpdateDateColumn } from 'typeorm';
import type { Satang } from '../core/money.js';
import type { ProductKind } from '../core/product-kind.js';
import { bigintColumn, createdAtColumn, IdColumn, timestampColumn } from '../database/columns.js';
import { Supplier } from '../suppliers/supplier.entity.js';

@Entity('products')
@Unique('uq_products_sku', ['sku'])
@Check('ck_products_sku', 'length(sku) BETWEEN 1 AND 64')
@Check('ck_products_price_not_negative', 'price >= 0')
@Check('ck_products_max_quantity', 'max_quantity BETWEEN 1 AND 100')
@Check('ck_products_kind', `kind IN ('topup', 'code')`)
@Check('ck_products_player_check', 'length(player_check) BETWEEN 1 AND 128')
@Check('ck_products_first_offer', 'num_nulls(supplier_id, supplier_sku) IN (0, 2)')
export class Product {
  @IdColumn('integer', 'pk_products')
  id!: number;

  @Column('text')
  sku!: string;

  @Column('text')
  name!: string;

  /** The list price of one unit. */
  @Column(bigintColumn())
  price!: Satang;

  /**
   * The supplier of the product's first offer; null if the product has no offer. Version 0.1 of the service knows this
   * column, but no offers. So triggers make the offer of priority 1 when a process writes another supplier or supplier's SKU here,
   * and write this column when offers change.
   */
  @ForeignKey(() => Supplier, { name: 'fk_products_supplier' })
  @Column('integer', { nullable: true })
  supplier_id!: number | null;

  /** The supplier's SKU in the product's first offer. */
  @Column('text', { nullable: true })
  supplier_sku!: string | null;

  @Column('boolean', { default: false })
  requires_server!: boolean;

  @Column('boolean', { default: false })
  requires_character!: boolean;

  @Column('smallint', { default: 100 })
  max_quantity!: number;

  /** Whether operators sell the product. Outside the sandbox, merchants can order it only if an offer can be used, too. */
  @Column('boolean', { default: true })
  active!: boolean;

  /** A change affects only new orders: items of existing orders have their own copy. */
  @Column('text', { default: 'topup' })
  kind!: ProductKind;

  /** The validator that checks players, with its code of the game, such as `g2bulk:mlbb`; null for no check. */
  @Column('text', { nullable: true })
  player_check!: string | null;

  @Column(createdAtColumn())
  created_at!: Date;

  @UpdateDateColumn(timestampColumn({ default: () => 'now()' }))
  updated_at!: Date;
}
