import { Check, Column, Entity, Unique, UpdateDateColumn } from 'typeorm';
import { createdAtColumn, IdColumn, timestampColumn } from '../database/columns.js';
import { ADAPTER_NAMES } from './adapters.js';

@Entity('suppliers')
@Unique('uq_suppliers_code', ['code'])
@Check('ck_suppliers_code', 'length(code) BETWEEN 1 AND 64')
@Check('ck_suppliers_adapter', `adapter IN ('${ADAPTER_NAMES.join("', '")}')`)
@Check('ck_suppliers_timeout_ms', 'timeout_ms BETWEEN 1 AND 600000')
export class Supplier {
  @IdColumn('integer', 'pk_suppliers')
  id!: number;

  @Column('text')
  code!: string;

  @Column('text')
  adapter!: string;

  @Column('text')
  base_url!: string;

  /** The bearer token, encrypted; null where the supplier has none. */
  @Column('bytea', { nullable: true })
  token_sealed!: Buffer | null;

  @Column('integer')
  timeout_ms!: number;

  @Column(createdAtColumn())
  created_at!: Date;

  @UpdateDateColumn(timestampColumn({ default: () => 'now()' }))
  updated_at!: Date;
}
