import { Check, Column, Entity, ForeignKey, Index } from 'typeorm';
import type { Satang } from '../../core/money.js';
import { bigintColumn, createdAtColumn, IdColumn, timestampColumn } from '../../database/columns.js';
import { Deposit } from '../../deposits/deposit.entity.js';
import { IncomingPayment } from '../../deposits/incoming-payment.entity.js';
import { Merchant } from '../../merchants/merchant.entity.js';
import { Transfer } from '../../wallet/transfer.entity.js';

/** `withdrawn`: by the requester. `expired`: no operator decided in time. */
export const APPROVAL_STATUSES = ['open', 'approved', 'rejected', 'withdrawn', 'expired'] as const;
export type ApprovalStatus = (typeof APPROVAL_STATUSES)[number];

/** `credit` and `debit` are movements. Kinds that begin with `payment_` are decisions about a payment that arrived. */
export const APPROVAL_KINDS = [
  ...(['credit', 'debit'] as const),
  ...(['payment_credit', 'payment_return', 'payment_ignore', 'payment_debit'] as const),
] as const;
export type ApprovalKind = (typeof APPROVAL_KINDS)[number];

/** A movement of money, or a decision about a payment, that one operator requested and another one approves or rejects, once. */
@Entity('approvals')
@Index('uq_approvals_open', ['merchant_id', 'reference'], { unique: true, where: `status = 'open'` })
@Index('uq_approvals_open_payment', ['payment_id'], { unique: true, where: `status = 'open'` })
@Index('uq_approvals_transfer', ['transfer_id'], { unique: true })
@Index('ix_approvals_merchant', ['merchant_id', 'id'])
@Check(
  'ck_approvals_kind',
  `kind IN ('credit', 'debit', 'payment_credit', 'payment_return', 'payment_ignore', 'payment_debit')`,
)
@Check('ck_approvals_payment', `(kind IN ('credit', 'debit')) = (payment_id IS NULL)`)
@Check('ck_approvals_merchant', `merchant_id IS NOT NULL OR kind IN ('payment_return', 'payment_ignore')`)
@Check('ck_approvals_amount_positive', 'amount > 0')
@Check('ck_approvals_status', `status IN ('open', 'approved', 'rejected', 'withdrawn', 'expired')`)
@Check(
  'ck_approvals_decided',
  `(status IN ('open', 'expired')) = (decided_by IS NULL) AND (decided_by IS NULL) = (decided_at IS NULL)`,
)
@Check('ck_approvals_second_person', `status NOT IN ('approved', 'rejected') OR decided_by <> requested_by`)
@Check(
  'ck_approvals_transfer',
  `CASE WHEN kind IN ('credit', 'debit', 'payment_credit') THEN (status = 'approved') = (transfer_id IS NOT NULL)
        WHEN kind = 'payment_debit' THEN status = 'approved' OR transfer_id IS NULL ELSE transfer_id IS NULL END`,
)
export class Approval {
  @IdColumn('integer', 'pk_approvals')
  id!: number;

  @ForeignKey(() => Merchant, { name: 'fk_approvals_merchant' })
  @Column('integer', { nullable: true })
  merchant_id!: number | null;

  /** The payment about which to decide; null for a movement. */
  @ForeignKey(() => IncomingPayment, { name: 'fk_approvals_payment' })
  @Column(bigintColumn({ nullable: true }))
  payment_id!: bigint | null;

  /**
   * The deposit to which a `payment_credit` goes; null if it goes to the merchant without one, and for all other kinds.
   */
  @ForeignKey(() => Deposit, { name: 'fk_approvals_deposit' })
  @Column(bigintColumn({ nullable: true }))
  deposit_id!: bigint | null;

  @Column('text')
  kind!: ApprovalKind;

  @Column(bigintColumn())
  amount!: Satang;

  /** The reference of the movement; for `payment_return` that of the outgoing transfer, for `payment_ignore` the payment's id. */
  @Column('text')
  reference!: string;

  @Column('text', { nullable: true })
  note!: string | null;

  /** The requester's reason. */
  @Column('text')
  reason!: string;

  @ForeignKey('Operator', { name: 'fk_approvals_requester' })
  @Column('integer')
  requested_by!: number;

  /** An overdue request stays `open` in the table until the next request with its reference, or about its payment. */
  @Column('text', { default: 'open' })
  status!: ApprovalStatus;

  @ForeignKey('Operator', { name: 'fk_approvals_decider' })
  @Column('integer', { nullable: true })
  decided_by!: number | null;

  @Column(timestampColumn({ nullable: true }))
  decided_at!: Date | null;

  /** The reason for rejecting or withdrawing it. */
  @Column('text', { nullable: true })
  decision_reason!: string | null;

  /** The movement, once approved. */
  @ForeignKey(() => Transfer, { name: 'fk_approvals_transfer' })
  @Column(bigintColumn({ nullable: true }))
  transfer_id!: bigint | null;

  @Column(createdAtColumn())
  created_at!: Date;

  @Column(timestampColumn())
  expires_at!: Date;
}
