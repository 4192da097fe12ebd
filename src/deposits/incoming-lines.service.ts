import { Injectable } from '@nestjs/common';
import { paymentId } from '../core/identifiers.js';
import { present } from '../core/invariant.js';
import type { Queryable, Transaction } from '../database/database.js';
import type { ConnectedChannel } from './channel-registry.js';
import { DepositsRepository } from './deposits.repository.js';
import { IncomingPaymentsService, type MatchedPayment } from './incoming-payments.service.js';
import type { PaymentState } from './incoming-payment.entity.js';
import { isIgnored, referencesIn, type Match } from './matching.js';
import { PaymentsRepository } from './payments.repository.js';
import type { IdentifiedLine } from './statements/chain.js';
import {
  confirmsByReference,
  coveredBy,
  isUndecided,
  orMayBeDecided,
  orWaits,
  pairWithLines,
  withKnown,
  type LonePayment,
} from './witnesses.js';

/** The states of lines' payments, by the lines' identities. `linked`: the line only confirms the payment of a slip. */
export type States = ReadonlyMap<string, PaymentState | 'linked'>;

/** An incoming line with its match. */
interface MatchedLine {
  line: IdentifiedLine;
  /** The payment that a slip reported before; undefined if none did. */
  known: LonePayment | undefined;
  /** Null if the payment that a slip reported is decided, or waits only because its wallet has no room. */
  match: Match | null;
}

/** Makes payments of the lines of a statement, or adds the lines to payments of slips. */
@Injectable()
export class IncomingLinesService {
  constructor(
    private readonly payments: PaymentsRepository,
    private readonly deposits: DepositsRepository,
    private readonly incoming: IncomingPaymentsService,
  ) {}

  /**
   * The caller must hold the channel's lock.
   * @param ids of the new lines, by their identities.
   * @param ahead the next lines of the file. They get no payments yet, but a slip of one of them belongs to no other line.
   */
  async record(
    tx: Transaction,
    channel: ConnectedChannel,
    lines: readonly IdentifiedLine[],
    ids: ReadonlyMap<string, bigint>,
    ahead: readonly IdentifiedLine[],
  ): Promise<States> {
    const matched = await this.match(tx, channel, lines, ahead);
    const payments = matched.map(({ line, known, match }): MatchedPayment => {
      const line_id = present(ids.get(line.identity), 'an incoming line is stored');
      if (known) return { row: { ...known, line_id }, match };
      const { amount, at: paid_at, precision } = line;
      const public_id = paymentId(channel.channel.code, 'line', line.identity);
      const row = { public_id, amount, currency: 'THB', paid_at, precision, charge_ref: null, slip_ref: null, line_id };
      return { row, match: present(match, 'a new payment is matched') };
    });
    const states = await this.incoming.write(tx, channel.channel.id, payments);
    return new Map(matched.map(({ line, match }, n) => [line.identity, match ? (states[n] ?? 'waiting') : 'linked']));
  }

  /** Reports what {@link record} would do to all lines of a file, if each wallet has room. */
  async preview(reader: Queryable, channel: ConnectedChannel, lines: readonly IdentifiedLine[]): Promise<States> {
    const matched = await this.match(reader, channel, lines, []);
    return new Map(matched.map(({ line, match }) => [line.identity, match?.state ?? 'linked']));
  }

  private async match(
    reader: Queryable,
    channel: ConnectedChannel,
    lines: readonly IdentifiedLine[],
    ahead: readonly IdentifiedLine[],
  ): Promise<MatchedLine[]> {
    const incoming = incomingOf(lines);
    if (incoming.length === 0) return [];
    const amounts = new Set(incoming.map(({ amount }) => amount));
    const later = ahead.filter(({ amount }) => amounts.has(amount));
    const times = [...incoming, ...later].map(({ amount, at }) => ({ amount, paidAt: at }));
    const slips = await this.payments.lone(reader, 'slip', channel, times);
    // Later lines count only beside slips, and a file may have thousands of lines of one amount.
    const all = slips.length === 0 ? incoming : [...incoming, ...incomingOf(later)];
    const coveredUntil = coveredBy(coveredBy(channel.channel.covered_until, lines), ahead);
    const { recognizedBy, ignored } = channel.settings;
    const isByAmount = recognizedBy === 'amount';
    // An operator ignored a slip's payment, but not the money of the line.
    const offered = slips.filter(({ state }) => state !== 'ignored');
    const isCredited = !isByAmount && offered.some(({ booked_by }) => booked_by === 'person');
    const names = isCredited ? all.flatMap(({ references }) => references) : [];
    const merchants = await this.deposits.merchantsByName(reader, channel.channel.id, names);
    const pairs = pairWithLines(
      // Money that is no payment confirms no slip.
      all.filter((line) => !isIgnored(line, ignored)),
      offered,
      (line, slip) => isByAmount || confirmsByReference(line, slip, merchants, coveredUntil),
    );
    const open = incoming.filter((each) => {
      const known = pairs.get(each);
      return !known || isUndecided(known);
    });
    const reported = open.map((each) => withKnown(each, pairs.get(each)));
    const paired = new Set(pairs.values());
    const others = slips.filter((slip) => !paired.has(slip));
    const matches = await this.incoming.match(reader, channel, reported, (match, place) => {
      const each = present(open[place], 'each match is of a line');
      // A line with a slip of its own is no payment of another slip.
      return pairs.has(each) ? match : orWaits(each, match, others);
    });
    const matchOf = new Map(
      matches.map((match, place) => {
        const each = present(open[place], 'each match is of a line');
        return [each, orMayBeDecided(each, match, others)];
      }),
    );
    return incoming.map((each) => ({ line: each.line, known: pairs.get(each), match: matchOf.get(each) ?? null }));
  }
}

const incomingOf = (lines: readonly IdentifiedLine[]) =>
  lines
    .filter(({ amount }) => amount > 0n)
    .map((line) => ({ ...line, line, currency: 'THB', paidAt: line.at, references: referencesIn(line.reference) }));
