import { Injectable } from '@nestjs/common';
import type { Statement, Transaction } from '../database/database.js';

/** Any number, but unique among our advisory locks. */
const LOCK = 7_038_168;

export interface Look {
  /** The last event of this look; null if there was none, or another worker holds the lock. */
  last_id: bigint | null;
  /** How many of the events are old, and how many are neither old nor in the future. */
  old: number;
  young: number;
  /** Old events that can be removed now. They and their deliveries are locked. */
  removable: bigint[];
  /** How many old events can't be removed now, because another transaction has locked them or a delivery of theirs. */
  held: number;
}

/**
 * Looks at the next events by id, which is roughly the order of time. It leaves events with pending deliveries, and skips
 * events and deliveries that another transaction has locked.
 * $1 age in days, $2 after this event, $3 before that one, $4 how many to look at.
 */
const LOOK: Statement = {
  name: 'retention.look',
  text: `
    WITH ours AS MATERIALIZED (SELECT pg_try_advisory_xact_lock(${LOCK}) AS ours),
    next AS MATERIALIZED (
      SELECT id, created_at < statement_timestamp() - make_interval(days => $1) AS is_old,
             created_at > statement_timestamp() AS is_ahead
      FROM events WHERE id > $2 AND id < $3 AND (SELECT ours FROM ours) ORDER BY id LIMIT $4),
    ripe AS MATERIALIZED (
      SELECT id FROM next
      WHERE is_old
        AND NOT EXISTS (SELECT 1 FROM webhook_deliveries d WHERE d.event_id = next.id AND d.status = 'pending')),
    events_held AS MATERIALIZED (
      SELECT e.id FROM ripe JOIN events e ON e.id = ripe.id ORDER BY e.id FOR UPDATE OF e SKIP LOCKED),
    deliveries_held AS MATERIALIZED (
      SELECT d.event_id FROM events_held JOIN webhook_deliveries d ON d.event_id = events_held.id
      WHERE d.status <> 'pending' ORDER BY d.id FOR UPDATE OF d SKIP LOCKED),
    removable AS MATERIALIZED (
      SELECT id FROM events_held
      WHERE (SELECT count(*) FROM deliveries_held h WHERE h.event_id = events_held.id)
          = (SELECT count(*) FROM webhook_deliveries d WHERE d.event_id = events_held.id))
    SELECT (SELECT max(id) FROM next) AS last_id,
           (SELECT count(*)::int FROM next WHERE is_old) AS old,
           (SELECT count(*)::int FROM next WHERE NOT is_old AND NOT is_ahead) AS young,
           ARRAY(SELECT id FROM removable) AS removable,
           (SELECT count(*)::int FROM ripe) - (SELECT count(*)::int FROM removable) AS held`,
};

/**
 * Removes events that {@link LOOK} has locked, with their deliveries and attempts. It is a second statement because it must
 * see all rows that were written before the lock. $1 events.
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
export interface Stretch {
  after: bigint;
  before: bigint;
}

/** Finds and removes old events with their deliveries and attempts. */
@Injectable()
export class RetentionRepository {
  /** Looks at the next events of a range of ids, and locks those that are older than `days`. */
  async look(tx: Transaction, days: number, { after, before }: Stretch, limit: number): Promise<Look | undefined> {
    const [look] = await tx.query<Look>(LOOK, [days, after, before, limit]);
    return look;
  }

  /** Removes the removable events of a look, in the same transaction. */
  remove(tx: Transaction, { removable }: Look): void {
    if (removable.length > 0) tx.write(REMOVE, [removable]);
  }
}
