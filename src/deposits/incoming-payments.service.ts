import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../core/config.js';
import type { Queryable, Transaction } from '../database/database.js';
import { BookingService, type Booking } from './booking.service.js';
import type { ConnectedChannel } from './channel-registry.js';
import { DepositsRepository } from './deposits.repository.js';
import type { PaymentState } from './incoming-payment.entity.js';
import { Matcher, rangeAround, RELEVANT_MS, TOO_EARLY_MS, type Match, type ReportedPayment } from './matching.js';
import { notBooked, PaymentsRepository, type NewPayment, type UnmatchedPayment } from './payments.repository.js';

/**
 * A payment to write: a new one, or with `id` a known one that gets another witness. Without a match, its state stays.
 */
export type MatchedPayment =
  { row: UnmatchedPayment & { id?: bigint }; match: Match } | { row: NewPayment & { id: bigint }; match: null };

/** Matches payments of any witnesses, books the sure ones, and writes all of them. */
@Injectable()
export class IncomingPaymentsService {
  constructor(
    private readonly deposits: DepositsRepository,
    private readonly payments: PaymentsRepository,
    private readonly booking: BookingService,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  /**
   * @param reported in the order of their witness.
   * @param orWaits lets a payment wait that would be booked; it gets the match, and the payment's place among those reported.
   * @returns a match for each of them.
   */
  async match(
    reader: Queryable,
    { channel, settings }: ConnectedChannel,
    reported: readonly ReportedPayment[],
    orWaits = (match: Match, _place: number): Match => match,
  ): Promise<Match[]> {
    if (reported.length === 0) return [];
    const { recognizedBy, ignored } = settings;
    const candidates = await this.deposits.candidates(reader, {
      channelId: channel.id,
      ...rangeAround(reported, RELEVANT_MS, TOO_EARLY_MS),
      references: [...new Set(reported.flatMap(({ references }) => references))],
      // Where references identify deposits, thousands of them may have one amount.
      amounts: recognizedBy === 'amount' ? reported.map(({ amount }) => amount) : [],
    });
    const rules = {
      channelId: channel.id,
      recognizedBy,
      ignored,
      holdAbove: channel.hold_above,
      skewMs: this.config.DEPOSIT_SKEW_MS,
    };
    const matcher = new Matcher(rules, candidates);
    return reported.map((each, place) => matcher.match(each, (match) => orWaits(match, place)));
  }

  /** The caller must hold the channel's lock. @returns the payments' states. */
  async write(tx: Transaction, channelId: number, payments: readonly MatchedPayment[]): Promise<PaymentState[]> {
    const bookings = payments.flatMap(({ row, match }): Booking[] => {
      if (match?.state !== 'booked') return [];
      const { public_id: paymentId, amount, paid_at: paidAt, slip_ref: slipRef } = row;
      return [{ paymentId, amount, paidAt, slipRef, deposit: match.deposit, bookedBy: match.by, operator: null }];
    });
    const booked = await this.booking.book(tx, bookings);
    const rows = payments.map((each): NewPayment & { id?: bigint | undefined } => {
      if (each.match === null) return each.row;
      const { match } = each;
      const row = notBooked(each.row);
      if (match.state === 'ignored') return { ...row, state: 'ignored' };
      const reason = match.state === 'waiting' ? match.reason : 'WALLET_FULL';
      const waits = { ...row, deposit_id: match.deposit?.id ?? null, reason };
      return match.state === 'waiting' ? waits : { ...waits, ...booked.get(row.public_id) };
    });
    this.payments.insert(
      tx,
      channelId,
      rows.filter(({ id }) => id === undefined),
    );
    this.payments.link(tx, rows.filter(isKnown));
    return rows.map(({ state }) => state);
  }
}

const isKnown = <Row extends { id?: bigint | undefined }>(row: Row): row is Row & { id: bigint } =>
  row.id !== undefined;
