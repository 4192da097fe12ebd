import { Column, Entity, ForeignKey, Index, PrimaryColumn, Unique } from 'typeorm';
import { bigintColumn } from '../database/columns.js';
import { Merchant } from '../merchants/merchant.entity.js';

/**
 * The values of the order's members, sorted as in `ARCHIVED_MEMBERS` (`archived-order.ts`), and then a list with each item's
 * values.
 */
type StoredAnswer = unknown[];

/** The row that remains of an archived order. With it, a repeated request buys nothing and gets the same answer. */
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

  /** The order and its items, in their final state. */
  @Column('json')
  answer!: StoredAnswer;

  /** The version in `ARCHIVED_MEMBERS`: it lists the members of the answer. */
  @Column('smallint', { default: 1 })
  answer_version!: number;
}
