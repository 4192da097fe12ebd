import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../core/config.js';
import { paymentId } from '../core/identifiers.js';
import { present } from '../core/invariant.js';
import type { Queryable, Transaction } from '../database/database.js';
import { BookingService, type Booking } from './booking.service.js';
import type { KnownChannel } from './channels.service.js';
import { DepositsRepository } from './deposits.repository.js';
import type { PaymentState } from './incoming-payment.entity.js';
import { Matcher, referencesIn, RELEVANT_MS, TOO_EARLY_MS, type Match, type ReportedPayment } from './matching.js';
import { NOT_BOOKED, PaymentsRepository, type NewPayment } from './payments.repository.js';
import type { IdentifiedLine } from './statements/chain.js';

/** What became of lines that came in, by their identities. */
export type States = ReadonlyMap<string, PaymentState>;

interface MatchedLine {
  line: IdentifiedLine;
  publicId: string;
  match: Match;
}

/** Makes payments of the lines of a statement: matches them, and books those that are sure. */
@Injectable()
export class IncomingLinesService {
  constructor(
    private readonly deposits: DepositsRepository,
    private readonly payments: PaymentsRepository,
    private readonly booking: BookingService,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  /**
   * The caller must hold the channel's lock.
   * @param ids of the new lines, by their identities.
   */
  async take(
    tx: Transaction,
    known: KnownChannel,
    lines: readonly IdentifiedLine[],
    ids: ReadonlyMap<string, bigint>,
  ): Promise<States> {
    const matched = await this.match(tx, known, lines);
    const bookings = matched.flatMap(({ line, publicId: paymentId, match }): Booking[] => {
      if (match.state !== 'booked') return [];
      const { deposit, by: bookedBy } = match;
      return [{ paymentId, amount: line.amount, paidAt: line.at, deposit, bookedBy, operator: null }];
    });
    const booked = await this.booking.book(tx, bookings);
    const rows = matched.map(({ line, publicId, match }): NewPayment => {
      const { amount, at: paid_at, precision } = line;
      const line_id = present(ids.get(line.identity), 'an incoming line is stored');
      const reported = { public_id: publicId, amount, currency: 'THB', paid_at, precision };
      const row = { ...reported, charge_ref: null, line_id, ...NOT_BOOKED };
      if (match.state === 'ignored') return { ...row, state: 'ignored' };
      const deposit_id = match.deposit?.id ?? null;
      if (match.state === 'waiting') return { ...row, state: 'waiting', reason: match.reason, deposit_id };
      return { ...row, ...(booked.get(publicId) ?? { state: 'waiting', reason: 'WALLET_FULL', deposit_id }) };
    });
    this.payments.insert(tx, known.channel.id, rows);
    return new Map(rows.map(({ state }, index) => [matched[index]?.line.identity ?? '', state]));
  }

  /** Reports what {@link take} would do. */
  async preview(tx: Queryable, known: KnownChannel, lines: readonly IdentifiedLine[]): Promise<States> {
    return new Map((await this.match(tx, known, lines)).map(({ line, match }) => [line.identity, match.state]));
  }

  private async match(
    tx: Queryable,
    { channel, settings }: KnownChannel,
    lines: readonly IdentifiedLine[],
  ): Promise<MatchedLine[]> {
    const incoming = lines.filter(({ amount }) => amount > 0n);
    if (incoming.length === 0) return [];
    const times = incoming.map(({ at }) => at.getTime());
    const reported = incoming.map(({ amount, at: paidAt, precision, reference, texts }): ReportedPayment => {
      return { amount, currency: 'THB', paidAt, precision, references: referencesIn(reference), texts };
    });
    const candidates = await this.deposits.candidates(tx, {
      channelId: channel.id,
      from: new Date(times.reduce((one, other) => Math.min(one, other)) - RELEVANT_MS),
      until: new Date(times.reduce((one, other) => Math.max(one, other)) + TOO_EARLY_MS),
      references: [...new Set(reported.flatMap(({ references }) => references))],
      amounts: incoming.map(({ amount }) => amount),
    });
    const { recognizedBy, ignored } = settings;
    const rules = { recognizedBy, ignored, holdAbove: channel.hold_above, skewMs: this.config.DEPOSIT_SKEW_MS };
    const matcher = new Matcher(rules, candidates);
    return incoming.map((line, index) => ({
      line,
      publicId: paymentId(channel.code, 'line', line.identity),
      match: matcher.match(present(reported[index], 'a line is reported')),
    }));
  }
}
