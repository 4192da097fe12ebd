import { Injectable } from '@nestjs/common';
import { present } from '../../core/invariant.js';
import { Database, type Transaction } from '../../database/database.js';
import type { DepositChannel } from '../deposit-channel.entity.js';
import type { SlipCheck, SlipCode } from './slip-check.entity.js';
import * as sql from './slips.sql.js';

/** A slip to verify. */
export type DueSlip = Pick<SlipCheck, 'id' | 'deposit_id' | 'channel_id' | 'slip_ref' | 'tries'>;

interface SlipUse {
  is_known: boolean;
  slips: number;
  wait_seconds: number | null;
}

@Injectable()
export class SlipsRepository {
  constructor(private readonly database: Database) {}

  lock(tx: Transaction, channelId: number): void {
    tx.write(...sql.LOCK_SLIPS.with({ channelId }));
  }

  /** Locks a slip against its other channels. The caller must not hold the lock of the slips of a channel. */
  lockSlip(tx: Transaction, slipRef: string): void {
    tx.write(...sql.LOCK_SLIP.with({ slipRef }));
  }

  async findUse(
    tx: Transaction,
    of: { depositId: bigint; merchantId: number; slipRef: string; perMinute: number },
  ): Promise<SlipUse> {
    return present((await tx.query<SlipUse>(...sql.FIND_USE.with(of)))[0], 'the statement has one row');
  }

  /** @returns the slip; undefined if it is known. */
  async add(
    tx: Transaction,
    of: { depositId: bigint; channelId: number; slipRef: string; tries: 0 | 1; waitSeconds: number },
  ): Promise<DueSlip | undefined> {
    return (await tx.query<DueSlip>(...sql.INSERT_CHECK.with(of)))[0];
  }

  /** The channels with slips to verify now, and the paused channels whose slip services must be tested now. */
  listDueChannels(): Promise<DepositChannel[]> {
    return this.database.query<DepositChannel>(...sql.LIST_DUE_CHANNELS.with({}));
  }

  /** @param waits how long to wait after each call. The last one applies to all further calls. */
  claim(channelId: number, limit: number, waits: readonly number[]): Promise<DueSlip[]> {
    const rows = waits.map((seconds, n) => ({ tries: n + 1, seconds }));
    return this.database.query<DueSlip>(...sql.CLAIM_CHECKS.with({ channelId, limit, waits: rows }));
  }

  confirm(tx: Transaction, channelId: number, slipRef: string): void {
    tx.write(...sql.DECIDE_SLIP.with({ channelId, slipRef, state: 'confirmed', code: null }));
  }

  refuse(tx: Transaction, channelId: number, slipRef: string, code: SlipCode): void {
    tx.write(...sql.DECIDE_SLIP.with({ channelId, slipRef, state: 'refused', code }));
  }

  /** @param channel as read before the refused call: if its credentials have changed since, it is not paused. */
  async pause({ id }: DueSlip, channel: DepositChannel, seconds: number): Promise<void> {
    const { id: channelId, credentials_sealed: sealed } = channel;
    await this.database.query(...sql.PAUSE_SLIPS.with({ id, channelId, sealed, seconds }));
  }

  /** @returns false if another process tests the slip service, or the pause has not ended. */
  async claimPaused(channelId: number, seconds: number): Promise<boolean> {
    return (await this.database.query(...sql.CLAIM_PAUSED.with({ channelId, seconds }))).length > 0;
  }

  async resume(channelId: number): Promise<void> {
    await this.database.query(...sql.RESUME_SLIPS.with({ channelId }));
  }
}
