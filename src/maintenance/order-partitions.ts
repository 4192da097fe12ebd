import { Inject, Injectable } from '@nestjs/common';
import { LOGGER } from '../core/core.module.js';
import type { Logger } from '../core/logger.js';
import { Database } from '../database/database.js';
import { SchemaService } from '../database/schema.service.js';
import { LocksNotFree } from '../database/partitions/briefly.js';
import { keepPartitionAhead } from '../database/partitions/partition-orders.js';
import { onConnection } from '../database/partitions/runs.js';
import { WorkerJob } from './worker-job.js';

const INTERVAL_MS = 600_000;

/** Where orders are partitioned: keeps a partition ahead of the one that they fill. */
@Injectable()
export class OrderPartitions extends WorkerJob {
  constructor(
    schema: SchemaService,
    private readonly database: Database,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    super(schema);
    this.repeat({
      intervalMs: INTERVAL_MS,
      run: () => this.keepAhead(),
      onError: (error) =>
        // Locks that are not free now are so soon; anything else, such as a role that may not do it, goes on until it is mended.
        logger[error instanceof LocksNotFree ? 'warn' : 'error'](
          { reason: error.message },
          'the next partition of orders could not be added: trying again in ten minutes',
        ),
    });
  }

  private async keepAhead(): Promise<void> {
    const added = await onConnection(this.database.pool, keepPartitionAhead);
    for (const { number, upper } of added)
      this.logger.info({ partition: number, upTo: upper }, 'a partition of orders was added');
  }
}
