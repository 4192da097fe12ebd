import { Column, Entity, ForeignKey, Unique } from 'typeorm';
import { placeOf, type Place } from '../../core/secret-box.js';
import { bigintColumn, IdColumn, timestampColumn } from '../../database/columns.js';

/** The key of a unit. All members are null for a discrepancy without a unit. */
interface UnitOrNone {
  order_id: bigint | null;
  item: number | null;
  unit: number | null;
}

/**
 * The place that a code is sealed for. A discrepancy's code is sealed for the place of the unit, so that the same bytes can be
 * written to the unit later.
 */
export const unitDeliveryPlace = ({ order_id: orderId, item, unit }: UnitOrNone): Place =>
  placeOf('unit_deliveries.sealed', orderId, item, unit);

/** One row for each unit with codes or serial numbers, which are sealed together. */
@Entity('unit_deliveries')
@ForeignKey('OrderUnit', ['order_id', 'item', 'unit'], ['order_id', 'item', 'unit'], {
  name: 'fk_unit_deliveries_unit',
})
@Unique('uq_unit_deliveries_unit', ['order_id', 'item', 'unit'])
export class UnitDeliveries {
  @IdColumn('bigint', 'pk_unit_deliveries')
  id!: bigint;

  @Column(bigintColumn())
  order_id!: bigint;

  @Column('smallint')
  item!: number;

  @Column('smallint')
  unit!: number;

  /** The number of the attempt that bought the unit. */
  @Column('smallint')
  attempt!: number;

  /** Sealed with SECRETS_KEY. */
  @Column('bytea', { select: false })
  sealed!: Buffer;

  @Column(timestampColumn())
  created_at!: Date;
}
