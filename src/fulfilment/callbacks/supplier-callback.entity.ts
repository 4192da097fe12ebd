import { Check, Column, Entity, ForeignKey, Index } from 'typeorm';
import { placeOf, type Place } from '../../core/secret-box.js';
import { bigintColumn, IdColumn, timestampColumn } from '../../database/columns.js';
import { UnitAttempt } from '../../orders/unit-attempt.entity.js';
import { Supplier } from '../../suppliers/supplier.entity.js';

/**
 * The result of a callback.
 * - `settled`: it settled the unit of its attempt, or its refusal began another attempt or sent the unit to review.
 * - `contradicted`: it opened or changed a discrepancy. It contradicts how its attempt or the unit ended, or reports a
 *   second purchase.
 * - `woke`: it scheduled an inquiry about its attempt.
 * - `nothing_new`: it changes nothing about its attempt.
 * - `repeated`: an earlier callback had the same delivery id, and this callback settled and contradicted nothing.
 * - `unknown_reference`: it is about no attempt of ours.
 * - `products`: it reports changed products. If the service knows such a product, it reads the product again.
 * - `ping`: it only tests whether we answer.
 * - `unreadable`: its adapter could not read it.
 * - `refused`: it did not prove that it came from the supplier.
 */
const CALLBACK_VERDICTS = [
  ...(['settled', 'woke', 'contradicted', 'nothing_new', 'repeated', 'unknown_reference'] as const),
  ...(['ping', 'unreadable', 'refused', 'products'] as const),
] as const;
export type CallbackVerdict = (typeof CALLBACK_VERDICTS)[number];

/** A callback of a supplier, with its result. */
@Entity('supplier_callbacks')
@ForeignKey(() => UnitAttempt, ['order_id', 'item', 'unit', 'attempt'], ['order_id', 'item', 'unit', 'number'], {
  name: 'fk_supplier_callbacks_attempt',
})
@Index('ix_supplier_callbacks_received', ['received_at'])
@Index('ix_supplier_callbacks_delivery', ['supplier_id', 'delivery_id'], {
  where: 'delivery_id IS NOT NULL',
})
@Index('ix_supplier_callbacks_attempt', ['order_id', 'item', 'unit', 'attempt'], {
  where: 'order_id IS NOT NULL',
})
@Check(
  'ck_supplier_callbacks_verdict',
  `verdict IN ('settled', 'woke', 'contradicted', 'nothing_new', 'repeated', 'unknown_reference', 'ping', 'unreadable', 'refused', 'products')`,
)
@Check('ck_supplier_callbacks_attempt', 'num_nulls(order_id, item, unit, attempt) IN (0, 4)')
export class SupplierCallback {
  @IdColumn('bigint', 'pk_supplier_callbacks')
  id!: bigint;

  @ForeignKey(() => Supplier, { name: 'fk_supplier_callbacks_supplier', onDelete: 'CASCADE' })
  @Column('integer')
  supplier_id!: number;

  @Column(timestampColumn())
  received_at!: Date;

  @Column('text')
  remote_address!: string;

  @Column('text')
  verdict!: CallbackVerdict;

  /** The supplier's id of the callback. A repeated callback has the same id. */
  @Column('text', { nullable: true })
  delivery_id!: string | null;

  /** Our reference in the callback. */
  @Column('text', { nullable: true })
  reference!: string | null;

  /** The supplier's reference in the callback. */
  @Column('text', { nullable: true })
  supplier_reference!: string | null;

  /** The order of the attempt that the callback is about. Null, like the next three columns, if no attempt was found. */
  @Column(bigintColumn({ nullable: true }))
  order_id!: bigint | null;

  @Column('smallint', { nullable: true })
  item!: number | null;

  @Column('smallint', { nullable: true })
  unit!: number | null;

  @Column('smallint', { nullable: true })
  attempt!: number | null;

  /** Why the callback was refused or could not be read. Never contains a part of its body. */
  @Column('text', { nullable: true })
  detail!: string | null;

  /** The sealed body, or the sealed query if the body was empty; null if the callback was refused. */
  @Column('bytea', { nullable: true })
  body_sealed!: Buffer | null;
}

type CallbackTarget = Pick<SupplierCallback, 'supplier_id' | 'order_id' | 'item' | 'unit' | 'attempt'>;

/** The place that a callback's body is sealed for. It lacks the row's id, which PostgreSQL assigns after sealing. */
export const callbackBodyPlace = ({ supplier_id, order_id, item, unit, attempt }: CallbackTarget): Place =>
  placeOf('supplier_callbacks.body_sealed', supplier_id, order_id, item, unit, attempt);
