import { Inject, Injectable } from '@nestjs/common';
import { LOGGER } from '../core/core.module.js';
import type { Logger } from '../core/logger.js';
import { EVENT_TABLES } from '../database/partitions/event-partitions.js';
import { SchemaService } from '../database/schema.service.js';
import { EventPartitionsRepository } from './event-partitions.repository.js';
import { WorkerJob } from './worker-job.js';

const INTERVAL_MS = 600_000;

/**
 * Where events are partitioned: makes the next partition of each table as soon as the last one is begun, by whichever worker
 * comes first. So as many ids as a partition has are always left, which is for days: no insert waits for a worker to make room for it.
 */
@Injectable()
export class EventPartitions extends WorkerJob {
  constructor(
    schema: SchemaService,
    private readonly partitions: EventPartitionsRepository,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    super(schema);
    this.repeat({ intervalMs: INTERVAL_MS, run: () => this.keepAhead(), onError: () => undefined });
  }

  /** A table that can't be extended now holds up none of the others. */
  private async keepAhead(): Promise<void> {
    for (const kept of EVENT_TABLES) {
      try {
        const made = await this.partitions.keepAhead(kept);
        if (made.length > 0) this.logger.info({ partitions: made }, 'partitions were made');
      } catch (error) {
        this.logger.warn(
          { table: kept.table, reason: (error as Error).message },
          'the next partition could not be made: trying again in ten minutes',
        );
      }
    }
  }
}
