import { Injectable } from '@nestjs/common';
import { Database } from '../database.js';
import { keepAhead } from './divide.js';
import { keepPartitionsAhead, type EventTable } from './event-partitions.js';
import { LOCK_PARTITIONS } from './next-partitions.sql.js';
import type { PartitionSet } from './partition-sets.js';
import { onConnection } from './runs.js';

/** The partitions that come next, as workers make them. */
@Injectable()
export class NextPartitionsRepository {
  constructor(private readonly database: Database) {}

  /**
   * Makes the partitions that a table of events needs next.
   * @returns the names of those that were made; none where it is not partitioned, or another worker is at this very table.
   */
  keepEventsAhead(kept: EventTable): Promise<string[]> {
    return this.database.transaction(async (tx) => {
      const [{ ours } = { ours: false }] = await tx.query<{ ours: boolean }>(LOCK_PARTITIONS, [kept.table]);
      if (!ours) return [];
      return keepPartitionsAhead((text, values) => tx.manager.query(text, values), kept);
    });
  }

  /** Adds the partitions that orders or movements of money need next; none where they are not partitioned. */
  keepBooksAhead(set: PartitionSet): ReturnType<typeof keepAhead> {
    return onConnection(this.database.pool, (run) => keepAhead(run, set));
  }
}
