import { Inject, Injectable } from '@nestjs/common';
import { LOGGER } from '../../core/core.module.js';
import type { Logger } from '../../core/logger.js';
import { WorkerTask } from '../../core/worker-task.js';
import { levelOf } from './brief-lock.js';
import { EVENT_TABLES } from './event-partitions.js';
import { NextPartitionsRepository } from './next-partitions.repository.js';
import { TABLE_GROUPS } from './table-groups.js';

const INTERVAL_MS = 600_000;

/** Keeps an empty partition ahead in each partitioned table. A failure at one table does not stop the others. */
@Injectable()
export class NextPartitionsService {
  constructor(
    private readonly partitions: NextPartitionsRepository,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /**
   * Creates the next partition of each table of events soon after ids reach the last partition. So nearly a whole
   * partition of ids is always left. These ids last for days, so no insert waits for a worker.
   */
  @WorkerTask('event_partitions', { every: INTERVAL_MS })
  async keepEventsAhead(): Promise<void> {
    for (const eventTable of EVENT_TABLES) {
      try {
        const made = await this.partitions.keepEventsAhead(eventTable);
        if (made.length > 0) this.logger.info({ partitions: made }, 'partitions were created');
      } catch (error) {
        this.logger.warn(
          { table: eventTable.table, reason: (error as Error).message },
          'the next partition could not be created: trying again in ten minutes',
        );
      }
    }
  }

  /** Like {@link keepEventsAhead}, for the tables of orders and transfers. */
  @WorkerTask('book_partitions', { every: INTERVAL_MS })
  async keepBooksAhead(): Promise<void> {
    for (const group of TABLE_GROUPS) {
      try {
        for (const { number, upper } of await this.partitions.keepBooksAhead(group))
          this.logger.info({ partition: number, upTo: upper }, `a partition of ${group.name} was added`);
      } catch (error) {
        this.logger[levelOf(error)](
          { reason: (error as Error).message },
          `the next partition of ${group.name} could not be added: trying again in ten minutes`,
        );
      }
    }
  }
}
