import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import type { FailureCode } from '../core/failures.js';
import type { Satang } from '../core/money.js';
import type { ProductKind } from '../core/product-kind.js';
import { bigintColumn } from '../database/columns.js';
import { Order } from './order.entity.js';
import type { OrderStatus } from './states.js';

/** An offer that routing prefers to the chosen one, but that could not be used. */
export interface PassedOver {
  /** The code of its supplier. */
  supplier: string;
  supplier_sku: string;
  /**
   * The reason why the offer was not routable, or `once_per_day` (the offer sells a player only one unit a day, and the
   * item has several), or `player` (the player's ids do not fit the offer's pattern).
   */
  why: string;
}

/** One line of an order: a product and a quantity. */
@Entity('order_items')
@Index('ix_order_items_sku', { synchronize: false })
@Index('ix_order_items_supplier', { synchronize: false })
@Check('ck_order_items_position', 'position BETWEEN 1 AND 50')
@Check('ck_order_items_quantity', 'quantity BETWEEN 1 AND 100')
@Check('ck_order_items_list_price', 'list_price >= 0')
@Check('ck_order_items_unit_price', 'unit_price BETWEEN 0 AND list_price')
@Check('ck_order_items_status', `status IN ('pending', 'processing', 'completed', 'failed')`)
@Check('ck_order_items_completed', 'completed_quantity >= 0')
@Check('ck_order_items_failed', 'failed_quantity >= 0')
@Check('ck_order_items_split', 'completed_quantity + failed_quantity <= quantity')
@Check(
  'ck_order_items_end',
  `(status IN ('completed', 'failed')) = (completed_quantity + failed_quantity = quantity)
   AND (status = 'completed') = (completed_quantity = quantity)`,
)
@Check('ck_order_items_kind', `kind IN ('topup', 'code')`)
@Check('ck_order_items_failure', `(status = 'failed') = (failure_code IS NOT NULL)`)
export class OrderItem {
  @ForeignKey(() => Order, { name: 'fk_order_items_order' })
  @PrimaryColumn(bigintColumn({ primaryKeyConstraintName: 'pk_order_items' }))
  order_id!: bigint;

  /** Counted from 1. */
  @PrimaryColumn('smallint', { primaryKeyConstraintName: 'pk_order_items' })
  position!: number;

  @Column('text')
  sku!: string;

  @Column('smallint')
  quantity!: number;

  @Column(bigintColumn())
  list_price!: Satang;

  /** The price of one unit for the merchant. */
  @Column(bigintColumn())
  unit_price!: Satang;

  /**
   * Not a foreign key, which would lock the supplier for each order. A trigger forbids the removal of the supplier
   * (`tg_suppliers_used`).
   */
  @Column('integer')
  supplier_id!: number;

  @Column('text')
  supplier_sku!: string;

  // The next five columns are the terms of the chosen offer. The first attempt of each unit has the same terms.

  @Column('text', { nullable: true })
  player_template!: string | null;

  @Column(bigintColumn({ nullable: true }))
  expected_cost_micros!: bigint | null;

  @Column(bigintColumn({ nullable: true }))
  max_cost_micros!: bigint | null;

  @Column('text', { nullable: true })
  cost_currency!: string | null;

  @Column('numeric', { precision: 20, scale: 10, nullable: true })
  baht_per_unit!: string | null;

  /** The preferred offers that could not be used; null if there were none. */
  @Column('jsonb', { nullable: true })
  passed_over!: PassedOver[] | null;

  @Column('text', { default: 'pending' })
  status!: OrderStatus;

  @Column('smallint', { default: 0 })
  completed_quantity!: number;

  @Column('smallint', { default: 0 })
  failed_quantity!: number;

  @Column('text', { nullable: true })
  failure_code!: FailureCode | null;

  @Column('text', { nullable: true })
  failure_message!: string | null;

  /** The product's kind at the time of the order. */
  @Column('text', { default: 'topup' })
  kind!: ProductKind;
}
