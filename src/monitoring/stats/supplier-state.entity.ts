import { Check, Column, Entity, ForeignKey, PrimaryColumn } from 'typeorm';
import { timestampColumn } from '../../database/columns.js';

/**
 * - `closed`: the supplier is called as usual.
 * - `open`: it accepted nothing, and is left alone for a moment.
 * - `half_open`: it is tried with a few calls.
 */
export type BreakerState = 'closed' | 'open' | 'half_open';

/** A copy for each column: TypeORM writes into it. */
const key = (): { primaryKeyConstraintName: string } => ({ primaryKeyConstraintName: 'pk_supplier_states' });

/** How a worker finds a supplier. */
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

  /** Its calls that this worker waits for. */
  @Column('integer')
  in_flight!: number;

  @Column(timestampColumn())
  updated_at!: Date;
}
