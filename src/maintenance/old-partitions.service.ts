import { Inject, Injectable } from '@nestjs/common';
import { LOGGER } from '../core/core.module.js';
import type { Logger } from '../core/logger.js';
import { WorkerTask } from '../core/worker-task.js';
import { levelOf } from '../database/partitions/brief-lock.js';
import { OldPartitionsRepository } from '../database/partitions/old-partitions.repository.js';
import { WorkerHeartbeatService } from '../queues/worker-heartbeat.service.js';

/** The time between two rounds, or up to a tenth less. Each snapshot that reads events must be shorter. */
const INTERVAL_MS = 600_000;

/**
 * Drops partitions of events, deliveries and attempts in which all rows are older than WEBHOOK_LOG_DAYS. Deliveries go
 * first, with their attempts, unless one of them waits for an attempt. For partitions of events, the first round only
 * records in `event_retention` that old events may be missing. The next round drops these partitions: by then no
 * process reads a snapshot from before the record. Any number of workers may run this task at once, because each drop
 * is atomic.
 */
@Injectable()
export class OldPartitionsService {
  /** The partitions of events that the previous round found and announced. */
  private announced: string[] = [];

  constructor(
    private readonly partitions: OldPartitionsRepository,
    private readonly heartbeat: WorkerHeartbeatService,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  @WorkerTask('old_partitions', {
    every: INTERVAL_MS,
    offBy: 'WEBHOOK_LOG_DAYS',
    failed: 'the search for old partitions failed: trying again in ten minutes',
  })
  async dropOld(_stop: AbortSignal, days: number): Promise<void> {
    await this.partitions.use(days, this.heartbeat.retentionLimit(), async (old) => {
      for (const each of await old.listDeliveries())
        await this.drop([each.deliveries.name, each.attempts.name], () => old.dropDeliveries(each));
      const found = await old.listEvents();
      if (found.length > 0) await old.announce();
      const before = this.announced;
      this.announced = found.map(({ name }) => name);
      for (const each of found)
        if (before.includes(each.name)) await this.drop([each.name], () => old.dropEvents(each));
    });
  }

  /** Logs a failed drop, so that it does not stop the others. */
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
