import { Check, Column, Entity, ForeignKey, PrimaryColumn, Unique, UpdateDateColumn } from 'typeorm';
import { placeOf, type Place } from '../core/secret-box.js';
import { bigintColumn, createdAtColumn, IdColumn, timestampColumn } from '../database/columns.js';

export const PAUSE_REASONS = ['operator', 'credentials', 'deposit', 'ban'] as const;
export type PauseReason = (typeof PAUSE_REASONS)[number];

/** Where a reading of a supplier's list of purchases stopped. */
export interface ListPlace {
  /** The supplier's cursor of the next page. */
  page: string;
  /** The numbers of purchases and of unreadable entries on the pages before that page. */
  purchases: number;
  unreadable: number;
  /** The list has purchases from this moment on. The next member is the moment at which the reading began. */
  since: string;
  begun_at: string;
  /** The adapter, address and account of the list. If one of them changes, the cursor is no longer valid. */
  adapter: string;
  base_url: string;
  account: string;
}

/** The place of a sealed value. It contains the code, which never changes and is known before the row has an id. */
export const supplierPlace = (
  column: 'token_sealed' | 'credentials_sealed' | 'callback_token_sealed',
  code: string,
): Place => placeOf(`suppliers.${column}`, code);

/** A supplier that an operator has set, or the built-in supplier. */
@Entity('suppliers')
@Unique('uq_suppliers_code', ['code'])
@Check('ck_suppliers_code', 'length(code) BETWEEN 1 AND 64')
@Check('ck_suppliers_timeout_ms', 'timeout_ms BETWEEN 1 AND 600000')
@Check('ck_suppliers_max_in_flight', 'max_in_flight BETWEEN 1 AND 10000')
@Check('ck_suppliers_pause_reason', `pause_reason IN ('operator', 'credentials', 'deposit', 'ban')`)
@Check('ck_suppliers_paused', '(pause_reason IS NULL) = (paused_at IS NULL)')
@Check('ck_suppliers_probe', `probe_at IS NULL OR pause_reason IN ('credentials', 'deposit', 'ban')`)
@Check('ck_suppliers_sandbox', `(id = 0) = (adapter = 'sandbox')`)
@Check('ck_suppliers_sandbox_goes_on', 'id <> 0 OR pause_reason IS NULL')
@Check('ck_suppliers_balance', 'num_nulls(balance_micros, balance_currency, balance_at) IN (0, 3)')
export class Supplier {
  @IdColumn('integer', 'pk_suppliers')
  id!: number;

  @Column('text')
  code!: string;

  /** The adapter's name in the registry. The table allows any name, so a new adapter needs no migration. */
  @Column('text')
  adapter!: string;

  @Column('text')
  base_url!: string;

  /**
   * A fingerprint of the settings that identify our account. Empty if the address alone identifies it, or if an older
   * version of the service set the supplier and the account has not changed since.
   */
  @Column('text', { default: '' })
  account!: string;

  /** The credential `token`, sealed separately: `SupplierCredentialsService` has the reason. */
  @Column('bytea', { nullable: true })
  token_sealed!: Buffer | null;

  /** All other credentials, sealed as one object; null if there are none. */
  @Column('bytea', { nullable: true })
  credentials_sealed!: Buffer | null;

  /** The names of the credentials in the sealed object, readable without the key. */
  @Column('text', { array: true, default: [] })
  credential_names!: string[];

  /** The secret token in the supplier's callback address; null if the adapter takes no callbacks. */
  @Column('bytea', { nullable: true })
  callback_token_sealed!: Buffer | null;

  @Column('jsonb', { default: {} })
  options!: Record<string, string>;

  @Column('integer')
  timeout_ms!: number;

  /** A balance below this amount, in millionths of its currency, counts as low; null for no limit. */
  @Column(bigintColumn({ nullable: true }))
  low_balance_micros!: bigint | null;

  /** The balance that the supplier last reported, in millionths of its currency; null if it has reported none. */
  @Column(bigintColumn({ nullable: true }))
  balance_micros!: bigint | null;

  @Column('text', { nullable: true })
  balance_currency!: string | null;

  @Column(timestampColumn({ nullable: true }))
  balance_at!: Date | null;

  /** When workers read our balance next; null until they have read it once. */
  @Column(timestampColumn({ nullable: true }))
  balance_due_at!: Date | null;

  /** The limit of calls in flight over all workers; null for the limit of the environment. */
  @Column('integer', { nullable: true })
  max_in_flight!: number | null;

  /** Why the supplier is paused; null while it is not paused. */
  @Column('text', { nullable: true })
  pause_reason!: PauseReason | null;

  /** The supplier's or the operator's explanation of the pause. */
  @Column('text', { nullable: true })
  pause_detail!: string | null;

  /** When the pause began, or the first of the pauses that it continues or replaces. */
  @Column(timestampColumn({ nullable: true }))
  paused_at!: Date | null;

  /**
   * The reason of the last pause that a probe ended; null if no pause may continue it, because an operator resumed the supplier or
   * changed its address, account or adapter. The next column has the `paused_at` of that pause.
   */
  @Column('text', { nullable: true })
  last_pause_reason!: PauseReason | null;

  @Column(timestampColumn({ nullable: true }))
  last_paused_at!: Date | null;

  /** When a probe or an operator last ended a pause. A call that began before does not pause the supplier again. */
  @Column(timestampColumn({ nullable: true }))
  last_resumed_at!: Date | null;

  /** The first balance that the supplier reported during a pause for the deposit. A higher balance ends the pause. */
  @Column(bigintColumn({ nullable: true }))
  paused_balance_micros!: bigint | null;

  /**
   * The number of probes since the pause began, or, in a pause for the credentials, since an operator last set the
   * supplier. A pause for the credentials or a ban that continues another one counts on.
   */
  @Column('smallint', { default: 0 })
  probes!: number;

  /** When workers probe the supplier next. */
  @Column(timestampColumn({ nullable: true }))
  probe_at!: Date | null;

  /** Until when a worker's probe may be in flight; null if none is. */
  @Column(timestampColumn({ nullable: true }))
  probing_until!: Date | null;

  /** When the last reading of the whole catalogue began, even if the reading failed. */
  @Column(timestampColumn({ nullable: true }))
  catalogue_read_at!: Date | null;

  /** When the last reading of a single product began. */
  @Column(timestampColumn({ nullable: true }))
  product_read_at!: Date | null;

  /** Until when the console may not test the supplier again. The next column is the same for inquiries about a unit. */
  @Column(timestampColumn({ nullable: true }))
  test_asked_until!: Date | null;

  @Column(timestampColumn({ nullable: true }))
  inquiry_asked_until!: Date | null;

  /** When workers read the supplier's list of purchases next; null until they have read it once. */
  @Column(timestampColumn({ nullable: true }))
  purchases_due_at!: Date | null;

  /** The moment up to which workers have read the list of purchases. */
  @Column(timestampColumn({ nullable: true }))
  purchases_listed_at!: Date | null;

  /** Where the next reading of the list continues; null if it begins with the first page. */
  @Column('jsonb', { nullable: true })
  purchases_place!: ListPlace | null;

  @Column(createdAtColumn())
  created_at!: Date;

  /** When the settings were last changed. */
  @UpdateDateColumn(timestampColumn({ default: () => 'now()' }))
  updated_at!: Date;
}

/** Our balance at a supplier, as the supplier reported it. */
@Entity('supplier_balances')
export class SupplierBalanceReading {
  @ForeignKey(() => Supplier, { name: 'fk_supplier_balances_supplier', onDelete: 'CASCADE' })
  @PrimaryColumn('integer', { primaryKeyConstraintName: 'pk_supplier_balances' })
  supplier_id!: number;

  @PrimaryColumn(timestampColumn({ primaryKeyConstraintName: 'pk_supplier_balances' }))
  told_at!: Date;

  @Column('text')
  currency!: string;

  /** The balance in millionths of its currency. */
  @Column(bigintColumn())
  micros!: bigint;
}

/** A single SKU to read again, because the supplier refused its price or reported a change. */
@Entity('supplier_product_reads')
export class SupplierProductRead {
  @ForeignKey(() => Supplier, { name: 'fk_supplier_product_reads_supplier', onDelete: 'CASCADE' })
  @PrimaryColumn('integer', { primaryKeyConstraintName: 'pk_supplier_product_reads' })
  supplier_id!: number;

  @PrimaryColumn('text', { primaryKeyConstraintName: 'pk_supplier_product_reads' })
  sku!: string;

  /** When the SKU was last found in need of a reading. A reading that began before that does not count. */
  @Column(timestampColumn())
  asked_at!: Date;

  @Column(timestampColumn())
  due_at!: Date;
}
