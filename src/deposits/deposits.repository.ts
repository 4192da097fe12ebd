import { Injectable } from '@nestjs/common';
import type { Satang } from '../core/money.js';
import { Database, type Queryable, type Transaction } from '../database/database.js';
import type { DealtBefore } from './dealing.js';
import { DepositChannel } from './deposit-channel.entity.js';
import { Deposit, type DepositStatus } from './deposit.entity.js';
import * as sql from './deposits.sql.js';
import type { IncomingPayment } from './incoming-payment.entity.js';
import type { Candidate } from './matching.js';

/** A booked payment of a deposit. */
export type BookedPayment = Pick<IncomingPayment, 'public_id' | 'amount' | 'paid_at'> & {
  deposit_id: bigint;
  booked_at: Date;
};

/** A deposit with its channel and its booked payments, oldest first. */
export interface DepositRow {
  deposit: Deposit;
  channel: string;
  payments: readonly (BookedPayment & Partial<Pick<IncomingPayment, 'booked_by'>>)[];
}

/** A deposit with its channel's code. */
export type DepositOfChannel = Deposit & { channel: string };

export interface DepositsFilter {
  merchantId?: number | undefined;
  status?: DepositStatus | undefined;
  channel?: string | undefined;
  createdFrom?: Date | undefined;
  createdTo?: Date | undefined;
  limit: number;
}

/** A deposit to be written. Times are PostgreSQL's. */
export interface NewDeposit {
  depositNumber: string;
  merchantId: number;
  channelId: number;
  referenceId: string;
  reference: string;
  amount: Satang;
  amountToPay: Satang;
  qrPayload: string | null;
  holdsAmount: boolean;
  /** How long the offer is valid, and how long after it the amount stays reserved. */
  seconds: number;
  holdHours: number;
  metadata: Record<string, string> | null;
  source: Deposit['source'];
}

@Injectable()
export class DepositsRepository {
  constructor(private readonly database: Database) {}

  dealtBefore(tx: Transaction, channelId: number, amounts: Satang[]): Promise<DealtBefore[]> {
    const rows = amounts.map((amount_to_pay) => ({ amount_to_pay }));
    return tx.query<DealtBefore>(...sql.DEALT_BEFORE.with({ channelId, amounts: rows }));
  }

  /** @returns null if another deposit holds the amount, or has the merchant's reference. */
  async insert(tx: Transaction, { metadata, ...deposit }: NewDeposit): Promise<bigint | null> {
    const row = { ...deposit, metadata: metadata === null ? null : JSON.stringify(metadata) };
    const [inserted] = await tx.query<{ id: bigint }>(...sql.INSERT_DEPOSIT.with(row));
    return inserted?.id ?? null;
  }

  async findByReferenceId(merchantId: number, referenceId: string): Promise<DepositRow | undefined> {
    const of = { merchant_id: merchantId, reference_id: referenceId };
    return (await this.complete(await this.database.manager.findBy(Deposit, of)))[0];
  }

  findByNumber({ manager }: Transaction, number: string): Promise<Deposit | null> {
    return manager.findOneBy(Deposit, { deposit_number: number });
  }

  /** By our number or reference, or by the merchant's reference. */
  async search(text: string, merchantId?: number): Promise<DepositRow[]> {
    const ofMerchant = merchantId === undefined ? {} : { merchant_id: merchantId };
    const deposits = await this.database.manager.find(Deposit, {
      where: (['deposit_number', 'reference', 'reference_id'] as const).map((column) => ({
        [column]: text,
        ...ofMerchant,
      })),
      order: { id: 'DESC' },
      take: 20,
    });
    return this.complete(deposits);
  }

  /** Newest first. */
  async list({ merchantId, status, channel, createdFrom, createdTo, limit }: DepositsFilter): Promise<DepositRow[]> {
    const query = this.database.manager
      .createQueryBuilder(Deposit, 'deposit')
      .orderBy('deposit.id', 'DESC')
      .limit(limit);
    if (merchantId !== undefined) query.andWhere({ merchant_id: merchantId });
    if (status !== undefined) query.andWhere({ status });
    if (createdFrom) query.andWhere('deposit.created_at >= :createdFrom', { createdFrom });
    if (createdTo) query.andWhere('deposit.created_at < :createdTo', { createdTo });
    if (channel !== undefined) {
      query.innerJoin(DepositChannel, 'channel', 'channel.id = deposit.channel_id AND channel.code = :channel', {
        channel,
      });
    }
    return this.complete(await query.getMany());
  }

  /** @param from, until when the deposits were made. */
  candidates(
    tx: Queryable,
    by: { channelId: number; from: Date; until: Date; references: string[]; amounts: Satang[] },
  ): Promise<Candidate[]> {
    const amounts = by.amounts.map((amount) => ({ amount }));
    return tx.query<Candidate>(...sql.FIND_CANDIDATES.with({ ...by, amounts }));
  }

  /** Locks the deposits and adds booked payments to them. @returns the deposits. */
  pay(tx: Transaction, booked: { id: bigint; amount: Satang; paid_at: Date }[]): Promise<DepositOfChannel[]> {
    tx.write(...sql.LOCK_DEPOSITS.with({ ids: booked.map(({ id }) => ({ id })) }));
    return tx.query<DepositOfChannel>(...sql.PAY_DEPOSITS.with({ booked }));
  }

  /** Booked payments of deposits, oldest first. */
  paymentsOf(reader: Queryable, deposits: { id: bigint }[]): Promise<BookedPayment[]> {
    return reader.query<BookedPayment>(...sql.FIND_BOOKED_PAYMENTS.with({ deposits }));
  }

  /** Finds offers that have expired, the oldest first. */
  findExpired(tx: Transaction, limit: number): Promise<Pick<Deposit, 'id' | 'merchant_id'>[]> {
    return tx.query<Pick<Deposit, 'id' | 'merchant_id'>>(...sql.FIND_EXPIRED.with({ limit }));
  }

  /** Ends those that are still offered. */
  async expire(tx: Transaction, deposits: { id: bigint }[]): Promise<DepositRow[]> {
    const expired = await tx.query<DepositOfChannel>(...sql.EXPIRE_DEPOSITS.with({ deposits }));
    return expired.map(({ channel, ...deposit }) => ({ deposit, channel, payments: [] }));
  }

  async freeAmounts(limit: number, marginMs: number): Promise<number> {
    return (await this.database.query(...sql.FREE_AMOUNTS.with({ limit, marginMs }))).length;
  }

  private async complete(deposits: Deposit[]): Promise<DepositRow[]> {
    if (deposits.length === 0) return [];
    const { manager } = this.database;
    const [channels, payments] = await Promise.all([
      manager.find(DepositChannel),
      this.paymentsOf(this.database, deposits),
    ]);
    const codes = new Map(channels.map(({ id, code }) => [id, code]));
    return deposits.map((deposit) => ({
      deposit,
      channel: codes.get(deposit.channel_id) ?? '',
      payments: payments.filter(({ deposit_id }) => deposit_id === deposit.id),
    }));
  }
}
