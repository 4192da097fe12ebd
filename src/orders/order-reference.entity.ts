import { Column, Entity, ForeignKey, Index, PrimaryColumn, Unique } from 'typeorm';
import { bigintColumn } from '../database/columns.js';
import { Merchant } from '../merchants/merchant.entity.js';

/** The values of an order's members in `KEPT`, and then a list of items with the values of theirs: see `archived-order.ts`. */
export type KeptAnswer = unknown[];

/** What stays of an order that was archived: no reference buys twice, and a repeated request is answered as it always was. */
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

  /** As that of the order. */
  @Column('bytea')
  content_hash!: Buffer;

  /** The order as it ended, and its items. */
  @Column('json')
  answer!: KeptAnswer;

  /** Which members that has. */
  @Column('smallint', { default: 1 })
  answer_version!: number;
}
