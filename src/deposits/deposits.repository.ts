import { Injectable } from '@nestjs/common';
import { In, type SelectQueryBuilder } from 'typeorm';
import { present } from '../core/invariant.js';
import type { Satang } from '../core/money.js';
import { BoundedReadsService } from '../database/bounded-reads.service.js';
import { Database, type Queryable, type Transaction } from '../database/database.js';
import type { Created } from './channels/channel-adapter.js';
import { MAX_DRAWN, type FreeAmount } from './dealing.js';
import { withCodes } from './channels.repository.js';
import { Deposit, type DepositStatus } from './deposit.entity.js';
import * as sql from './deposits.sql.js';
import type { IncomingPayment } from './incoming-payment.entity.js';
import type { Candidate } from './matching.js';
import type { SlipCheck } from './slips/slip-check.entity.js';

/** A booked payment of a deposit. */
export type BookedPayment = Pick<IncomingPayment, 'public_id' | 'amount' | 'paid_at' | 'slip_ref'> & {
  deposit_id: bigint;
  booked_at: Date;
};

/** A slip that was presented for a deposit, with the id of the payment that it reports. Its time is a text of JSON. */
export type PresentedSlip = Pick<SlipCheck, 'slip_ref' | 'state' | 'code'> & {
  created_at: string;
  payment_id: string | null;
};

/** A deposit with its channel, its slips and its booked payments, oldest first. */
export interface DepositRow {
  deposit: Deposit;
  channel: string;
  slips: readonly PresentedSlip[];
  payments: readonly (BookedPayment & Partial<Pick<IncomingPayment, 'booked_by'>>)[];
}

/** A deposit whose offer has expired. */
export type FoundDeposit = Pick<Deposit, 'id' | 'merchant_id'>;

/** A deposit with its channel's code and its slips, if there are any. */
export type DepositOfChannel = Deposit & { channel: string; slips: PresentedSlip[] | null };

/** @param payments of any deposits. */
export const withPayments = (
  { channel, slips, ...deposit }: DepositOfChannel,
  payments: readonly BookedPayment[],
): DepositRow => ({
  deposit,
  channel,
  slips: slips ?? [],
  payments: payments.filter(({ deposit_id }) => deposit_id === deposit.id),
});

/** A deposit with its booked payments as JSON, so that one statement reads both as they are at one moment. */
type WithBooked = DepositOfChannel & { booked: string };

function toRow({ booked, channel, slips, ...deposit }: WithBooked): DepositRow {
  type AsText = Record<keyof BookedPayment, string> & Pick<IncomingPayment, 'booked_by' | 'slip_ref'>;
  const payments = (JSON.parse(booked) as AsText[]).map(({ amount, paid_at, booked_at, ...payment }) => {
    const moments = { paid_at: new Date(paid_at), booked_at: new Date(booked_at) };
    return { ...payment, deposit_id: deposit.id, amount: BigInt(amount), ...moments };
  });
  return { deposit, channel, slips: slips ?? [], payments };
}

export interface DepositsFilter {
  merchantIds?: number[] | undefined;
  statuses?: DepositStatus[] | undefined;
  channels?: string[] | undefined;
  createdFrom?: Date | undefined;
  createdTo?: Date | undefined;
  /** Exactly our number or reference, or the merchant's reference. */
  name?: string | undefined;
  /** The id of a deposit; the list has lower ones. */
  before?: bigint | undefined;
  limit: number;
}

/** What a channel offers for an amount. */
export interface Offer {
  amountToPay: Satang;
  holdsAmount: boolean;
  qrPayload: string | null;
  /** The seconds until the first inquiry about the deposit; null for none. */
  inquiryAfter: number | null;
}

/** A deposit to be written. Times are PostgreSQL's. */
interface NewDeposit extends Offer {
  depositNumber: string;
  merchantId: number;
  channelId: number;
  referenceId: string;
  reference: string;
  amount: Satang;
  /** How long the offer is valid, and how long after it the amount stays reserved. */
  seconds: number;
  holdHours: number;
  metadata: Record<string, string> | null;
  source: Deposit['source'];
}

/** What a merchant has made before. `held`: the amounts that the channel reserves for it. */
export interface Use {
  is_made: boolean;
  open: number;
  held: number;
  wait_seconds: number | null;
}

/** A page of a merchant's deposits. */
interface DepositsPage {
  merchantId: number;
  status: DepositStatus | null;
  referenceId: string | undefined;
  createdFrom: Date | null;
  createdTo: Date | null;
  /** The id after which the page begins. */
  before: bigint;
  limit: number;
}

/** Each look-up has its index; for the merchants' references, one look-up for each merchant. */
const IDS_BY_NAME = `
  SELECT id FROM deposits WHERE deposit_number = :name UNION ALL SELECT id FROM deposits WHERE reference = :name
  UNION ALL SELECT named.id FROM merchants m JOIN deposits named ON named.merchant_id = m.id AND named.reference_id = :name`;

/** Whether an offer lacks its QR code. */
export const isUnfinished = ({ deposit }: DepositRow): boolean =>
  deposit.status === 'pending' && deposit.qr_payload === null && deposit.qr_image === null;

@Injectable()
export class DepositsRepository {
  constructor(
    private readonly database: Database,
    private readonly reads: BoundedReadsService,
  ) {}

  /** Locks the creations of a merchant. @param max its limits: counts stop there. @returns what it has made before. */
  async lockCreations(
    tx: Transaction,
    by: { merchantId: number; referenceId: string; channelId: number },
    max: { maxOpen: number; maxHeld: number; perMinute: number },
  ): Promise<Use> {
    tx.write(...sql.LOCK_CREATIONS.with(by));
    return present((await tx.query<Use>(...sql.FIND_USE.with({ ...by, ...max })))[0], 'the statement has one row');
  }

  /** Waits until the merchant's creations that are under way have ended. */
  async waitForCreations(merchantId: number): Promise<void> {
    await this.database.query(...sql.LOCK_CREATIONS.with({ merchantId }));
  }

  /** Those of the amounts that no deposit of the channel holds, for `chooseAmount`. */
  listFreeAmounts(tx: Transaction, channelId: number, amounts: Satang[]): Promise<FreeAmount[]> {
    const rows = amounts.map((amount_to_pay) => ({ amount_to_pay }));
    return tx.query<FreeAmount>(...sql.LIST_FREE_AMOUNTS.with({ channelId, amounts: rows, limit: MAX_DRAWN }));
  }

  /** @returns null if another deposit holds the amount, or has the merchant's reference. */
  async insert(tx: Transaction, { metadata, ...deposit }: NewDeposit): Promise<DepositRow | null> {
    const row = { ...deposit, metadata: metadata === null ? null : JSON.stringify(metadata) };
    const [inserted] = await tx.query<DepositOfChannel>(...sql.INSERT_DEPOSIT.with(row));
    return inserted ? withPayments(inserted, []) : null;
  }

  async find(reader: Queryable, merchantId: number, referenceId: string): Promise<DepositRow | undefined> {
    return (await reader.query<WithBooked>(...sql.FIND_DEPOSIT.with({ merchantId, referenceId }))).map(toRow)[0];
  }

  async readAgain({ deposit }: DepositRow): Promise<DepositRow> {
    const { merchant_id: merchantId, reference_id: referenceId } = deposit;
    return present(await this.find(this.database, merchantId, referenceId), 'a deposit stays');
  }

  /** A merchant's deposits, newest first. */
  async page({ referenceId, ...page }: DepositsPage): Promise<DepositRow[]> {
    const statement = sql.DEPOSITS_PAGE[referenceId === undefined ? 'any' : 'reference'];
    const [query, values] = statement.with({ ...page, referenceId: referenceId ?? null });
    // A merchant may look for a deposit just after making it. A replica may not have it yet.
    const rows = await (referenceId === undefined
      ? this.reads.list<WithBooked>(query, values)
      : this.reads.query<WithBooked>(query, values));
    return rows.map(toRow);
  }

  /** @returns the deposit if it was pending. */
  cancel(tx: Transaction, merchantId: number, referenceId: string): Promise<DepositOfChannel[]> {
    return tx.query<DepositOfChannel>(...sql.CANCEL_DEPOSIT.with({ merchantId, referenceId }));
  }

  /** @returns false if the offer has ended meanwhile, or has a QR code already. */
  async finish(id: bigint, { kind: _kind, ...code }: Created, inquiryAfter: number | null): Promise<boolean> {
    return (await this.database.query(...sql.FINISH_DEPOSIT.with({ id, ...code, inquiryAfter }))).length > 0;
  }

  /** @returns false if another process is making the QR code, or the offer has ended, or has a QR code already. */
  async claimCode(id: bigint, leaseMs: number): Promise<boolean> {
    return (await this.database.query(...sql.CLAIM_CODE.with({ id, leaseMs }))).length > 0;
  }

  async releaseCode(id: bigint, leaseMs: number, pauseMs: number): Promise<void> {
    await this.database.query(...sql.RELEASE_CODE.with({ id, leaseMs, pauseMs }));
  }

  findByNumber({ manager }: Transaction, number: string): Promise<Deposit | null> {
    return manager.findOneBy(Deposit, { deposit_number: number });
  }

  getById({ manager }: Transaction, id: bigint): Promise<Deposit> {
    return manager.findOneByOrFail(Deposit, { id });
  }

  /** Only a merchant's reference can name several deposits. */
  async search(
    name: 'deposit_number' | 'reference' | 'reference_id',
    text: string,
    merchantId?: number,
  ): Promise<DepositRow[]> {
    const ofMerchant = merchantId === undefined ? {} : { merchant_id: merchantId };
    const query = this.database.manager
      .createQueryBuilder(Deposit, 'deposit')
      .where({ [name]: text, ...ofMerchant })
      .orderBy('deposit.id', 'DESC')
      .limit(20);
    return this.complete(query);
  }

  /** Newest first. */
  async list({
    merchantIds,
    statuses,
    channels,
    createdFrom,
    createdTo,
    ...page
  }: DepositsFilter): Promise<DepositRow[]> {
    const { name, before, limit } = page;
    const query = this.database.manager
      .createQueryBuilder(Deposit, 'deposit')
      .orderBy('deposit.id', 'DESC')
      .limit(limit);
    if (before !== undefined) query.andWhere('deposit.id < :before', { before });
    if (name !== undefined) query.andWhere(`deposit.id IN (${IDS_BY_NAME})`, { name });
    if (merchantIds) query.andWhere({ merchant_id: In(merchantIds) });
    if (statuses) query.andWhere({ status: In(statuses) });
    if (createdFrom) query.andWhere('deposit.created_at >= :createdFrom', { createdFrom });
    if (createdTo) query.andWhere('deposit.created_at < :createdTo', { createdTo });
    return this.complete(query, channels);
  }

  /** @param from, until the time in which the deposits were made that are found by amounts. */
  candidates(
    tx: Queryable,
    by: { channelId: number; from: Date; until: Date; references: string[]; amounts: Satang[] },
  ): Promise<Candidate[]> {
    const amounts = by.amounts.map((amount) => ({ amount }));
    return tx.query<Candidate>(...sql.LIST_CANDIDATES.with({ ...by, amounts }));
  }

  /** The merchants of deposits by the names of the deposits: our references of the channel, or numbers of any channel. */
  async merchantsByName(reader: Queryable, channelId: number, names: string[]): Promise<Map<string, number>> {
    if (names.length === 0) return new Map();
    const noTime = { from: new Date(0), until: new Date(0) };
    const found = await this.candidates(reader, { channelId, ...noTime, references: names, amounts: [] });
    return new Map(
      found.flatMap(({ deposit_number: number, reference, merchant_id: id }) => [
        [number, id],
        [reference, id],
      ]),
    );
  }

  /** Locks the deposits and adds booked payments to them. @returns the deposits. */
  pay(tx: Transaction, booked: { id: bigint; amount: Satang; paid_at: Date }[]): Promise<DepositOfChannel[]> {
    tx.write(...sql.LOCK_DEPOSITS.with({ ids: booked.map(({ id }) => ({ id })) }));
    return tx.query<DepositOfChannel>(...sql.PAY_DEPOSITS.with({ booked }));
  }

  /** Booked payments of deposits, oldest first. */
  paymentsOf(reader: Queryable, deposits: { id: bigint }[]): Promise<BookedPayment[]> {
    return reader.query<BookedPayment>(...sql.LIST_BOOKED_PAYMENTS.with({ deposits }));
  }

  /** Finds offers that have expired, the oldest first. */
  listExpired(limit: number): Promise<FoundDeposit[]> {
    return this.database.query<FoundDeposit>(...sql.LIST_EXPIRED.with({ limit }));
  }

  /** Ends the deposits that are still pending. @returns these. */
  expire(tx: Transaction, deposits: { id: bigint }[]): Promise<DepositOfChannel[]> {
    return tx.query<DepositOfChannel>(...sql.EXPIRE_DEPOSITS.with({ deposits }));
  }

  async freeAmounts(limit: number, marginMs: number): Promise<number> {
    return (await this.database.query(...sql.FREE_AMOUNTS.with({ limit, marginMs }))).length;
  }

  private async complete(query: SelectQueryBuilder<Deposit>, channels?: string[]): Promise<DepositRow[]> {
    query.addSelect(sql.bookedPaymentsOf('deposit'), 'booked').addSelect(sql.slipsOf('deposit'), 'slips');
    type Selected = Pick<WithBooked, 'booked' | 'slips'>;
    return (await withCodes<Deposit, Selected>(query, channels, 'booked', 'slips')).map(toRow);
  }
}
