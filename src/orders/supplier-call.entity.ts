import { Check, Column, Entity, ForeignKey, Index } from 'typeorm';
import { bigintColumn, IdColumn, timestampColumn } from '../database/columns.js';
import { OrderUnit } from './order-unit.entity.js';

/**
 * A call to a supplier about a unit, or a callback that reports a purchase or a refusal, with its outcome. A send that bought its
 * unit is usually stored in the unit's row instead ({@link SUPPLIER_CALLS}).
 */
@Entity('supplier_calls')
@ForeignKey(() => OrderUnit, ['order_id', 'item', 'unit'], ['order_id', 'item', 'unit'], {
  name: 'fk_supplier_calls_unit',
})
@Index('ix_supplier_calls_unit', ['order_id', 'item', 'unit'])
@Check('ck_supplier_calls_kind', `kind IN ('send', 'inquiry', 'callback')`)
export class SupplierCall {
  @IdColumn('bigint', 'pk_supplier_calls')
  id!: bigint;

  @Column(bigintColumn())
  order_id!: bigint;

  @Column('smallint')
  item!: number;

  @Column('smallint')
  unit!: number;

  /** The number of the attempt; null in rows that the first versions wrote. */
  @Column('smallint', { nullable: true })
  attempt!: number | null;

  @Column('text')
  kind!: 'send' | 'inquiry' | 'callback';

  @Column('text')
  outcome!: string;

  @Column('text', { nullable: true })
  detail!: string | null;

  /** The process that made the call or received the callback. */
  @Column('text')
  process!: string;

  @Column('integer')
  duration_ms!: number;

  @Column(timestampColumn())
  ended_at!: Date;
}
