import { Inject, Injectable } from '@nestjs/common';
import { LOGGER } from '../../core/core.module.js';
import { HOUR_MS } from '../../core/durations.js';
import { AppError } from '../../core/errors.js';
import type { Logger } from '../../core/logger.js';
import { Metrics } from '../../core/metrics.js';
import { storable } from '../../core/text.js';
import { WorkerTask } from '../../core/worker-task.js';
import { removeInBatches } from '../../database/remove-in-batches.js';
import { NO_CALLBACKS, unreadableBy } from '../../suppliers/adapter-answers.js';
import { CallbackGate } from '../../suppliers/callback-gate.js';
import type { RawCallback } from '../../suppliers/supplier-adapter.js';
import { ChannelRegistry } from '../channel-registry.js';
import { ChannelsService } from '../channels.service.js';
import type { ChannelCallback } from '../channels/channel-adapter.js';
import type { DepositChannel } from '../deposit-channel.entity.js';
import { ChannelCallbacksRepository } from './channel-callbacks.repository.js';

const MAX_DETAIL_LENGTH = 500;

/** Records vendors' callbacks. A callback books nothing: it only makes workers inquire. */
@Injectable()
export class ChannelCallbacksService {
  private readonly gate: CallbackGate<DepositChannel>;

  constructor(
    private readonly channels: ChannelsService,
    { addresses }: ChannelRegistry,
    private readonly callbacks: ChannelCallbacksRepository,
    private readonly metrics: Metrics,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    this.gate = new CallbackGate({
      list: () => channels.list(),
      tokenOf: (channel) => addresses.tokenOf(channel),
      limited: (code) => metrics.channelCalledBack(code, 'limited'),
    });
  }

  /** @throws as {@link CallbackGate.admit} */
  admit(code: string, token: string): Promise<DepositChannel> {
    return this.gate.admit(code, token);
  }

  /**
   * Returns once the callback is stored. A callback that the adapter refuses is stored, too.
   * @throws UNAUTHORIZED for a refused callback; SERVICE_UNAVAILABLE if it is not stored: the vendor may repeat it.
   */
  async receive(channel: DepositChannel, raw: RawCallback, address: string): Promise<void> {
    const reading = this.read(channel, raw);
    const detail = 'detail' in reading ? storable(reading.detail, MAX_DETAIL_LENGTH) : null;
    const about =
      reading.kind === 'about' ? { verdict: null, charge: reading.paymentId } : { verdict: reading.kind, charge: null };
    const verdict = (await this.callbacks.record({ channelId: channel.id, address, detail, ...about })) ?? reading.kind;
    this.metrics.channelCalledBack(channel.code, verdict);
    const isWrong = reading.kind === 'refused' || reading.kind === 'unreadable';
    this.logger[isWrong ? 'warn' : 'info']({ channel: channel.code, verdict, detail }, 'channel callback received');
    if (reading.kind === 'refused')
      throw new AppError('UNAUTHORIZED', 'The signature of the callback is wrong or missing');
  }

  @WorkerTask('old_channel_callbacks', {
    every: HOUR_MS,
    offBy: 'WEBHOOK_LOG_DAYS',
    failed: 'old callbacks of channels could not be removed: retrying in an hour',
  })
  async removeOld(stop: AbortSignal, days: number): Promise<void> {
    await removeInBatches((limit) => this.callbacks.removeOld(days, limit), stop);
  }

  private read(channel: DepositChannel, raw: RawCallback): ChannelCallback {
    try {
      const { adapter, settings } = this.channels.connect(channel);
      return adapter.callbacks?.read(settings, raw) ?? NO_CALLBACKS;
    } catch (error) {
      return unreadableBy(error);
    }
  }
}
