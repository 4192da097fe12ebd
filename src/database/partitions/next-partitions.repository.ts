import { Injectable } from '@nestjs/common';
import { Database, type Statement } from '../database.js';
import { keepAhead } from './divide.js';
import { keepPartitionsAhead, type EventTable } from './event-partitions.js';
import type { TableGroup } from './table-groups.js';
import { onConnection } from './runs.js';

/** Any number, but unique among our advisory locks. */
const LOCK = 7_038_172;

/**
 * Lets one transaction at a time create partitions of a table. Each table has its own lock, so that a worker at one
 * table does not make other workers skip the others. $1 the table.
 */
export const LOCK_PARTITIONS: Statement = {
  name: 'partitions.lock',
  text: `SELECT pg_try_advisory_xact_lock(${LOCK}, hashtext($1)) AS ours`,
};

/** Creates the next partitions in workers. */
@Injectable()
export class NextPartitionsRepository {
  constructor(private readonly database: Database) {}

  /**
   * Creates the partitions that a table of events needs next.
   * @returns their names: none if the table is not partitioned, or another worker holds its lock.
   */
  keepEventsAhead(eventTable: EventTable): Promise<string[]> {
    return this.database.transaction(async (tx) => {
      const [{ ours } = { ours: false }] = await tx.query<{ ours: boolean }>(LOCK_PARTITIONS, [eventTable.table]);
      if (!ours) return [];
      return keepPartitionsAhead((text, values) => tx.manager.query(text, values), eventTable);
    });
  }

  /** Adds the partitions that orders or transfers need next: none if they are not partitioned. */
  keepBooksAhead(group: TableGroup): ReturnType<typeof keepAhead> {
    return onConnection(this.database.pool, (execute) => keepAhead(execute, group));
  }
}
