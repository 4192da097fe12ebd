import { Check, Column, Entity, ForeignKey, Index } from 'typeorm';
import type { Satang } from '../../core/money.js';
import { bigintColumn, createdAtColumn, IdColumn, timestampColumn } from '../../database/columns.js';
import { Merchant } from '../../merchants/merchant.entity.js';
import { Transfer } from '../../wallet/transfer.entity.js';

/** `withdrawn`: by the requester. `expired`: no operator decided in time. */
export const APPROVAL_STATUSES = ['open', 'approved', 'rejected', 'withdrawn', 'expired'] as const;
export type ApprovalStatus = (typeof APPROVAL_STATUSES)[number];

/** A movement of money that one operator requested and another one approves or rejects, once. */
@Entity('approvals')
@Index('uq_approvals_open', ['merchant_id', 'reference'], { unique: true, where: `status = 'open'` })
@Index('uq_approvals_transfer', ['transfer_id'], { unique: true })
@Index('ix_approvals_merchant', ['merchant_id', 'id'])
@Check('ck_approvals_kind', `kind IN ('credit', 'debit')`)
@Check('ck_approvals_amount_positive', 'amount > 0')
@Check('ck_approvals_status', `status IN ('open', 'approved', 'rejected', 'withdrawn', 'expired')`)
@Check(
  'ck_approvals_decided',
  `(status IN ('open', 'expired')) = (decided_by IS NULL) AND (decided_by IS NULL) = (decided_at IS NULL)`,
)
@Check('ck_approvals_second_person', `status NOT IN ('approved', 'rejected') OR decided_by <> requested_by`)
@Check('ck_approvals_transfer', `(status = 'approved') = (transfer_id IS NOT NULL)`)
export class Approval {
  @IdColumn('integer', 'pk_approvals')
  id!: number;

  @ForeignKey(() => Merchant, { name: 'fk_approvals_merchant' })
  @Column('integer')
  merchant_id!: number;

  @Column('text')
  kind!: 'credit' | 'debit';

  @Column(bigintColumn())
  amount!: Satang;

  /** The reference of the movement. */
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

  /** An overdue request stays `open` in the table until a new request has its reference. */
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
