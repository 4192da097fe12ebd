import { Injectable } from '@nestjs/common';
import { Database } from '../database.js';
import { OldEventPartitions, type IdRange } from './old-event-partitions.repository.js';
import { onConnection } from './runs.js';

export type { IdRange } from './old-event-partitions.repository.js';

/** A long timeout: PostgreSQL reports a drop only after it has removed the files, long after it has released the locks. */
const OPTIONS = { query_timeout: 600_000 };

/** Old partitions of events, deliveries and attempts. */
@Injectable()
export class OldPartitionsRepository {
  constructor(private readonly database: Database) {}

  /** @param days the age from which rows are old. */
  use<Result>(days: number, work: (partitions: OldEventPartitions) => Promise<Result>): Promise<Result> {
    return onConnection(this.database.pool, (execute) => work(new OldEventPartitions(execute, days)), OPTIONS);
  }

  /** Lists the events that retention must not remove row by row, lowest ids first: none if they are not partitioned. */
  waiting(days: number): Promise<IdRange[]> {
    return this.use(days, (partitions) => partitions.listWaiting());
  }
}
