import { Check, Column, Entity, Unique, UpdateDateColumn } from 'typeorm';
import { bigintColumn, createdAtColumn, IdColumn, timestampColumn } from '../database/columns.js';

@Entity('suppliers')
@Unique('uq_suppliers_code', ['code'])
@Check('ck_suppliers_code', 'length(code) BETWEEN 1 AND 64')
@Check('ck_suppliers_timeout_ms', 'timeout_ms BETWEEN 1 AND 600000')
@Check('ck_suppliers_balance', 'num_nulls(balance_micros, balance_currency, balance_at) IN (0, 3)')
export class Supplier {
  @IdColumn('integer', 'pk_suppliers')
  id!: number;

  @Column('text')
  code!: string;

  /** The registry knows which there are: one more needs no migration. */
  @Column('text')
  adapter!: string;

  @Column('text')
  base_url!: string;

  /** The credential `token`, sealed by itself: {@link SupplierCredentials} says why. */
  @Column('bytea', { nullable: true })
  token_sealed!: Buffer | null;

  /** All other credentials, as one sealed object; null where there are none. */
  @Column('bytea', { nullable: true })
  credentials_sealed!: Buffer | null;

  /** The names of those in the sealed object, to be told without its key. */
  @Column('text', { array: true, default: [] })
  credential_names!: string[];

  @Column('jsonb', { default: {} })
  options!: Record<string, string>;

  @Column('integer')
  timeout_ms!: number;

  /** The balance below which it is low, in millionths of its currency. */
  @Column(bigintColumn({ nullable: true }))
  low_balance_micros!: bigint | null;

  /** What we had left there when it last told, in millionths of its currency; null where it never did. */
  @Column(bigintColumn({ nullable: true }))
  balance_micros!: bigint | null;

  @Column('text', { nullable: true })
  balance_currency!: string | null;

  @Column(timestampColumn({ nullable: true }))
  balance_at!: Date | null;

  @Column(createdAtColumn())
  created_at!: Date;

  /** When its settings were changed. */
  @UpdateDateColumn(timestampColumn({ default: () => 'now()' }))
  updated_at!: Date;
}
