import { Check, Column, Entity, Unique, UpdateDateColumn } from 'typeorm';
import type { Satang } from '../core/money.js';
import { placeOf, type Place } from '../core/secret-box.js';
import { bigintColumn, createdAtColumn, IdColumn, timestampColumn } from '../database/columns.js';

export const CHANNEL_STATUSES = ['active', 'inactive'] as const;
export type ChannelStatus = (typeof CHANNEL_STATUSES)[number];

/** The place of a sealed value. It contains the code, which never changes and is known before the row has an id. */
export const channelPlace = (column: 'credentials_sealed' | 'callback_token_sealed', code: string): Place =>
  placeOf(`deposit_channels.${column}`, code);

/** An account to which merchants pay, with the adapter that makes its QR codes and reads its reports. */
@Entity('deposit_channels')
@Unique('uq_deposit_channels_code', ['code'])
@Check('ck_deposit_channels_code', `code ~ '^[a-z0-9][a-z0-9_-]{0,31}$'`)
@Check('ck_deposit_channels_priority', 'priority BETWEEN 0 AND 1000')
@Check('ck_deposit_channels_hold_above', 'hold_above > 0')
@Check('ck_deposit_channels_status', `status IN ('active', 'inactive')`)
@Check('ck_deposit_channels_pause_reason', `pause_reason IN ('credentials')`)
@Check('ck_deposit_channels_probe', '(pause_reason IS NULL) = (probe_at IS NULL)')
@Check('ck_deposit_channels_limits', 'min > 0 AND min <= max')
export class DepositChannel {
  @IdColumn('integer', 'pk_deposit_channels')
  id!: number;

  @Column('text')
  code!: string;

  /** The adapter's name. The table allows any name, so a new adapter needs no migration. */
  @Column('text')
  adapter!: string;

  /** Where the vendor or the slip service is called; null for the usual address of the slip service, or if nobody is called. */
  @Column('text', { nullable: true })
  base_url!: string | null;

  /** All credentials, sealed as one object; null if there are none. */
  @Column('bytea', { nullable: true })
  credentials_sealed!: Buffer | null;

  /** The names of the credentials, readable without the key. */
  @Column('text', { array: true, default: [] })
  credential_names!: string[];

  @Column('jsonb', { default: {} })
  options!: Record<string, string>;

  /** The smallest deposit, in satang. */
  @Column(bigintColumn())
  min!: Satang;

  @Column(bigintColumn())
  max!: Satang;

  /** If a merchant names no channel, it gets the one with the lowest number that takes the amount. */
  @Column('integer', { default: 100 })
  priority!: number;

  /** A payment above this amount waits for an operator. */
  @Column(bigintColumn())
  hold_above!: Satang;

  @Column('text', { default: 'active' })
  status!: ChannelStatus;

  /** Why it makes no new deposits for now; null while it is not paused. Payments are still booked. */
  @Column('text', { nullable: true })
  pause_reason!: 'credentials' | null;

  /** The number of probes since the pause began, and when workers probe the vendor next. */
  @Column('smallint', { default: 0 })
  probes!: number;

  @Column(timestampColumn({ nullable: true }))
  probe_at!: Date | null;

  /** The secret token in its callback address; null if the adapter takes no callbacks. */
  @Column('bytea', { nullable: true })
  callback_token_sealed!: Buffer | null;

  /** When workers read the vendor's list of payments next; null before their first reading. */
  @Column(timestampColumn({ nullable: true }))
  list_due_at!: Date | null;

  /** While the list is being read: when that reading ends unless it is renewed. */
  @Column(timestampColumn({ nullable: true }))
  list_read_until!: Date | null;

  /** The time of its statements' last line, because the time of a file is unknown. Lines dated ahead do not count. */
  @Column(timestampColumn({ nullable: true }))
  covered_until!: Date | null;

  /** The code of the refusal, if the last file was refused. */
  @Column('text', { nullable: true })
  refused!: string | null;

  /** When workers test its slip service next, after the service refused our key, address or quota; else null. */
  @Column(timestampColumn({ nullable: true }))
  slips_paused_until!: Date | null;

  @Column(createdAtColumn())
  created_at!: Date;

  /** When its settings were last changed. */
  @UpdateDateColumn(timestampColumn({ default: () => 'now()' }))
  updated_at!: Date;
}
