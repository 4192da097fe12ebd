import { Inject, Injectable } from '@nestjs/common';
import { LOGGER } from '../../core/core.module.js';
import { AppError, refusal } from '../../core/errors.js';
import type { Logger } from '../../core/logger.js';
import { Metrics } from '../../core/metrics.js';
import { SANDBOX_CHANNEL_ID } from '../../core/sandbox.js';
import { WorkerTask } from '../../core/worker-task.js';
import { Database } from '../../database/database.js';
import { BoundedReadsService } from '../../database/bounded-reads.service.js';
import type { SlipReading } from '../channels/channel-adapter.js';
import type { ConnectedChannel } from '../channel-registry.js';
import { ChannelsService } from '../channels.service.js';
import type { DepositChannel } from '../deposit-channel.entity.js';
import { DepositsObserver } from '../deposits.observer.js';
import type { DepositRow } from '../deposits.repository.js';
import { failureOf } from '../each-channel.js';
import { SandboxSlipsService } from '../sandbox/sandbox-slips.service.js';
import { IncomingSlipsService } from './incoming-slips.service.js';
import { slipOf, slipRefOf, type MiniQr } from './mini-qr.js';
import { SlipsRepository, type DueSlip } from './slips.repository.js';

const PER_MINUTE = 5;
const PER_DEPOSIT = 3;
/** The waits after the calls about a slip, in seconds. The last call decides: the wait after it is for a process that dies. */
const WAITS = [30, 120, 300, 900, 1_800, 60] as const;
const PAUSE_SECONDS = 900;
const BATCH = 20;

/** A deposit at its limit of slips never takes another one. But each refusal for a limit must name a wait: this one. */
const NEVER_SECONDS = 86_400;

/** The wait for a channel whose settings can't be read, because an operator must mend that. */
const UNREAD_SECONDS = 60;

const tooMany = (message: string, retryAfterSeconds: number): AppError =>
  new AppError('TOO_MANY_REQUESTS', message, { retryAfterSeconds });

/** Records slips, and verifies them at the channel's slip service, which queries the sending bank. A slip proves nothing. */
@Injectable()
export class SlipsService {
  constructor(
    private readonly database: Database,
    private readonly bounded: BoundedReadsService,
    private readonly slips: SlipsRepository,
    private readonly channels: ChannelsService,
    private readonly incoming: IncomingSlipsService,
    private readonly sandbox: SandboxSlipsService,
    private readonly observer: DepositsObserver,
    @Inject(LOGGER) private readonly logger: Logger,
    @Inject(Metrics) private readonly metrics: Pick<Metrics, 'slipChecked'>,
  ) {}

  /**
   * Records a slip, and verifies it unless it is known. During a pause of the slip service, workers verify it later.
   * @throws CONFLICT if its channel takes no slips; SERVICE_UNAVAILABLE if the channel's settings can't be read;
   * TOO_MANY_REQUESTS at a limit.
   */
  async present(row: DepositRow, slip: MiniQr): Promise<void> {
    const { deposit, channel: code } = row;
    if (deposit.channel_id === SANDBOX_CHANNEL_ID) {
      const due = await this.add(row, this.sandbox.slipRefOf(deposit, slip), 1);
      if (due) await this.sandbox.decide(due);
      return;
    }
    const channel = this.channels.tryConnect(await this.channels.get(code));
    if (!channel) {
      const message = `channel ${code} takes no slips now: try again later`;
      throw new AppError('SERVICE_UNAVAILABLE', message, { retryAfterSeconds: UNREAD_SECONDS });
    }
    if (!channel.settings.takesSlips) {
      throw refusal('CONFLICT', 'SLIPS_NOT_TAKEN', 'payload', `channel ${code} takes no slips: wait for the payment`);
    }
    const isPaused = channel.channel.slips_paused_until !== null;
    const due = await this.add(row, slipRefOf(slip), isPaused ? 0 : 1);
    if (due && !isPaused) await this.check(channel, due);
  }

  @WorkerTask('slip_checks', { every: 1_000, failed: 'slips could not be checked', once: true })
  async checkDue(stop: AbortSignal): Promise<void> {
    const failures: Error[] = [];
    // A channel that fails keeps no other one from its turns.
    const turn = (channel: DepositChannel): Promise<boolean> =>
      this.checkDueOf(channel).catch((cause: Error) => {
        failures.push(failureOf(channel, cause));
        return false;
      });
    let hasMore: boolean[];
    do hasMore = await Promise.all((await this.slips.listDueChannels()).map(turn));
    while (!stop.aborted && hasMore.includes(true));
    if (failures[0]) throw failures[0];
  }

  /** Stores the slip before it is verified, so that no crash loses it. @returns the slip; undefined if it is known. */
  private add({ deposit }: DepositRow, slipRef: string, tries: 0 | 1): Promise<DueSlip | undefined> {
    const { id: depositId, merchant_id: merchantId, channel_id: channelId } = deposit;
    const insert = (): Promise<DueSlip | undefined> =>
      this.database.transaction(async (tx) => {
        this.slips.lock(tx, channelId);
        const use = await this.slips.findUse(tx, { depositId, merchantId, slipRef, perMinute: PER_MINUTE });
        if (use.is_known) return undefined;
        if (use.slips >= PER_DEPOSIT)
          throw tooMany(`A deposit takes at most ${PER_DEPOSIT} slips: please wait for its payment`, NEVER_SECONDS);
        if ((use.wait_seconds ?? 0) > 0)
          throw tooMany(`More than ${PER_MINUTE} slips in a minute: please slow down`, use.wait_seconds ?? 0);
        return this.slips.add(tx, { depositId, channelId, slipRef, tries, waitSeconds: WAITS[0] });
      });
    return this.bounded.run(insert);
  }

  /** @returns whether more slips of the channel may be due. */
  private async checkDueOf(channel: DepositChannel): Promise<boolean> {
    const { id, slips_paused_until: pausedUntil } = channel;
    if (id === SANDBOX_CHANNEL_ID) return this.checkSome(id, (due) => this.sandbox.decide(due));
    // Before a claim of its slips: perhaps only this process lacks the key, and other processes must still find the slips due.
    const connected = this.channels.tryConnect(channel);
    if (!connected) return false;
    if (pausedUntil !== null) return this.tryResume(connected);
    return this.checkSome(id, (due) => this.check(connected, due));
  }

  private async checkSome(channelId: number, check: (due: DueSlip) => Promise<void>): Promise<boolean> {
    const due = await this.slips.claim(channelId, BATCH, WAITS);
    await all(due.map(check));
    return due.length === BATCH;
  }

  /** No transaction is open during the call. */
  private async check(channel: ConnectedChannel, due: DueSlip): Promise<void> {
    const reading = await this.verify(channel, due);
    const { id, code } = channel.channel;
    this.metrics.slipChecked(code, reading.kind);
    if (reading.kind === 'paid') {
      const readAtMs = performance.now();
      const outcome = await this.incoming.record(channel, due.slip_ref, reading);
      if (outcome === 'missing') this.warn(code, due, 'the statement that should show its payment does not');
      else if (outcome === 'elsewhere') this.warn(code, due, 'its payment is booked at another channel');
      else this.observer.reported(code, 'slip', [outcome], readAtMs);
    } else if (reading.kind === 'wrong_receiver') {
      await this.incoming.refuse(id, due.slip_ref, 'SLIP_WRONG_RECEIVER');
    } else if (reading.kind === 'refused') {
      await this.slips.pause(due, channel.channel, PAUSE_SECONDS);
      this.warn(code, due, `the slip service refuses us: ${reading.detail}`);
    } else {
      if (reading.kind === 'unclear') this.warn(code, due, reading.detail);
      if (due.tries >= WAITS.length) await this.incoming.refuse(id, due.slip_ref, 'SLIP_UNKNOWN');
    }
  }

  private async verify({ adapter, settings }: ConnectedChannel, due: DueSlip): Promise<SlipReading> {
    if (!adapter.slips || !settings.takesSlips)
      return { kind: 'unknown', detail: 'the channel takes no slips any more' };
    return adapter.slips.verify(settings, slipOf(due.slip_ref));
  }

  /** @returns whether it is resumed. */
  private async tryResume({ channel, adapter, settings }: ConnectedChannel): Promise<boolean> {
    if (!(await this.slips.claimPaused(channel.id, PAUSE_SECONDS))) return false;
    const isAccepted = !adapter.slips || !settings.takesSlips || (await adapter.slips.isAccepted(settings));
    if (isAccepted) await this.slips.resume(channel.id);
    return isAccepted;
  }

  private warn(channel: string, { id }: DueSlip, reason: string): void {
    this.logger.warn({ channel, slipCheck: String(id), reason }, 'a slip needs attention');
  }
}

/** Waits for all, also if some fail. @throws the first failure. */
async function all<Result>(works: Promise<Result>[]): Promise<Result[]> {
  await Promise.allSettled(works);
  return Promise.all(works);
}
