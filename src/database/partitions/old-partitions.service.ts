import { Inject, Injectable } from '@nestjs/common';
import { LOGGER } from '../../core/core.module.js';
import type { Logger } from '../../core/logger.js';
import { WorkerTask } from '../../core/worker-task.js';
import { levelOf } from './briefly.js';
import { OldPartitionsRepository } from './old-partitions.repository.js';

/** Between two rounds: longer than anybody reads events at one moment, as the audit does. */
const INTERVAL_MS = 600_000;

/**
 * Where events are partitioned: drops partitions whose rows are all older than WEBHOOK_LOG_DAYS and of which nothing waits
 * any more, deliveries with their attempts first. Events go a round after they were announced as gone. Any number of
 * workers may do that at once; each drop is whole or was not.
 */
@Injectable()
export class OldPartitionsService {
  /** The events that were found and announced by the round before. */
  private announced: string[] = [];

  constructor(
    private readonly partitions: OldPartitionsRepository,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** One round. */
  @WorkerTask('old_partitions', {
    every: INTERVAL_MS,
    offBy: 'WEBHOOK_LOG_DAYS',
    failed: 'old partitions could not be looked for: trying again in ten minutes',
  })
  async dropOld(_stop: AbortSignal, days: number): Promise<void> {
    await this.partitions.use(days, async (old) => {
      for (const each of await old.findDeliveries())
        await this.drop([each.deliveries.name, each.attempts.name], () => old.dropDeliveries(each));
      const found = await old.findEvents();
      if (found.length > 0) await old.announce();
      const before = this.announced;
      this.announced = found.map(({ name }) => name);
      for (const each of found)
        if (before.includes(each.name)) await this.drop([each.name], () => old.dropEvents(each));
    });
  }

  /** One that can't be dropped now holds up none of the others. */
  private async drop(partitions: string[], drop: () => Promise<boolean>): Promise<void> {
    try {
      if (await drop()) this.logger.info({ partitions }, 'old partitions were dropped');
    } catch (error) {
      this.logger[levelOf(error)](
        { partitions, reason: (error as Error).message },
        'old partitions could not be dropped: trying again in ten minutes',
      );
    }
  }
}
