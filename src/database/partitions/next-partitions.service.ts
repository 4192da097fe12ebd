import { Inject, Injectable } from '@nestjs/common';
import { LOGGER } from '../../core/core.module.js';
import type { Logger } from '../../core/logger.js';
import { WorkerTask } from '../../core/worker-task.js';
import { levelOf } from './briefly.js';
import { EVENT_TABLES } from './event-partitions.js';
import { NextPartitionsRepository } from './next-partitions.repository.js';
import { PARTITION_SETS } from './partition-sets.js';

const INTERVAL_MS = 600_000;

/** Where tables are partitioned: keeps a partition of each ahead of the one that they fill. What can't be extended now holds up nothing else. */
@Injectable()
export class NextPartitionsService {
  constructor(
    private readonly partitions: NextPartitionsRepository,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /**
   * Makes the next partition of each table of events as soon as the last one is begun, by whichever worker comes first. So as
   * many ids as a partition has are always left, which is for days: no insert waits for a worker to make room for it.
   */
  @WorkerTask('event_partitions', { every: INTERVAL_MS })
  async keepEventsAhead(): Promise<void> {
    for (const kept of EVENT_TABLES) {
      try {
        const made = await this.partitions.keepEventsAhead(kept);
        if (made.length > 0) this.logger.info({ partitions: made }, 'partitions were made');
      } catch (error) {
        this.logger.warn(
          { table: kept.table, reason: (error as Error).message },
          'the next partition could not be made: trying again in ten minutes',
        );
      }
    }
  }

  /** The same for orders and movements of money. */
  @WorkerTask('book_partitions', { every: INTERVAL_MS })
  async keepBooksAhead(): Promise<void> {
    for (const set of PARTITION_SETS) {
      try {
        for (const { number, upper } of await this.partitions.keepBooksAhead(set))
          this.logger.info({ partition: number, upTo: upper }, `a partition of ${set.name} was added`);
      } catch (error) {
        this.logger[levelOf(error)](
          { reason: (error as Error).message },
          `the next partition of ${set.name} could not be added: trying again in ten minutes`,
        );
      }
    }
  }
}
