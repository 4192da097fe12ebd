import { Injectable } from '@nestjs/common';
import { Database, type Transaction } from '../database/database.js';
import { keepPartitionsAhead, type EventTable } from '../database/partitions/event-partitions.js';
import type { Run } from '../database/partitions/runs.js';
import { LOCK_PARTITIONS } from './event-partitions.sql.js';

/** The partitions of events, deliveries and attempts, as workers make them. */
@Injectable()
export class EventPartitionsRepository {
  constructor(private readonly database: Database) {}

  /**
   * Makes the partitions that the table needs next.
   * @returns the names of those that were made; none where it is not partitioned, or another worker is at this very table.
   */
  keepAhead(kept: EventTable): Promise<string[]> {
    return this.database.transaction(async (tx) => {
      const [{ ours } = { ours: false }] = await tx.query<{ ours: boolean }>(LOCK_PARTITIONS, [kept.table]);
      if (!ours) return [];
      return keepPartitionsAhead(runOf(tx), kept);
    });
  }
}

const runOf =
  (tx: Transaction): Run =>
  (text, values) =>
    tx.manager.query(text, values);
