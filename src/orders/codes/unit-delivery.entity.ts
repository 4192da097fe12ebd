import { Column, Entity, ForeignKey, Unique } from 'typeorm';
import { placeOf, type Place } from '../../core/secret-box.js';
import { bigintColumn, IdColumn, timestampColumn } from '../../database/columns.js';

/** A unit, or what a case about none knows of it. */
interface UnitOrNone {
  order_id: bigint | null;
  item: number | null;
  unit: number | null;
}

/** Where a code belongs: that of a case moves to its unit when an operator says so, and is the same there. */
export const unitDeliveryPlace = ({ order_id: orderId, item, unit }: UnitOrNone): Place =>
  placeOf('unit_deliveries.sealed', orderId, item, unit);

/** What a supplier handed over for a unit: kept once, for the attempt that settled it. */
@Entity('unit_deliveries')
@ForeignKey('OrderUnit', ['order_id', 'item', 'unit'], ['order_id', 'item', 'unit'], {
  name: 'fk_unit_deliveries_unit',
})
@Unique('uq_unit_deliveries_unit', ['order_id', 'item', 'unit'])
export class UnitDelivery {
  @IdColumn('bigint', 'pk_unit_deliveries')
  id!: bigint;

  @Column(bigintColumn())
  order_id!: bigint;

  @Column('smallint')
  item!: number;

  @Column('smallint')
  unit!: number;

  /** The number of the attempt. */
  @Column('smallint')
  attempt!: number;

  /** All of it, which only SECRETS_KEY opens. */
  @Column('bytea', { select: false })
  sealed!: Buffer;

  @Column(timestampColumn())
  created_at!: Date;
}
