import { Injectable } from '@nestjs/common';
import type { Statement, Transaction } from '../database/database.js';

/** Any number, but unique among our advisory locks. */
const LOCK = 7_038_168;

/** The next events by id, as {@link LOCK_BATCH} has read them. */
export interface EventBatch {
  /** The last event of the batch; null if there was none, or another worker holds the lock. */
  last_id: bigint | null;
  /** How many of the events are old, and how many are neither old nor in the future. */
  old: number;
  young: number;
  /** Old events that can be removed now. They and their deliveries are locked. */
  removable: bigint[];
  /** How many old events can't be removed now, because another transaction has locked them or one of their deliveries. */
  blocked: number;
}

/**
 * Reads the next events by id, which is roughly the order of time, and locks the old ones with their deliveries. It leaves
 * events with pending deliveries, and skips events and deliveries that another transaction has locked.
 * $1 age in days, $2 after this event, $3 before this event, $4 how many events, $5 the latest time at which ages may be measured.
 */
const LOCK_BATCH: Statement = {
  name: 'retention.look',
  text: `
    WITH own AS MATERIALIZED (SELECT pg_try_advisory_xact_lock(${LOCK}) AS is_locked),
    next AS MATERIALIZED (
      SELECT id, created_at < least(statement_timestamp(), $5) - make_interval(days => $1) AS is_old,
             created_at > statement_timestamp() AS is_ahead
      FROM events WHERE id > $2 AND id < $3 AND (SELECT is_locked FROM own) ORDER BY id LIMIT $4),
    expired AS MATERIALIZED (
      SELECT id FROM next
      WHERE is_old
        AND NOT EXISTS (SELECT 1 FROM webhook_deliveries d WHERE d.event_id = next.id AND d.status = 'pending')),
    locked_events AS MATERIALIZED (
      SELECT e.id FROM expired JOIN events e ON e.id = expired.id ORDER BY e.id FOR UPDATE OF e SKIP LOCKED),
    locked_deliveries AS MATERIALIZED (
      SELECT d.event_id FROM locked_events JOIN webhook_deliveries d ON d.event_id = locked_events.id
      WHERE d.status <> 'pending' ORDER BY d.id FOR UPDATE OF d SKIP LOCKED),
    removable AS MATERIALIZED (
      SELECT id FROM locked_events
      WHERE (SELECT count(*) FROM locked_deliveries d WHERE d.event_id = locked_events.id)
          = (SELECT count(*) FROM webhook_deliveries d WHERE d.event_id = locked_events.id))
    SELECT (SELECT max(id) FROM next) AS last_id,
           (SELECT count(*)::int FROM next WHERE is_old) AS old,
           (SELECT count(*)::int FROM next WHERE NOT is_old AND NOT is_ahead) AS young,
           ARRAY(SELECT id FROM removable) AS removable,
           (SELECT count(*)::int FROM expired) - (SELECT count(*)::int FROM removable) AS blocked`,
};

/**
 * Removes events that {@link LOCK_BATCH} has locked, with their deliveries and attempts. It is a second statement because it
 * must see all rows that were written before the lock. $1 events.
 */
const REMOVE: Statement = {
  name: 'retention.remove',
  text: `
    WITH attempts AS (
      DELETE FROM webhook_attempts WHERE delivery_id IN (
        SELECT id FROM webhook_deliveries WHERE event_id = ANY($1::bigint[]))),
    deliveries AS (DELETE FROM webhook_deliveries WHERE event_id = ANY($1::bigint[])),
    gone AS (DELETE FROM events WHERE id = ANY($1::bigint[]) RETURNING created_at)
    UPDATE event_retention SET removed_until = greatest(removed_until, (SELECT max(created_at) FROM gone))`,
};

/** A range of ids, without both ends. */
export interface OpenRange {
  after: bigint;
  before: bigint;
}

/** Finds and removes old events with their deliveries and attempts. */
@Injectable()
export class RetentionRepository {
  /**
   * Reads the next events of a range of ids, and locks the events older than `days` that can be removed. Measures ages at the
   * database's time, or at `clockLimit` if that is earlier.
   */
  async lockBatch(
    tx: Transaction,
    days: number,
    { after, before }: OpenRange,
    limit: number,
    clockLimit: Date,
  ): Promise<EventBatch | undefined> {
    const [batch] = await tx.query<EventBatch>(LOCK_BATCH, [days, after, before, limit, clockLimit]);
    return batch;
  }

  /** Removes the removable events of a batch, in the same transaction. */
  remove(tx: Transaction, { removable }: EventBatch): void {
    if (removable.length > 0) tx.write(REMOVE, [removable]);
  }
}
