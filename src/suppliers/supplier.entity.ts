import { Check, Column, Entity, Unique, UpdateDateColumn } from 'typeorm';
import { placeOf, type Place } from '../core/secret-box.js';
import { bigintColumn, createdAtColumn, IdColumn, timestampColumn } from '../database/columns.js';

export const PAUSE_REASONS = ['operator', 'credentials', 'deposit', 'ban'] as const;
export type PauseReason = (typeof PAUSE_REASONS)[number];

/** A page of a supplier's list of what it sold us, as one reading reached it. */
export interface ListPlace {
  /** What the supplier called it. */
  page: string;
  /** What was on the pages before: purchases, and entries that can't be read. */
  purchases: number;
  unreadable: number;
  /** The moments since when purchases are listed, and at which the reading of the list began. */
  since: string;
  begun_at: string;
  /** Whose list: another address has other pages. */
  adapter: string;
  base_url: string;
  account: string;
}

/** @param code which it keeps, and which is known before it is written. */
export const supplierPlace = (
  column: 'token_sealed' | 'credentials_sealed' | 'callback_token_sealed',
  code: string,
): Place => placeOf(`suppliers.${column}`, code);

/** One that an operator has set, or the one that is built in. */
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

  /** The registry knows which there are: one more needs no migration. */
  @Column('text')
  adapter!: string;

  @Column('text')
  base_url!: string;

  /** A fingerprint of what the supplier knows our account by; empty where the address is all. */
  @Column('text', { default: '' })
  account!: string;

  /** The credential `token`, sealed by itself: {@link SupplierCredentialsService} says why. */
  @Column('bytea', { nullable: true })
  token_sealed!: Buffer | null;

  /** All other credentials, as one sealed object; null where there are none. */
  @Column('bytea', { nullable: true })
  credentials_sealed!: Buffer | null;

  /** The names of those in the sealed object, to be told without its key. */
  @Column('text', { array: true, default: [] })
  credential_names!: string[];

  /** The secret part of the address that it calls us at; null where its adapter takes no callbacks. */
  @Column('bytea', { nullable: true })
  callback_token_sealed!: Buffer | null;

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

  /** When it is asked for our balance next; null until it was asked by itself. */
  @Column(timestampColumn({ nullable: true }))
  balance_due_at!: Date | null;

  /** How many calls it may have in flight, over all workers; null for as many as the environment says. */
  @Column('integer', { nullable: true })
  max_in_flight!: number | null;

  /** Why nothing is sent there; null while it is not paused. */
  @Column('text', { nullable: true })
  pause_reason!: PauseReason | null;

  /** What the supplier or the operator said. */
  @Column('text', { nullable: true })
  pause_detail!: string | null;

  @Column(timestampColumn({ nullable: true }))
  paused_at!: Date | null;

  /** The first balance that it told after it was paused for the deposit: with more than that, it goes on. */
  @Column(bigintColumn({ nullable: true }))
  paused_balance_micros!: bigint | null;

  /** How often it was asked for our balance since it was paused. */
  @Column('smallint', { default: 0 })
  probes!: number;

  /** When it is asked next. */
  @Column(timestampColumn({ nullable: true }))
  probe_at!: Date | null;

  /** When its whole catalogue was last asked for, whatever came of it. */
  @Column(timestampColumn({ nullable: true }))
  catalogue_read_at!: Date | null;

  /** When it was last asked for one product of its catalogue that was to be read again. */
  @Column(timestampColumn({ nullable: true }))
  product_read_at!: Date | null;

  /** Until when no operator may have it tested, and asked about a unit, again. */
  @Column(timestampColumn({ nullable: true }))
  test_asked_until!: Date | null;

  @Column(timestampColumn({ nullable: true }))
  inquiry_asked_until!: Date | null;

  /** When it is asked next for what it sold us; null until it was asked by itself. */
  @Column(timestampColumn({ nullable: true }))
  purchases_due_at!: Date | null;

  /** Until when it was asked for that. */
  @Column(timestampColumn({ nullable: true }))
  purchases_listed_at!: Date | null;

  /** From which page on its list is read next; null where the last reading came to the end. */
  @Column('jsonb', { nullable: true })
  purchases_place!: ListPlace | null;

  @Column(createdAtColumn())
  created_at!: Date;

  /** When its settings were changed. */
  @UpdateDateColumn(timestampColumn({ default: () => 'now()' }))
  updated_at!: Date;
}
