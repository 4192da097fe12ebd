import { Check, Column, Entity, ForeignKey, Index, Unique } from 'typeorm';
import type { Satang } from '../core/money.js';
import { bigintColumn, createdAtColumn, IdColumn, timestampColumn } from '../database/columns.js';
import { Merchant } from '../merchants/merchant.entity.js';
import { DepositChannel } from './deposit-channel.entity.js';

/**
 * - `pending`: the merchant can pay it.
 * - `expired`, `cancelled`: it should no longer be paid. A late payment still makes it `paid`.
 * - `paid`: at least one payment is booked. No deposit ever leaves this state.
 */
export const DEPOSIT_STATUSES = ['pending', 'expired', 'cancelled', 'paid'] as const;
export type DepositStatus = (typeof DEPOSIT_STATUSES)[number];

/** A merchant's announcement of a payment into its wallet. */
@Entity('deposits')
@Unique('uq_deposits_number', ['deposit_number'])
@Unique('uq_deposits_reference', ['reference'])
@Unique('uq_deposits_reference_id', ['merchant_id', 'reference_id'])
@Index('uq_deposits_held_amount', ['channel_id', 'amount_to_pay'], { unique: true, where: 'holds_amount' })
@Index('ix_deposits_amount', ['channel_id', 'amount_to_pay', 'created_at', 'hold_until'])
@Index('ix_deposits_merchant', ['merchant_id', 'id'])
@Index('ix_deposits_open', ['merchant_id', 'id'], { where: `status = 'pending'` })
@Index('ix_deposits_merchant_held', ['merchant_id', 'channel_id'], { where: 'holds_amount' })
@Index('ix_deposits_inquiry', ['next_inquiry_at'], { where: 'next_inquiry_at IS NOT NULL' })
@Index('ix_deposits_channel_payment', ['channel_id', 'channel_payment_id'], {
  where: 'channel_payment_id IS NOT NULL',
})
@Index('ix_deposits_pending', ['expires_at'], { where: `status = 'pending'` })
@Index('ix_deposits_held', ['hold_until'], { where: 'holds_amount' })
@Check('ck_deposits_status', `status IN ('pending', 'expired', 'cancelled', 'paid')`)
@Check('ck_deposits_amount', 'amount > 0')
@Check('ck_deposits_source', `source IN ('api', 'operator')`)
@Check('ck_deposits_amount_to_pay', 'amount_to_pay >= amount')
@Check(
  'ck_deposits_paid',
  `(status = 'paid') = (paid_amount > 0) AND (status = 'paid') = (paid_at IS NOT NULL) AND paid_amount >= 0`,
)
@Check('ck_deposits_cancelled', `status <> 'cancelled' OR cancelled_at IS NOT NULL`)
@Check('ck_deposits_hold', 'hold_until >= expires_at')
export class Deposit {
  @IdColumn('bigint', 'pk_deposits')
  id!: bigint;

  @Column('text')
  deposit_number!: string;

  @ForeignKey(() => Merchant, { name: 'fk_deposits_merchant' })
  @Column('integer')
  merchant_id!: number;

  @ForeignKey(() => DepositChannel, { name: 'fk_deposits_channel' })
  @Column('integer')
  channel_id!: number;

  /** The merchant's own reference. */
  @Column('text')
  reference_id!: string;

  /** Our reference in the QR code, if the channel carries one. */
  @Column('text')
  reference!: string;

  @Column('text', { default: 'pending' })
  status!: DepositStatus;

  @Column(bigintColumn())
  amount!: Satang;

  /**
   * Above `amount` if it was dealt to the deposit, because the channel recognizes payments by their amount. It is above
   * `amount` in the sandbox, too, which deals no amounts.
   */
  @Column(bigintColumn())
  amount_to_pay!: Satang;

  /** The sum of its booked payments. */
  @Column(bigintColumn({ default: '0' }))
  paid_amount!: Satang;

  @Column('text', { nullable: true })
  qr_payload!: string | null;

  /** The vendor's image of the QR code, as a data URL, while the deposit is pending. Lists do not read it. */
  @Column('text', { nullable: true, select: false })
  qr_image!: string | null;

  /** The vendor's id of the payment to come. */
  @Column('text', { nullable: true })
  channel_payment_id!: string | null;

  /**
   * When the last request for the QR code, or the last inquiry about the payment, began; null before the first one. A
   * request that got no code sets it back, so that the next request need not wait for the whole lease.
   */
  @Column(timestampColumn({ nullable: true }))
  asked_at!: Date | null;

  /** When the last inquiry began that the vendor answered. */
  @Column(timestampColumn({ nullable: true }))
  answered_at!: Date | null;

  /** Whether other deposits of the channel must not get its amount. Ends some time after `hold_until`, whatever the status. */
  @Column('boolean')
  holds_amount!: boolean;

  /** Until then, a payment of its amount counts for this deposit. */
  @Column(timestampColumn())
  hold_until!: Date;

  @Column(timestampColumn())
  expires_at!: Date;

  /** When its first booked payment was paid. */
  @Column(timestampColumn({ nullable: true }))
  paid_at!: Date | null;

  /** Stays when a payment arrives after all. */
  @Column(timestampColumn({ nullable: true }))
  cancelled_at!: Date | null;

  /** Stays when a payment arrives after all. */
  @Column(timestampColumn({ nullable: true }))
  expired_at!: Date | null;

  /** When the next inquiry about its payment is due; null if none is. */
  @Column(timestampColumn({ nullable: true }))
  next_inquiry_at!: Date | null;

  @Column('json', { nullable: true })
  metadata!: Record<string, string> | null;

  @Column('text')
  source!: 'api' | 'operator';

  @Column(createdAtColumn())
  created_at!: Date;

  @Column(createdAtColumn())
  updated_at!: Date;
}
