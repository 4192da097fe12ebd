import { Injectable } from '@nestjs/common';
import { Database, type Transaction } from '../database/database.js';
import type { Deposit } from './deposit.entity.js';
import * as sql from './inquiries.sql.js';

/** A deposit that a worker has claimed to inquire about its payment. */
export type ClaimedDeposit = Pick<Deposit, 'id' | 'status' | 'created_at' | 'expires_at' | 'answered_at'> & {
  channel_payment_id: string;
  asked_at: Date;
  /** When the inquiry before this one began. */
  asked_before: Date | null;
  /** Until then, no other worker inquires, unless a callback arrives. */
  next_inquiry_at: Date;
};

/**
 * The changes that an inquiry makes to its deposit. `answeredAt`: the start of the inquiry if the vendor answered it; otherwise
 * null.
 */
export interface InquiryAnswer {
  id: bigint;
  claimedUntil: Date;
  nextAt: Date | null;
  answeredAt: Date | null;
  hasEnded: boolean;
}

/**
 * A deposit of the sandbox about which there is something to report. `expires_in` and `reported_after` are seconds after its
 * creation.
 */
export type SandboxDeposit = Pick<
  Deposit,
  'id' | 'merchant_id' | 'deposit_number' | 'amount' | 'amount_to_pay' | 'created_at'
> & { expires_in: number; reported_after: number };

/** Reads and writes the times of inquiries about deposits. For a deposit of the sandbox, that is the time of its next report. */
@Injectable()
export class InquiriesRepository {
  constructor(private readonly database: Database) {}

  /** The ids of channels with inquiries that are due. */
  async listDueChannels(): Promise<number[]> {
    const found = await this.database.query<{ channel_id: number }>(...sql.LIST_DUE_CHANNELS.with({}));
    return found.map(({ channel_id }) => channel_id);
  }

  claimInquiries(channelId: number, limit: number, leaseMs: number): Promise<ClaimedDeposit[]> {
    return this.database.query<ClaimedDeposit>(...sql.CLAIM_INQUIRIES.with({ channelId, limit, leaseMs }));
  }

  async recordInquiries(answers: readonly InquiryAnswer[]): Promise<void> {
    if (answers.length === 0) return;
    // Transactions acquire the locks of deposits by id.
    const byId = answers.toSorted((one, other) => (one.id < other.id ? -1 : 1));
    await this.database.transaction((tx) => {
      for (const answer of byId) tx.write(...sql.RECORD_INQUIRY.with(answer));
      return Promise.resolve();
    });
  }

  /** @param id of the only deposit to look at; null for any. */
  listDueInSandbox(limit: number, id: bigint | null = null): Promise<SandboxDeposit[]> {
    return this.database.query<SandboxDeposit>(...sql.LIST_DUE_IN_SANDBOX.with({ limit, id }));
  }

  /** @param after seconds after the creation. */
  setInquiry(tx: Transaction, id: bigint, after: number | null): void {
    tx.write(...sql.SET_INQUIRY.with({ id, after }));
  }
}
