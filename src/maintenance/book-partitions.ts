import { Inject, Injectable } from '@nestjs/common';
import { LOGGER } from '../core/core.module.js';
import type { Logger } from '../core/logger.js';
import { Database } from '../database/database.js';
import { levelOf } from '../database/partitions/briefly.js';
import { keepAhead } from '../database/partitions/divide.js';
import { PARTITION_SETS, type PartitionSet } from '../database/partitions/partition-sets.js';
import { onConnection } from '../database/partitions/runs.js';
import { SchemaService } from '../database/schema.service.js';
import { WorkerJob } from './worker-job.js';

const INTERVAL_MS = 600_000;

/** Where orders or movements of money are partitioned: keeps a partition of each ahead of the one that they fill. */
@Injectable()
export class BookPartitions extends WorkerJob {
  constructor(
    schema: SchemaService,
    private readonly database: Database,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    super(schema);
    this.repeat({ intervalMs: INTERVAL_MS, run: () => this.keepAllAhead(), onError: () => undefined });
  }

  /** What can't be extended now holds up nothing else. */
  private async keepAllAhead(): Promise<void> {
    for (const set of PARTITION_SETS) {
      try {
        await this.keepAhead(set);
      } catch (error) {
        this.logger[levelOf(error)](
          { reason: (error as Error).message },
          `the next partition of ${set.name} could not be added: trying again in ten minutes`,
        );
      }
    }
  }

  private async keepAhead(set: PartitionSet): Promise<void> {
    const added = await onConnection(this.database.pool, (run) => keepAhead(run, set));
    for (const { number, upper } of added)
      this.logger.info({ partition: number, upTo: upper }, `a partition of ${set.name} was added`);
  }
}
