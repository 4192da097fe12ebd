import { Check, Column, Entity, ForeignKey, Index, Unique } from 'typeorm';
import { bigintColumn, createdAtColumn, IdColumn, timestampColumn } from '../../database/columns.js';
import { DepositChannel } from '../deposit-channel.entity.js';
import { Deposit } from '../deposit.entity.js';

/**
 * - `checking`: the slip service has not decided.
 * - `confirmed`: a payment with this slip is recorded. It may be for another deposit, or wait for an operator.
 * - `refused`: no payment is recorded for it; `code` has the reason.
 */
type SlipState = 'checking' | 'confirmed' | 'refused';

/**
 * Why a slip is refused, as the API shows it. `SLIP_NOT_FOR_THIS_DEPOSIT` is never stored: the API shows it for a confirmed slip
 * whose payment is not booked for the deposit.
 */
export const SLIP_CODES = [
  'SLIP_WRONG_RECEIVER',
  'SLIP_UNKNOWN',
  'NOT_IN_STATEMENT',
  'SLIP_NOT_FOR_THIS_DEPOSIT',
] as const;
export type SlipCode = (typeof SLIP_CODES)[number];

/**
 * A slip that a merchant presented for a deposit. A slip that was presented for several deposits has several rows. At most one of
 * them has `next_at`: the slip is verified once, and the decision changes all of its rows.
 */
@Entity('slip_checks')
@Unique('uq_slip_checks_deposit', ['deposit_id', 'slip_ref'])
@Index('uq_slip_checks_asked', ['channel_id', 'slip_ref'], { unique: true, where: 'next_at IS NOT NULL' })
@Index('ix_slip_checks_slip', ['channel_id', 'slip_ref'])
@Index('ix_slip_checks_due', ['next_at'], { where: 'next_at IS NOT NULL' })
@Index('ix_slip_checks_created', ['created_at'])
@Check('ck_slip_checks_state', `state IN ('checking', 'confirmed', 'refused')`)
@Check('ck_slip_checks_code', `code IN ('SLIP_WRONG_RECEIVER', 'SLIP_UNKNOWN', 'NOT_IN_STATEMENT')`)
@Check('ck_slip_checks_refused', `(state = 'refused') = (code IS NOT NULL)`)
@Check('ck_slip_checks_next', `state = 'checking' OR next_at IS NULL`)
export class SlipCheck {
  @IdColumn('bigint', 'pk_slip_checks')
  id!: bigint;

  @ForeignKey(() => Deposit, { name: 'fk_slip_checks_deposit' })
  @Column(bigintColumn())
  deposit_id!: bigint;

  @ForeignKey(() => DepositChannel, { name: 'fk_slip_checks_channel' })
  @Column('integer')
  channel_id!: number;

  /** The sending bank's code, and the number that this bank gave the transfer. */
  @Column('text')
  slip_ref!: string;

  @Column('text', { default: 'checking' })
  state!: SlipState;

  @Column('text', { nullable: true })
  code!: SlipCode | null;

  /** The number of calls to the slip service, without the calls that led to a pause. */
  @Column('integer', { default: 0 })
  tries!: number;

  /** When the next call is due, unless an answer comes before. */
  @Column(timestampColumn({ nullable: true }))
  next_at!: Date | null;

  @Column(createdAtColumn())
  created_at!: Date;
}
