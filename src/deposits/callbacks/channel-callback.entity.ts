import { Check, Column, Entity, ForeignKey, Index } from 'typeorm';
import { IdColumn, timestampColumn } from '../../database/columns.js';
import { DepositChannel } from '../deposit-channel.entity.js';

/**
 * The result of a callback.
 * - `woke`: workers inquire about the deposit's payment.
 * - `unknown_charge`: it is about a payment of no known deposit. Workers inquire about it, if not too many others came before.
 * - `ping`: no inquiry follows, because it is about no payment, or about a charge that was just made.
 * - `unreadable`: its adapter could not read it.
 * - `refused`: it did not prove that it came from the vendor.
 */
export type ChannelCallbackVerdict = 'woke' | 'unknown_charge' | 'ping' | 'unreadable' | 'refused';

/** A callback of a vendor. Its body is not stored, because it books nothing. */
@Entity('channel_callbacks')
@Index('ix_channel_callbacks_received', ['received_at'])
@Index('ix_channel_callbacks_ask', ['channel_id', 'ask_at'], { where: 'ask_at IS NOT NULL' })
@Index('ix_channel_callbacks_due', ['ask_at'], { where: 'ask_at IS NOT NULL AND asked_at IS NULL' })
@Check('ck_channel_callbacks_verdict', `verdict IN ('woke', 'unknown_charge', 'ping', 'unreadable', 'refused')`)
export class ChannelCallback {
  @IdColumn('bigint', 'pk_channel_callbacks')
  id!: bigint;

  @ForeignKey(() => DepositChannel, { name: 'fk_channel_callbacks_channel', onDelete: 'CASCADE' })
  @Column('integer')
  channel_id!: number;

  @Column(timestampColumn())
  received_at!: Date;

  @Column('text')
  remote_address!: string;

  @Column('text')
  verdict!: ChannelCallbackVerdict;

  /** The payment that it is about, by the vendor's id. */
  @Column('text', { nullable: true })
  charge_ref!: string | null;

  /** Why it was refused or could not be read. Never contains a part of its body. */
  @Column('text', { nullable: true })
  detail!: string | null;

  /**
   * When workers inquire next about a payment of no known deposit; null if they never do. Once the vendor has answered: until
   * when the inquiry counts against the limit.
   */
  @Column(timestampColumn({ nullable: true }))
  ask_at!: Date | null;

  /** When a worker claimed its last inquiry. */
  @Column(timestampColumn({ nullable: true }))
  claimed_at!: Date | null;

  /** When the vendor answered. */
  @Column(timestampColumn({ nullable: true }))
  asked_at!: Date | null;
}
