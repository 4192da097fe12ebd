import { Injectable } from '@nestjs/common';
import { In, IsNull, Not, type SelectQueryBuilder } from 'typeorm';
import { DAY_MS } from '../core/durations.js';
import type { Satang } from '../core/money.js';
import { SANDBOX_CHANNEL_ID } from '../core/sandbox.js';
import { Database, type Queryable, type Transaction } from '../database/database.js';
import { withCodes } from './channels.repository.js';
import type { ConnectedChannel } from './channel-registry.js';
import { Deposit } from './deposit.entity.js';
import { IncomingPayment, type Decision } from './incoming-payment.entity.js';
import { rangeAround } from './matching.js';
import * as sql from './payments.sql.js';
import { StatementImport } from './statements/statement-import.entity.js';
import { StatementLine } from './statements/statement-line.entity.js';
import { WITNESS_GAP_MS, type LonePayment } from './witnesses.js';

/** A payment as its witnesses report it. */
export type UnmatchedPayment = Pick<
  IncomingPayment,
  'public_id' | 'amount' | 'currency' | 'paid_at' | 'precision' | 'charge_ref' | 'slip_ref' | 'line_id'
>;

/** A payment to be written. */
export type NewPayment = UnmatchedPayment &
  Pick<IncomingPayment, 'state' | 'reason' | 'deposit_id' | 'merchant_id' | 'transfer_id' | 'booked_by' | 'booked_at'>;

/**
 * The row of a payment that was credited to no wallet. It names all columns, because V8 needs ten times the memory for a row that
 * is put together from several objects.
 */
export const notBooked = (payment: UnmatchedPayment & { id?: bigint }): NewPayment & { id: bigint | undefined } => ({
  id: payment.id,
  public_id: payment.public_id,
  amount: payment.amount,
  currency: payment.currency,
  paid_at: payment.paid_at,
  precision: payment.precision,
  charge_ref: payment.charge_ref,
  slip_ref: payment.slip_ref,
  line_id: payment.line_id,
  state: 'waiting',
  reason: null,
  deposit_id: null,
  merchant_id: null,
  transfer_id: null,
  booked_by: null,
  booked_at: null,
});

/** A deposit that a waiting payment may be for. */
type Suggestion = Pick<Deposit, 'deposit_number' | 'merchant_id' | 'amount_to_pay' | 'status' | 'created_at'>;

/** A payment with its channel, its deposit, its witnesses, and suggestions while it waits. */
export interface PaymentRow {
  payment: IncomingPayment;
  channel: string;
  deposit_number: string | null;
  /** When its slip was first presented. Null without a slip. */
  presented_at: Date | null;
  /** When its line was imported, and by whom. */
  imported_at: Date | null;
  imported_by: string | null;
  suggestions: Suggestion[];
}

/** When the slip of a payment was first presented. */
const PRESENTED_AT =
  'SELECT min(created_at) FROM slip_checks s WHERE s.channel_id = payment.channel_id AND s.slip_ref = payment.slip_ref';

/** A waiting payment is of the merchant of the deposit that it is probably for. Without one, it is of the merchant that it names. */
const PROBABLY_FOR =
  'coalesce((SELECT d.merchant_id FROM deposits d WHERE d.id = payment.deposit_id), payment.named_merchant_id)';

export interface PaymentsFilter {
  waiting?: boolean | undefined;
  /** Booked payments about which an operator must decide again. */
  cases?: boolean | undefined;
  channels?: string[] | undefined;
  /** Matches payments that were credited to one of these merchants; with `waiting`, those that are probably for one. */
  merchantIds?: number[] | undefined;
  amount?: Satang | undefined;
  /** The id of a payment after which the list begins. */
  start?: bigint | undefined;
  limit: number;
}

/** Decisions that close a case. */
export const CLOSING: readonly Decision[] = ['debit', 'keep'];

/** Whether a booked payment is an open case. */
export const isOpenCase = ({ state, reason, decision }: IncomingPayment): boolean =>
  state === 'booked' && reason !== null && !(decision !== null && CLOSING.includes(decision));

/** A payment that a vendor has reported. */
export type ChargeRow = IncomingPayment & { charge_ref: string };

@Injectable()
export class PaymentsRepository {
  constructor(private readonly database: Database) {}

  insert(tx: Transaction, channelId: number, payments: NewPayment[]): void {
    if (payments.length > 0) tx.write(...sql.INSERT_PAYMENTS.with({ channelId, payments }));
  }

  link(tx: Transaction, payments: (NewPayment & { id: bigint })[]): void {
    if (payments.length > 0) tx.write(...sql.LINK_PAYMENTS.with({ payments }));
  }

  /** Finds payments that only `witness` reports, with the amounts and near the times of another witness's reports. */
  async lone(
    reader: Queryable,
    witness: 'slip' | 'line',
    { channel: { id: channelId }, settings }: ConnectedChannel,
    reported: readonly { amount: Satang; paidAt: Date }[],
  ): Promise<LonePayment[]> {
    // One of the times may be only a day.
    const around = WITNESS_GAP_MS + DAY_MS;
    const range = rangeAround(reported, around, around);
    const amounts = Array.from(new Set(reported.map(({ amount }) => amount)), (amount) => ({ amount }));
    const found = await reader.query<LonePayment>(...sql.LONE_PAYMENTS[witness].with({ channelId, ...range, amounts }));
    return settings.recognizedBy === 'reference' ? found : found.map((each) => ({ ...each, reference: null }));
  }

  /** The channels that have a payment of this slip, without the sandbox. */
  channelsOfSlip(tx: Transaction, slipRef: string): Promise<{ id: number; is_booked: boolean }[]> {
    return tx.query<{ id: number; is_booked: boolean }>(...sql.CHANNELS_OF_SLIP.with({ slipRef }));
  }

  /** Records that statements do not show the payments of slips. A booked payment becomes a case. */
  markMissing(tx: Transaction, channelId: number, coveredUntil: Date): void {
    const paidUntil = new Date(coveredUntil.getTime() - WITNESS_GAP_MS);
    tx.write(...sql.MARK_MISSING.with({ channelId, paidUntil }));
  }

  async unconfirmedAmount(tx: Transaction, channelId: number, merchantId: number): Promise<Satang> {
    const [found] = await tx.query<{ amount: Satang }>(...sql.UNCONFIRMED_AMOUNT.with({ channelId, merchantId }));
    return found?.amount ?? 0n;
  }

  /** Payments of charges that were paid in a time. @param stop its end, which is exclusive. */
  async listCharges(channelId: number, start: Date, stop: Date): Promise<ChargeRow[]> {
    const query = this.database.manager.createQueryBuilder(IncomingPayment, 'payment');
    query.where({ channel_id: channelId, charge_ref: Not(IsNull()) }).orderBy('payment.id');
    query.andWhere('payment.paid_at >= :start AND payment.paid_at < :stop', { start, stop });
    return (await query.getMany()) as ChargeRow[];
  }

  /** Payments with these charges. */
  listByCharge(
    { manager }: Pick<Transaction, 'manager'>,
    channelId: number,
    charges: string[],
  ): Promise<IncomingPayment[]> {
    return manager.findBy(IncomingPayment, { channel_id: channelId, charge_ref: In(charges) });
  }

  /** Records the merchant that a waiting payment names. */
  async nameMerchant({ manager }: Transaction, channelId: number, charge: string, merchantId: number): Promise<void> {
    const waiting = { channel_id: channelId, charge_ref: charge, state: 'waiting' } as const;
    await manager.update(IncomingPayment, waiting, { named_merchant_id: merchantId });
  }

  /** Records payments that a vendor took back. A booked one becomes a case. @returns how many amounts have grown. */
  async takeBack(
    tx: Transaction,
    channelId: number,
    charges: { charge: string; amount: Satang; debited: Satang }[],
  ): Promise<number> {
    if (charges.length === 0) return 0;
    return (await tx.query(...sql.TAKE_BACK.with({ channelId, charges }))).length;
  }

  /**
   * Records that a witness contradicts payments. No money moves.
   * @param column `line_id`: the ids are those of the payments' lines.
   */
  contradict(tx: Transaction, column: 'id' | 'line_id', ids: bigint[]): void {
    if (ids.length > 0) tx.write(...sql.CONTRADICT[column].with({ ids: ids.map((id) => ({ id })) }));
  }

  /** Waiting payments and cases oldest first, all others newest first. */
  async list({ waiting, cases, channels, merchantIds, amount, start, limit }: PaymentsFilter): Promise<PaymentRow[]> {
    const query = this.database.manager.createQueryBuilder(IncomingPayment, 'payment').limit(limit);
    query.orderBy('payment.id', waiting || cases ? 'ASC' : 'DESC');
    if (start !== undefined) query.andWhere(`payment.id ${waiting || cases ? '>' : '<'} :start`, { start });
    if (waiting) query.andWhere({ state: 'waiting' });
    if (cases) {
      const open = `payment.state = 'booked' AND payment.reason IS NOT NULL AND coalesce(payment.decision, '') NOT IN (:...closed)`;
      query.andWhere(open, { closed: CLOSING });
    }
    const merchantId = waiting ? PROBABLY_FOR : 'payment.merchant_id';
    if (merchantIds) query.andWhere(`${merchantId} = ANY(:merchantIds)`, { merchantIds });
    if (amount !== undefined) query.andWhere('payment.amount = :amount', { amount: String(amount) });
    if (!channels) query.andWhere(`payment.channel_id <> ${SANDBOX_CHANNEL_ID}`);
    return this.complete(query, channels);
  }

  async find(publicId: string): Promise<PaymentRow | undefined> {
    const query = this.database.manager.createQueryBuilder(IncomingPayment, 'payment');
    return (await this.complete(query.where({ public_id: publicId })))[0];
  }

  lock({ manager }: Transaction, id: bigint): Promise<IncomingPayment> {
    return manager.findOneOrFail(IncomingPayment, { where: { id }, lock: { mode: 'for_no_key_update' } });
  }

  async change({ manager }: Transaction, id: bigint, change: Partial<IncomingPayment>): Promise<void> {
    await manager.update(IncomingPayment, { id }, change);
  }

  private async complete(query: SelectQueryBuilder<IncomingPayment>, codes?: string[]): Promise<PaymentRow[]> {
    query
      .leftJoin(Deposit, 'deposit', `deposit.id = payment.deposit_id AND payment.state = 'booked'`)
      .leftJoin(StatementLine, 'line', 'line.id = payment.line_id')
      .leftJoin(StatementImport, 'import', 'import.id = line.import_id')
      .addSelect('deposit.deposit_number', 'deposit_number')
      .addSelect(`(${PRESENTED_AT})`, 'presented_at')
      .addSelect('import.created_at', 'imported_at')
      .addSelect('import.operator', 'imported_by');
    const names = ['deposit_number', 'presented_at', 'imported_at', 'imported_by'] as const;
    type Selected = Pick<PaymentRow, (typeof names)[number]>;
    const payments = await withCodes<IncomingPayment, Selected>(query, codes, ...names);
    const suggested = await this.suggest(payments);
    return payments.map(({ channel, deposit_number, presented_at, imported_at, imported_by, ...payment }) => {
      const suggestions = suggested.filter(({ payment_id }) => payment_id === payment.id);
      return { payment, channel, deposit_number, presented_at, imported_at, imported_by, suggestions };
    });
  }

  private suggest(payments: IncomingPayment[]): Promise<(Suggestion & { payment_id: bigint })[]> {
    const waiting = payments.filter(({ state }) => state === 'waiting').map(({ id }) => ({ id }));
    if (waiting.length === 0) return Promise.resolve([]);
    return this.database.query<Suggestion & { payment_id: bigint }>(...sql.SUGGEST.with({ payments: waiting }));
  }
}
