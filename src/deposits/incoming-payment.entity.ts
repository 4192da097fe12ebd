import { Check, Column, Entity, ForeignKey, Index, Unique } from 'typeorm';
import type { Satang } from '../core/money.js';
import { bigintColumn, createdAtColumn, IdColumn, timestampColumn } from '../database/columns.js';
import { Merchant } from '../merchants/merchant.entity.js';
import { Transfer } from '../wallet/transfer.entity.js';
import { DepositChannel } from './deposit-channel.entity.js';
import { Deposit } from './deposit.entity.js';
import { StatementLine } from './statements/statement-line.entity.js';

/**
 * - `waiting`: an operator must decide.
 * - `booked`: a wallet was credited.
 * - `returned`: an operator sent it back outside of this service.
 * - `ignored`: it belongs to no merchant, such as interest.
 */
export type PaymentState = 'waiting' | 'booked' | 'returned' | 'ignored';

/** Why a payment waits, or why a booked payment is a case. A closed case keeps its reason. */
export type PaymentReason =
  | ('WRONG_CURRENCY' | 'AMBIGUOUS' | 'DOUBLE' | 'TOO_EARLY' | 'UNMATCHED')
  | ('LARGE' | 'UNCONFIRMED' | 'NOT_IN_STATEMENT' | 'TAKEN_BACK' | 'CONTRADICTION' | 'WALLET_FULL');

/** How exactly a channel reports times. */
export type Precision = 'second' | 'minute' | 'day';

export type Decision = 'credit' | 'return' | 'ignore' | 'debit' | 'keep';

/** One real payment, however many witnesses report it. Rows are never removed; amount and identities never change. */
@Entity('incoming_payments')
@Unique('uq_incoming_payments_public_id', ['public_id'])
@Unique('uq_incoming_payments_charge', ['channel_id', 'charge_ref'])
@Unique('uq_incoming_payments_slip', ['channel_id', 'slip_ref'])
@Unique('uq_incoming_payments_line', ['line_id'])
@Unique('uq_incoming_payments_transfer', ['transfer_id'])
@Index('ix_incoming_payments_deposit', ['deposit_id'])
@Index('ix_incoming_payments_waiting', ['channel_id', 'id'], { where: `state = 'waiting'` })
@Index('ix_incoming_payments_cases', ['channel_id', 'id'], { where: `state = 'booked' AND reason IS NOT NULL` })
@Index('ix_incoming_payments_paid_at', ['paid_at'])
@Index('ix_incoming_payments_amount', ['channel_id', 'amount'])
@Index('ix_incoming_payments_unconfirmed', ['channel_id', 'merchant_id'], {
  where: 'slip_ref IS NOT NULL AND line_id IS NULL',
})
@Check('ck_incoming_payments_amount', 'amount > 0')
@Check('ck_incoming_payments_currency', `currency ~ '^[A-Z]{3}$'`)
@Check('ck_incoming_payments_precision', `precision IN ('second', 'minute', 'day')`)
@Check('ck_incoming_payments_state', `state IN ('waiting', 'booked', 'returned', 'ignored')`)
@Check(
  'ck_incoming_payments_reason',
  `reason IN ('WRONG_CURRENCY', 'AMBIGUOUS', 'DOUBLE', 'TOO_EARLY', 'UNMATCHED', 'LARGE', 'UNCONFIRMED', 'NOT_IN_STATEMENT',
              'TAKEN_BACK', 'CONTRADICTION', 'WALLET_FULL')`,
)
@Check('ck_incoming_payments_booked_by', `booked_by IN ('reference', 'amount', 'person')`)
@Check('ck_incoming_payments_taken_back', 'taken_back > 0')
@Check('ck_incoming_payments_decision', `decision IN ('credit', 'return', 'ignore', 'debit', 'keep')`)
@Check('ck_incoming_payments_witness', 'num_nonnulls(charge_ref, slip_ref, line_id) > 0')
@Check(
  'ck_incoming_payments_booked',
  `CASE WHEN state = 'booked' THEN num_nulls(transfer_id, merchant_id, deposit_id, booked_by, booked_at) = 0
        ELSE num_nonnulls(transfer_id, merchant_id, booked_by, booked_at) = 0 END`,
)
@Check('ck_incoming_payments_returned', `(state = 'returned') = (returned_reference IS NOT NULL)`)
@Check('ck_incoming_payments_waiting', `state <> 'waiting' OR reason IS NOT NULL`)
@Check('ck_incoming_payments_decided', 'num_nulls(decision, decided_by, decision_reason, decided_at) IN (0, 4)')
export class IncomingPayment {
  @IdColumn('bigint', 'pk_incoming_payments')
  id!: bigint;

  /**
   * Made of the channel and the identity of the first witness: if the same witness reports the payment first after a restore, the
   * payment gets the same id again.
   */
  @Column('text')
  public_id!: string;

  @ForeignKey(() => DepositChannel, { name: 'fk_incoming_payments_channel' })
  @Column('integer')
  channel_id!: number;

  @Column(bigintColumn())
  amount!: Satang;

  @Column('text', { default: 'THB' })
  currency!: string;

  /** The time by the channel's clock. */
  @Column(timestampColumn())
  paid_at!: Date;

  @Column('text')
  precision!: Precision;

  /** The witnesses: a vendor's charge, a slip, and a line of a statement. */
  @Column('text', { nullable: true })
  charge_ref!: string | null;

  @Column('text', { nullable: true })
  slip_ref!: string | null;

  @ForeignKey(() => StatementLine, { name: 'fk_incoming_payments_line' })
  @Column(bigintColumn({ nullable: true }))
  line_id!: bigint | null;

  @Column('text')
  state!: PaymentState;

  @Column('text', { nullable: true })
  reason!: PaymentReason | null;

  /** Whether a witness has reported another amount or currency. */
  @Column('boolean', { default: false })
  contradicted!: boolean;

  /** The deposit of a booked payment; for a waiting one, the deposit that it is probably for. */
  @ForeignKey(() => Deposit, { name: 'fk_incoming_payments_deposit' })
  @Column(bigintColumn({ nullable: true }))
  deposit_id!: bigint | null;

  /** The merchant that a payment named when it came to wait. It is suggested only if the payment has no deposit. */
  @Column('integer', { nullable: true })
  named_merchant_id!: number | null;

  /** The merchant whose wallet was credited. */
  @ForeignKey(() => Merchant, { name: 'fk_incoming_payments_merchant' })
  @Column('integer', { nullable: true })
  merchant_id!: number | null;

  @ForeignKey(() => Transfer, { name: 'fk_incoming_payments_transfer' })
  @Column(bigintColumn({ nullable: true }))
  transfer_id!: bigint | null;

  /** How the deposit was found. */
  @Column('text', { nullable: true })
  booked_by!: 'reference' | 'amount' | 'person' | null;

  @Column(timestampColumn({ nullable: true }))
  booked_at!: Date | null;

  /** The amount that the channel took back, before or after the booking. */
  @Column(bigintColumn({ nullable: true }))
  taken_back!: Satang | null;

  /** The reference of the outgoing transfer with which an operator returned it. */
  @Column('text', { nullable: true })
  returned_reference!: string | null;

  /** The last decision of an operator; null again once a case is reopened. The audit log has all decisions. */
  @Column('text', { nullable: true })
  decision!: Decision | null;

  @Column('text', { nullable: true })
  decided_by!: string | null;

  @Column('text', { nullable: true })
  decision_reason!: string | null;

  @Column(timestampColumn({ nullable: true }))
  decided_at!: Date | null;

  /** When we first learned of it. */
  @Column(createdAtColumn())
  seen_at!: Date;
}
