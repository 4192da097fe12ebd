import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../core/config.js';
import { paymentId } from '../core/identifiers.js';
import { present } from '../core/invariant.js';
import type { Satang } from '../core/money.js';
import type { Queryable, Transaction } from '../database/database.js';
import { BookingService, type Booking } from './booking.service.js';
import type { KnownChannel } from './channels.service.js';
import { DepositsRepository } from './deposits.repository.js';
import { Matcher, referencesIn, RELEVANT_MS, TOO_EARLY_MS, type Match, type ReportedPayment } from './matching.js';
import { NOT_BOOKED, PaymentsRepository, type NewPayment } from './payments.repository.js';
import type { IdentifiedLine } from './statements/chain.js';
import type { StatementLine } from './statements/statement-line.entity.js';

/** What became of incoming lines. */
export interface Outcomes {
  /** All that came in. */
  in: number;
  inAmount: Satang;
  booked: number;
  waiting: number;
  ignored: number;
  /** Lines that confirm a payment which is known by another witness. */
  linked: number;
}

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

  /** @param stored the ids of the new lines. The caller must hold the channel's lock. */
  async take(
    tx: Transaction,
    known: KnownChannel,
    lines: readonly IdentifiedLine[],
    stored: readonly Pick<StatementLine, 'id' | 'identity_hash'>[],
  ): Promise<Outcomes> {
    const matched = await this.match(tx, known, lines);
    const bookings = matched.flatMap(({ line, publicId, match }): Booking[] =>
      match.state === 'booked'
        ? [{ paymentId: publicId, amount: line.amount, paidAt: line.at, deposit: match.deposit, operator: null }]
        : [],
    );
    const transfers = await this.booking.book(tx, bookings);
    const ids = new Map(stored.map(({ id, identity_hash }) => [identity_hash.toString('latin1'), id]));
    const rows = matched.map(({ line, publicId, match }): NewPayment => {
      const line_id = present(ids.get(line.identity_hash.toString('latin1')), 'an incoming line is stored');
      const { amount, at: paid_at, precision } = line;
      const row = {
        public_id: publicId,
        amount,
        currency: 'THB',
        paid_at,
        precision,
        charge_ref: null,
        line_id,
        ...NOT_BOOKED,
      };
      if (match.state === 'ignored') return { ...row, state: 'ignored' };
      const deposit_id = match.deposit?.id ?? null;
      if (match.state === 'waiting') return { ...row, state: 'waiting', reason: match.reason, deposit_id };
      const transfer = transfers.get(publicId);
      if (!transfer) return { ...row, state: 'waiting', reason: 'WALLET_FULL', deposit_id };
      const { merchant_id } = match.deposit;
      return { ...row, state: 'booked', deposit_id, merchant_id, booked_by: match.by, ...transfer };
    });
    this.payments.insert(tx, known.channel.id, rows);
    return outcomesOf(rows);
  }

  /** Reports what {@link take} would do. */
  async preview(tx: Queryable, known: KnownChannel, lines: readonly IdentifiedLine[]): Promise<Outcomes> {
    const matched = await this.match(tx, known, lines);
    return outcomesOf(matched.map(({ line, match }) => ({ amount: line.amount, state: match.state })));
  }

  contradict(tx: Transaction, lineIds: bigint[]): void {
    this.payments.contradict(tx, lineIds);
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
      publicId: paymentId(channel.code, 'line', line.identity_hash.toString('hex')),
      match: matcher.match(present(reported[index], 'a line is reported')),
    }));
  }
}

function outcomesOf(payments: readonly Pick<NewPayment, 'amount' | 'state'>[]): Outcomes {
  const count = (state: Match['state']): number => payments.filter((each) => each.state === state).length;
  return {
    in: payments.length,
    inAmount: payments.reduce((sum, { amount }) => sum + amount, 0n),
    booked: count('booked'),
    waiting: count('waiting'),
    ignored: count('ignored'),
    linked: 0,
  };
}
