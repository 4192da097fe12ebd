import { Check, Column, Entity, ForeignKey, PrimaryColumn } from 'typeorm';
import { timestampColumn } from '../../database/columns.js';

/**
 * - `closed`: the supplier is called as usual.
 * - `open`: the supplier did not accept 20 calls in a row, and gets no calls for a second or two. Calls with an unknown
 *   outcome do not count.
 * - `half_open`: a few calls test the supplier.
 */
type BreakerState = 'closed' | 'open' | 'half_open';

/** A new object for each column, because TypeORM changes it. */
const key = (): { primaryKeyConstraintName: string } => ({ primaryKeyConstraintName: 'pk_supplier_states' });

/** The state of a supplier, as a worker sees it. */
@Entity('supplier_states')
@Check('ck_supplier_states_breaker', `breaker IN ('closed', 'open', 'half_open')`)
export class SupplierState {
  @ForeignKey('WorkerProcess', { name: 'fk_supplier_states_process', onDelete: 'CASCADE' })
  @PrimaryColumn('text', key())
  process!: string;

  @ForeignKey('Supplier', { name: 'fk_supplier_states_supplier', onDelete: 'CASCADE' })
  @PrimaryColumn('integer', key())
  supplier_id!: number;

  @Column('text')
  breaker!: BreakerState;

  /** Calls of this worker that are in flight. */
  @Column('integer')
  in_flight!: number;

  @Column(timestampColumn())
  updated_at!: Date;
}
