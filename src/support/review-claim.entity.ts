import { Column, Entity, ForeignKey, PrimaryColumn } from 'typeorm';
import { bigintColumn, timestampColumn } from '../database/columns.js';
import { OrderUnit } from '../orders/order-unit.entity.js';

const key = { primaryKeyConstraintName: 'pk_review_claims' };

/** An operator's claim of a unit, for some minutes. Other operators may still decide about the unit. */
@Entity('review_claims')
@ForeignKey(() => OrderUnit, ['order_id', 'item', 'unit'], ['order_id', 'item', 'unit'], {
  name: 'fk_review_claims_unit',
})
export class ReviewClaim {
  @PrimaryColumn(bigintColumn(key))
  order_id!: bigint;

  @PrimaryColumn('smallint', key)
  item!: number;

  @PrimaryColumn('smallint', key)
  unit!: number;

  @ForeignKey('Operator', { name: 'fk_review_claims_operator' })
  @Column('integer')
  operator_id!: number;

  @Column(timestampColumn())
  claimed_until!: Date;
}
