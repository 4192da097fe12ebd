import { Check, Column, Entity, ForeignKey, PrimaryColumn, Unique, UpdateDateColumn } from 'typeorm';
import { placeOf, type Place } from '../core/secret-box.js';
import { bigintColumn, createdAtColumn, IdColumn, timestampColumn } from '../database/columns.js';

export const PAUSE_REASONS = ['operator', 'credentials', 'deposit', 'ban'] as const;
export type PauseReason = (typeof PAUSE_REASONS)[number];

/** Where a reading of a supplier's list of purchases stopped. */
export interface ListPlace {
  /** The supplier's cursor of the next page. */
  page: string;
  /** The numbers of purchases and of unreadable entries on the pages before. */
  purchases: number;
  unreadable: number;
  /** The moment from which the list has purchases, and the moment at which the reading began. */
  since: string;
  begun_at: string;
  /** The address and account of the list: another one has other pages. */
  adapter: string;
  base_url: string;
  account: string;
}

/** Binds a sealed value to the supplier's code, because the code never changes and is known before the row has an id. */
export const supplierPlace = (
  column: 'token_sealed' | 'credentials_sealed' | 'callback_token_sealed',
  code: string,
): Place => placeOf(`suppliers.${column}`, code);

/** A supplier that an operator has set, or the built-in one. */
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

  /** A fingerprint of the settings that identify our account; empty if the address alone identifies it. */
  @Column('text', { default: '' })
  account!: string;

  /** The credential `token`, sealed by itself: `SupplierCredentialsService` says why. */
  @Column('bytea', { nullable: true })
  token_sealed!: Buffer | null;

  /** All other credentials, sealed as one object; null where there are none. */
  @Column('bytea', { nullable: true })
  credentials_sealed!: Buffer | null;

  /** The names of the credentials in the sealed object, readable without the key. */
  @Column('text', { array: true, default: [] })
  credential_names!: string[];

  /** The secret part of its callback address; null where its adapter takes no callbacks. */
  @Column('bytea', { nullable: true })
  callback_token_sealed!: Buffer | null;

  @Column('jsonb', { default: {} })
  options!: Record<string, string>;

  @Column('integer')
  timeout_ms!: number;

  /** The balance below which it is low, in millionths of its currency. */
  @Column(bigintColumn({ nullable: true }))
  low_balance_micros!: bigint | null;

  /** The balance that it last reported, in millionths of its currency; null where it never did. */
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

  /** Why it is paused; null while it is not. */
  @Column('text', { nullable: true })
  pause_reason!: PauseReason | null;

  /** The explanation of the supplier or the operator. */
  @Column('text', { nullable: true })
  pause_detail!: string | null;

  @Column(timestampColumn({ nullable: true }))
  paused_at!: Date | null;

  /** The first balance that it reported during the pause for the deposit. A higher one ends the pause. */
  @Column(bigintColumn({ nullable: true }))
  paused_balance_micros!: bigint | null;

  /** The number of probes since the pause began, or since an operator set the supplier. */
  @Column('smallint', { default: 0 })
  probes!: number;

  /** When workers probe it next. */
  @Column(timestampColumn({ nullable: true }))
  probe_at!: Date | null;

  /** When the last reading of its whole catalogue began, successful or not. */
  @Column(timestampColumn({ nullable: true }))
  catalogue_read_at!: Date | null;

  /** When the last reading of a single product began. */
  @Column(timestampColumn({ nullable: true }))
  product_read_at!: Date | null;

  /** The end of the time in which operators may not test it again. The next column is the same for inquiries about a unit. */
  @Column(timestampColumn({ nullable: true }))
  test_asked_until!: Date | null;

  @Column(timestampColumn({ nullable: true }))
  inquiry_asked_until!: Date | null;

  /** When workers read its list of purchases next; null until they have read it once. */
  @Column(timestampColumn({ nullable: true }))
  purchases_due_at!: Date | null;

  /** The moment up to which workers have read its purchases. */
  @Column(timestampColumn({ nullable: true }))
  purchases_listed_at!: Date | null;

  /** Where the next reading of the list continues; null if the last reading reached the end. */
  @Column('jsonb', { nullable: true })
  purchases_place!: ListPlace | null;

  @Column(createdAtColumn())
  created_at!: Date;

  /** When its settings were last changed. */
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

  /** In millionths of its currency. */
  @Column(bigintColumn())
  micros!: bigint;
}

/** A SKU to read by itself: a supplier refused the SKU's price, or reported a change. */
@Entity('supplier_product_reads')
export class SupplierProductRead {
  @ForeignKey(() => Supplier, { name: 'fk_supplier_product_reads_supplier', onDelete: 'CASCADE' })
  @PrimaryColumn('integer', { primaryKeyConstraintName: 'pk_supplier_product_reads' })
  supplier_id!: number;

  @PrimaryColumn('text', { primaryKeyConstraintName: 'pk_supplier_product_reads' })
  sku!: string;

  /** When a process last marked the SKU. A reading that began earlier does not count. */
  @Column(timestampColumn())
  asked_at!: Date;

  @Column(timestampColumn())
  due_at!: Date;
}
