import { Injectable } from '@nestjs/common';
import { paymentId } from '../../core/identifiers.js';
import { present } from '../../core/invariant.js';
import { Database, type Transaction } from '../../database/database.js';
import { ChannelsRepository } from '../channels.repository.js';
import type { ConnectedChannel } from '../channel-registry.js';
import type { SlipPayment } from '../channels/channel-adapter.js';
import type { PaymentState } from '../incoming-payment.entity.js';
import { IncomingPaymentsService, type MatchedPayment } from '../incoming-payments.service.js';
import { referencesIn, type Match, type ReportedPayment } from '../matching.js';
import { PaymentsRepository } from '../payments.repository.js';
import {
  isCovered,
  isUndecided,
  lineOf,
  mayBeOne,
  namesDeposit,
  orWaits,
  withKnown,
  type LonePayment,
} from '../witnesses.js';
import type { SlipCode } from './slip-check.entity.js';
import { SlipsRepository } from './slips.repository.js';

type SlipOutcome = PaymentState | 'linked' | 'repeated' | 'missing' | 'elsewhere';

/** Records a payment that a slip service reports, or adds the slip to a payment that a line of a statement reported. */
@Injectable()
export class IncomingSlipsService {
  constructor(
    private readonly database: Database,
    private readonly channels: ChannelsRepository,
    private readonly slips: SlipsRepository,
    private readonly payments: PaymentsRepository,
    private readonly incoming: IncomingPaymentsService,
  ) {}

  /**
   * The payment's own facts decide which deposit it pays, even if the slip was presented for another.
   * @returns what became of it. There is no payment if the statement that should show it does not (`missing`), or if it is booked
   * at another channel (`elsewhere`).
   */
  record(connected: ConnectedChannel, slipRef: string, slip: SlipPayment): Promise<SlipOutcome> {
    return this.database.transaction(async (tx) => {
      const channel = await this.channels.lock(tx, connected.channel.id);
      return this.recordLocked(tx, { ...connected, channel }, slipRef, slip);
    });
  }

  async refuse(channelId: number, slipRef: string, code: SlipCode): Promise<void> {
    await this.database.transaction((tx) => {
      this.slips.lock(tx, channelId);
      this.slips.refuse(tx, channelId, slipRef, code);
    });
  }

  private async recordLocked(
    tx: Transaction,
    connected: ConnectedChannel,
    slipRef: string,
    { amount, paidAt, references }: SlipPayment,
  ): Promise<SlipOutcome> {
    const { channel, settings } = connected;
    const precision = 'second';
    const found = { amount, currency: 'THB', paidAt, precision, references: references.flatMap(referencesIn) } as const;
    const reported: ReportedPayment = { ...found, texts: [] };
    this.slips.lockSlip(tx, slipRef);
    const owners = await this.payments.channelsOfSlip(tx, slipRef);
    this.slips.lock(tx, channel.id);
    if (owners.some(({ id }) => id === channel.id)) {
      this.slips.confirm(tx, channel.id, slipRef);
      return 'repeated';
    }
    if (owners.some(({ is_booked }) => is_booked)) {
      this.slips.refuse(tx, channel.id, slipRef, 'SLIP_WRONG_RECEIVER');
      return 'elsewhere';
    }
    const lone = await this.payments.lone(tx, 'line', connected, [reported]);
    // A line that the channel's texts ignored has no decision. It reports no payment.
    const lines = lone.filter(({ state, decision }) => state !== 'ignored' || decision !== null);
    const isShown = isCovered(paidAt, channel.covered_until);
    const line = lineOf(reported, lines, isShown || settings.recognizedBy === 'amount');
    if (!line && isShown) {
      this.slips.refuse(tx, channel.id, slipRef, 'NOT_IN_STATEMENT');
      return 'missing';
    }
    // The slip is confirmed before the booking, because the booking's event contains it.
    this.slips.confirm(tx, channel.id, slipRef);
    const matched = line && !isUndecided(line) ? null : await this.match(tx, connected, reported, line, lines);
    // Another channel has the slip, too. Without a line, only a person can tell to which account the money went.
    const match =
      matched?.state === 'booked' && !line && owners.length > 0
        ? ({ state: 'waiting', reason: 'DOUBLE', deposit: matched.deposit } as const)
        : matched;
    const public_id = paymentId(channel.code, 'slip', slipRef);
    const own = {
      public_id,
      amount,
      currency: 'THB',
      paid_at: paidAt,
      precision,
      charge_ref: null,
      line_id: null,
    } as const;
    const row = { ...(line ?? own), slip_ref: slipRef };
    const [state] = await this.incoming.write(tx, channel.id, [{ row, match } as MatchedPayment]);
    return match && state ? state : 'linked';
  }

  /**
   * Limits the sum that slips alone may credit to a merchant, because a slip service may err. If a slip names its deposit, and no
   * line names the same deposit, the slip waits for its line in two cases: the deposit is paid already, or a line that names no
   * deposit may report the same payment.
   */
  private async match(
    tx: Transaction,
    connected: ConnectedChannel,
    reported: ReportedPayment,
    line: LonePayment | null,
    lines: readonly LonePayment[],
  ): Promise<Match> {
    const [found] = await this.incoming.match(tx, connected, [withKnown(reported, line)]);
    const sure = present(found, 'each payment gets a match');
    if (sure.state === 'booked' && sure.by === 'reference' && !(line && namesDeposit(reported, line))) {
      const isDoubtful = sure.deposit.status === 'paid' || (!line && lines.some((each) => mayBeOne(reported, each)));
      if (isDoubtful) return { state: 'waiting', reason: 'DOUBLE', deposit: sure.deposit };
    }
    if (line) return sure;
    const match = orWaits(reported, sure, lines);
    const { unconfirmedLimit: limit } = connected.settings;
    if (match.state !== 'booked' || limit === null) return match;
    const unconfirmed = await this.payments.unconfirmedAmount(tx, connected.channel.id, match.deposit.merchant_id);
    if (unconfirmed + reported.amount <= limit) return match;
    return { state: 'waiting', reason: 'UNCONFIRMED', deposit: match.deposit };
  }
}
