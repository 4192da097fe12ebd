import { Check, Column, Entity, ForeignKey, Index, Unique } from 'typeorm';
import type { FailureCode } from '../core/failures.js';
import type { Satang } from '../core/money.js';
import { bigintColumn, IdColumn, timestampColumn } from '../database/columns.js';
import { Merchant } from '../merchants/merchant.entity.js';
import type { OrderStatus } from './states.js';

/** A merchant's order. The database refuses changes of the amounts, and any change of an ended order. */
@Entity('orders')
@ForeignKey(() => Merchant, ['merchant_id', 'sandbox'], ['id', 'sandbox'], { name: 'fk_orders_merchant' })
@Unique('uq_orders_order_number', ['order_number'])
@Unique('uq_orders_merchant_reference', ['merchant_id', 'reference_id'])
@Index('ix_orders_newest', { synchronize: false })
@Index('ix_orders_failed', { synchronize: false })
@Index('ix_orders_open', ['created_at', 'id'], { where: `status IN ('pending', 'processing')` })
@Index('ix_orders_user', { synchronize: false })
@Index('ix_orders_failure', { synchronize: false })
@Check('ck_orders_status', `status IN ('pending', 'processing', 'completed', 'failed')`)
@Check('ck_orders_subtotal_not_negative', 'subtotal_amount >= 0')
@Check('ck_orders_discount_not_negative', 'discount_amount >= 0')
@Check('ck_orders_total_not_negative', 'total_amount >= 0')
@Check('ck_orders_total', 'total_amount = subtotal_amount - discount_amount')
@Check('ck_orders_open_items', 'open_items >= 0')
@Check('ck_orders_failure', `(status = 'failed') = (failure_code IS NOT NULL)`)
@Check('ck_orders_open', `(status IN ('completed', 'failed')) = (open_items = 0)`)
export class Order {
  @IdColumn('bigint', 'pk_orders')
  id!: bigint;

  @Column('integer')
  merchant_id!: number;

  @Column('text')
  order_number!: string;

  /** The merchant's own identifier of the order, unique per merchant. */
  @Column('text')
  reference_id!: string;

  /** SHA-256 of the order's content. It shows whether a request with the same reference repeats the order or differs from it. */
  @Column('bytea')
  content_hash!: Buffer;

  @Column('text')
  user_id!: string;

  @Column('text', { nullable: true })
  server_id!: string | null;

  @Column('text', { nullable: true })
  character_id!: string | null;

  /** The merchant's own texts by name, in the order of the request; null if there are none. */
  @Column('json', { nullable: true })
  metadata!: Record<string, string> | null;

  /** The buyer's IP address, as the merchant wrote it. */
  @Column('text', { nullable: true })
  end_user_ip!: string | null;

  @Column('text', { default: 'pending' })
  status!: OrderStatus;

  @Column(bigintColumn())
  subtotal_amount!: Satang;

  @Column(bigintColumn())
  discount_amount!: Satang;

  @Column(bigintColumn())
  total_amount!: Satang;

  /** The number of items that have not ended. */
  @Column('smallint')
  open_items!: number;

  @Column('text', { nullable: true })
  failure_code!: FailureCode | null;

  @Column('text', { nullable: true })
  failure_message!: string | null;

  /** The id of the request that placed the order. */
  @Column('text', { nullable: true })
  request_id!: string | null;

  @Column(timestampColumn())
  created_at!: Date;

  @Column(timestampColumn())
  updated_at!: Date;

  /** Copied from the merchant. */
  @Column('boolean', { default: false })
  sandbox!: boolean;
}
