import { setTimeout as sleep } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import { LOGGER } from '../core/core.module.js';
import { loggedError } from '../core/logged-error.js';
import type { Logger } from '../core/logger.js';
import { WorkerTask, type OnTasksStopped } from '../core/worker-task.js';
import { GroupCommit, succeeded } from '../database/group-commit.js';
import { ChannelCallbacksRepository, type UnknownCharge } from './callbacks/channel-callbacks.repository.js';
import { ChannelCallsService } from './channel-calls.service.js';
import type { ConnectedChannel } from './channel-registry.js';
import { ChannelsService } from './channels.service.js';
import type { PaymentReading } from './channels/channel-adapter.js';
import { IncomingChargesService, type ReceivedReading } from './incoming-charges.service.js';
import { InquiriesRepository, type ClaimedDeposit, type InquiryAnswer } from './inquiries.repository.js';
import { nextInquiry } from './inquiry-times.js';

/** How many deposits of a channel a worker inquires about at once. */
const AT_ONCE = 20;
/** Longer than an adapter takes to answer. */
const LEASE_MS = 30_000;
/** The wait after a failure, such as credentials that can't be opened. */
const AFTER_FAILURE_MS = 10_000;

const wait = (stop: AbortSignal): Promise<void> =>
  sleep(AFTER_FAILURE_MS, undefined, { signal: stop }).catch(() => undefined);

/** An answer about a payment, with what the inquiry changes in its deposit. */
interface Answer extends ReceivedReading {
  deposit?: InquiryAnswer;
}

/** Inquires of vendors about payments: when a callback came, and without callbacks at growing intervals. */
@Injectable()
export class ChannelInquiriesService implements OnTasksStopped {
  /** The inquiries of each channel that run now. A slow vendor keeps no other channel waiting. */
  private readonly running = new Map<number, Promise<void>>();

  constructor(
    private readonly inquiries: InquiriesRepository,
    private readonly callbacks: ChannelCallbacksRepository,
    private readonly channels: ChannelsService,
    private readonly calls: ChannelCallsService,
    private readonly charges: IncomingChargesService,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  @WorkerTask('channel_inquiries', { every: 500, failed: 'inquiries about payments failed', once: true })
  async inquireDue(stop: AbortSignal): Promise<void> {
    for (const channelId of await this.inquiries.listDueChannels()) {
      if (this.running.has(channelId)) continue;
      const inquiries = this.inquireOf(channelId, stop).catch(async (error: unknown) => {
        this.logger.warn({ channelId, err: loggedError(error) }, 'inquiries about payments of a channel failed');
        await wait(stop);
      });
      this.running.set(
        channelId,
        inquiries.finally(() => this.running.delete(channelId)),
      );
    }
  }

  async onTasksStopped(): Promise<void> {
    await Promise.all(this.running.values());
  }

  private async inquireOf(channelId: number, stop: AbortSignal): Promise<void> {
    const connected = await this.channels.tryConnectById(channelId);
    if (!connected) return wait(stop);
    const answers = this.answersOf(connected);
    let count: number;
    do {
      const deposits = await this.inquiries.claimInquiries(channelId, AT_ONCE, LEASE_MS);
      const unknown = await this.callbacks.claimUnknown(channelId);
      await Promise.all([
        ...deposits.map((deposit) => this.inquireOfDeposit(connected, deposit, answers)),
        ...unknown.map((charge) => this.inquireOfCharge(connected, charge, answers)),
      ]);
      count = deposits.length;
    } while (count === AT_ONCE && !stop.aborted);
  }

  /**
   * Records answers. The channel's lock lets one transaction at a time book payments, so the answers that come during a
   * transaction share the next one. Another transaction records the inquiries afterwards, because a booking must lock wallets
   * before deposits, and must lock no deposit but those that it pays. If the process dies in between, another worker inquires again, and the
   * payment is already known.
   */
  private answersOf(connected: ConnectedChannel): GroupCommit<Answer, void> {
    const commit = async (answers: Answer[]) => {
      await this.charges.record(connected, answers);
      await this.inquiries.recordInquiries(answers.flatMap(({ deposit }) => deposit ?? []));
      return answers.map(() => succeeded<void>(undefined));
    };
    return new GroupCommit({ commit, maxInFlight: 1 });
  }

  private async inquireOfDeposit(
    connected: ConnectedChannel,
    deposit: ClaimedDeposit,
    answers: GroupCommit<Answer, void>,
  ): Promise<void> {
    const { inquiry } = connected.adapter;
    if (!inquiry) return;
    const { id, channel_payment_id: paymentId, asked_at: askedAt, next_inquiry_at: claimedUntil } = deposit;
    const reading = await this.inquire(connected, paymentId);
    const readAtMs = performance.now();
    const isPaid = reading.kind === 'paid' || deposit.status === 'paid';
    const isAnswered = hasAnswered(reading);
    const answer: InquiryAnswer = {
      id,
      claimedUntil,
      nextAt: isPaid && isAnswered ? null : nextInquiry(deposit, inquiry, isAnswered),
      answeredAt: reading.kind === 'unknown' ? null : askedAt,
      hasEnded: reading.kind === 'ended' || reading.kind === 'reversed',
    };
    await answers.submit({ paymentId, reading, readAtMs, deposit: answer });
  }

  private async inquireOfCharge(
    connected: ConnectedChannel,
    charge: UnknownCharge,
    answers: GroupCommit<Answer, void>,
  ): Promise<void> {
    const paymentId = charge.charge_ref;
    const reading = await this.inquire(connected, paymentId);
    await answers.submit({ paymentId, reading, readAtMs: performance.now() });
    if (hasAnswered(reading)) await this.callbacks.answered(charge);
  }

  private async inquire({ channel, adapter, settings }: ConnectedChannel, paymentId: string): Promise<PaymentReading> {
    const { inquiry } = adapter;
    if (!inquiry) return { kind: 'unknown', detail: 'its adapter makes no inquiries' };
    return this.calls.call(channel, 'inquiry', () => inquiry.query(settings, paymentId));
  }
}

/**
 * A callback may name any payment id. So a vendor that refuses the inquiry (`configuration`), for example because it does not know
 * the id, has answered, too.
 */
const hasAnswered = (reading: PaymentReading): boolean =>
  reading.kind !== 'unknown' || reading.fault === 'configuration';
