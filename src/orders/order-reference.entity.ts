import { Column, Entity, ForeignKey, Index, PrimaryColumn, Unique } from 'typeorm';
import { bigintColumn } from '../database/columns.js';
import { Merchant } from '../merchants/merchant.entity.js';

/** The values of the order's members in `KEPT` (`archived-order.ts`), followed by a list with those of each item. */
type KeptAnswer = unknown[];

/** What stays of an archived order, so that its reference never buys twice and a repeated request gets the same answer. */
@Entity('order_references')
@Unique('uq_order_references_reference', ['merchant_id', 'reference_id'])
export class OrderReference {
  @PrimaryColumn(bigintColumn({ primaryKeyConstraintName: 'pk_order_references' }))
  order_id!: bigint;

  @ForeignKey(() => Merchant, { name: 'fk_order_references_merchant' })
  @Column('integer')
  merchant_id!: number;

  @Column('text')
  reference_id!: string;

  @Index('ix_order_references_number')
  @Column('text')
  order_number!: string;

  @Column('bytea')
  content_hash!: Buffer;

  /** The order as it ended, and its items. */
  @Column('json')
  answer!: KeptAnswer;

  /** The version in `KEPT` that says which members the answer has. */
  @Column('smallint', { default: 1 })
  answer_version!: number;
}
