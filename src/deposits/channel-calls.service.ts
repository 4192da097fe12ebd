import { Inject, Injectable } from '@nestjs/common';
import { LOGGER } from '../core/core.module.js';
import type { Logger } from '../core/logger.js';
import { Metrics } from '../core/metrics.js';
import { WorkerTask } from '../core/worker-task.js';
import { ChannelsRepository } from './channels.repository.js';
import type { ConnectedChannel } from './channel-registry.js';
import { ChannelsService } from './channels.service.js';
import type { NoAnswer } from './channels/channel-adapter.js';
import type { DepositChannel } from './deposit-channel.entity.js';
import { eachChannel } from './each-channel.js';

/**
 * Counts calls to vendors. If a vendor refuses our credentials, its channel is paused until a probe succeeds or an
 * operator changes credentials.
 */
@Injectable()
export class ChannelCallsService {
  constructor(
    private readonly channels: ChannelsService,
    private readonly rows: ChannelsRepository,
    private readonly metrics: Metrics,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  async call<Result extends { kind: string }>(
    channel: Pick<DepositChannel, 'code' | 'credentials_sealed'>,
    kind: 'create' | 'inquiry' | 'list',
    call: () => Promise<Result | NoAnswer>,
  ): Promise<Result | NoAnswer> {
    const { code } = channel;
    const result = await call();
    const { fault } = result as Partial<NoAnswer>;
    this.metrics.channelCalled(code, kind, fault ?? result.kind);
    if (fault === 'credentials' && (await this.rows.beginPause(channel)))
      this.logger.error(
        { channel: code, detail: (result as NoAnswer).detail },
        'a channel is paused: its credentials are refused',
      );
    return result;
  }

  @WorkerTask('channel_probes', { every: 5_000, failed: 'paused channels could not be probed', once: true })
  async probe(): Promise<void> {
    await eachChannel(await this.rows.listDueProbes(), async (channel) => {
      // Before the claim: a process that can't open the credentials leaves the probe to the other ones.
      const connected = this.channels.connect(channel);
      if (!(await this.rows.claimProbe(channel))) return;
      if ((await this.isWorking(connected)) && (await this.rows.endPause(channel)))
        this.logger.info({ channel: channel.code }, 'a channel goes on: its credentials are accepted');
    });
  }

  private async isWorking({ channel, adapter, settings }: ConnectedChannel): Promise<boolean> {
    const checks = (await adapter.test?.(settings)) ?? [];
    const ok = checks.every((check) => check.ok);
    this.metrics.channelCalled(channel.code, 'probe', ok ? 'ok' : 'failed');
    return ok;
  }
}
