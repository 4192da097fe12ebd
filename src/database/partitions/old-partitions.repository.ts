import { Injectable } from '@nestjs/common';
import { Database } from '../database.js';
import { OldEventPartitions, type IdRange } from './old-event-partitions.repository.js';
import { onConnection, type Execute } from './runs.js';

export type { IdRange } from './old-event-partitions.repository.js';

/** A long timeout: PostgreSQL reports a drop only after it has removed the files, long after it has released the locks. */
const OPTIONS = { query_timeout: 600_000 };

/** Old partitions of events, deliveries and attempts. */
@Injectable()
export class OldPartitionsRepository {
  constructor(private readonly database: Database) {}

  /** @param days the age from which rows are old. @param clockLimit a later time of the database's clock is not believed. */
  use<Result>(
    days: number,
    clockLimit: Date,
    work: (partitions: OldEventPartitions) => Promise<Result>,
  ): Promise<Result> {
    const workOn = (execute: Execute): Promise<Result> => work(new OldEventPartitions(execute, days, clockLimit));
    return onConnection(this.database.pool, workOn, OPTIONS);
  }

  /** Lists the events that retention must not remove row by row, lowest ids first: none if they are not partitioned. */
  waiting(days: number, clockLimit: Date): Promise<IdRange[]> {
    return this.use(days, clockLimit, (partitions) => partitions.listWaiting());
  }
}
