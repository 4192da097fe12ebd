import { Injectable } from '@nestjs/common';
import { Database } from '../database.js';
import { OldEventPartitions, type IdRange } from './old-event-partitions.repository.js';
import { onConnection } from './runs.js';

export type { IdRange } from './old-event-partitions.repository.js';

/** PostgreSQL says that a partition is dropped when it has removed its files, after it gave the locks back. */
const OPTIONS = { query_timeout: 600_000 };

/** The partitions of events, deliveries and attempts as they grow old. */
@Injectable()
export class OldPartitionsRepository {
  constructor(private readonly database: Database) {}

  /** @param days after which what is in them is old. */
  use<Result>(days: number, work: (partitions: OldEventPartitions) => Promise<Result>): Promise<Result> {
    return onConnection(this.database.pool, (run) => work(new OldEventPartitions(run, days)), OPTIONS);
  }

  /** The events that are not to be removed row by row, lowest ids first. None where they are not partitioned. */
  waiting(days: number): Promise<IdRange[]> {
    return this.use(days, (partitions) => partitions.findWaiting());
  }
}
