import { Injectable } from '@nestjs/common';
import { Database, LIMIT_LOCK_WAIT, type Statement, type Transaction } from '../database/database.js';
import { LOCK_WAIT_MS, type LockWait } from '../database/group-commit.js';
import type { ClaimRequest } from '../queues/leased-work.js';
import * as sql from './dispatch.sql.js';
import { type ClaimedDelivery, hasDue } from './dispatch.sql.js';
import { rowsOf, statement } from '../database/parameters.js';

/** A delivery after its attempt was recorded. */
export interface RecordedAttempt {
  id: bigint;
  webhook_id: number;
  attempt_count: number;
  status: 'succeeded' | 'failed' | 'cancelled' | 'pending';
  /** Milliseconds until the next attempt is due; null if the delivery has ended. */
  due_in_ms: number | null;
  /** Whether the webhook has other due deliveries, which may have waited for the slot of this delivery. */
  has_due: boolean;
}

/** The result of a record. */
interface Recorded {
  recorded: RecordedAttempt[];
  /** The ids of the webhooks that no other transaction had locked. */
  free: ReadonlySet<number>;
}

/** A recorded attempt, or a webhook of which no attempt was recorded. */
type RecordRow = RecordedAttempt | { id: null; webhook_id: number };

/**
 * Records how attempts ended, and decides whether and when the next attempts follow. Each attempt is recorded once: a
 * late record finds no lease. The next attempt starts after the longer of `retry_delay` and `retry_after`. Only
 * automatic deliveries have a next attempt (contract, section 4).
 * @param ended selects the attempts: delivery_id, webhook_id, number, started_at, response_status, error,
 * response_body, duration_ms, retry_after in seconds.
 * @param ifLocked by default, the statement leaves out the attempts of webhooks that other transactions have locked.
 * @returns a row for each recorded attempt; for a webhook without one, a row without a delivery.
 */
const recorded = (ended: string, ifLocked = 'SKIP LOCKED'): string => `
    WITH ended AS (${ended}),
    hook AS MATERIALIZED (
      SELECT id, status = 'active' AND deleted_at IS NULL AS is_live, max_retries, retry_delay FROM webhooks
      WHERE id IN (SELECT webhook_id FROM ended) ORDER BY id FOR SHARE ${ifLocked}),
    due AS MATERIALIZED (SELECT id AS webhook_id, ${hasDue('hook.id')} AS has_due FROM hook),
    judged AS (
      SELECT ended.*, greatest(hook.retry_delay, ended.retry_after) AS delay,
        CASE WHEN ended.response_status BETWEEN 200 AND 299 THEN 'succeeded'
             WHEN ended.response_status = 410 OR ended.number > hook.max_retries THEN 'failed'
             WHEN NOT hook.is_live THEN 'cancelled'
             ELSE 'pending' END AS status,
        coalesce(ended.number = 1 AND ended.response_status BETWEEN 200 AND 299, false) AS is_first_success
      FROM ended JOIN hook ON hook.id = ended.webhook_id),
    updated AS (
      UPDATE webhook_deliveries d SET
        status = CASE WHEN d.automatic OR j.status = 'succeeded' THEN j.status ELSE 'failed' END,
        due_at = CASE WHEN d.automatic AND j.status = 'pending'
                      THEN statement_timestamp() + make_interval(secs => j.delay) END,
        leased_until = NULL, attempt_started_at = NULL, attempt_ended_at = statement_timestamp(),
        retry_after_at = statement_timestamp() + make_interval(secs => j.retry_after),
        first_started_at = CASE WHEN j.is_first_success THEN j.started_at ELSE d.first_started_at END,
        first_duration_ms = CASE WHEN j.is_first_success THEN j.duration_ms ELSE d.first_duration_ms END,
        first_response_status = CASE WHEN j.is_first_success THEN j.response_status ELSE d.first_response_status END,
        first_response_body = CASE WHEN j.is_first_success THEN j.response_body ELSE d.first_response_body END,
        updated_at = statement_timestamp()
      -- Not by leased_until: after a quiet time, PostgreSQL would wrongly take the index of that column for empty, and use it.
      FROM judged j
      WHERE d.id = j.delivery_id AND d.attempt_count = j.number
        AND d.attempt_started_at IS NOT NULL
      RETURNING d.id, d.webhook_id, d.attempt_count, d.status, j.delay, j.started_at, j.duration_ms,
                j.response_status, j.error, j.response_body, j.is_first_success),
    logged AS (
      INSERT INTO webhook_attempts (delivery_id, number, started_at, duration_ms, response_status, error, response_body)
      SELECT id, attempt_count, started_at, duration_ms, response_status, error, response_body FROM updated WHERE NOT is_first_success)
    SELECT u.id, webhook_id, u.attempt_count, u.status, due.has_due,
           CASE u.status WHEN 'pending' THEN u.delay * 1000 END AS due_in_ms
    FROM due LEFT JOIN updated u USING (webhook_id)`;

const ENDED = rowsOf({
  delivery_id: 'bigint',
  webhook_id: 'int',
  number: 'int',
  started_at: 'timestamptz',
  response_status: 'int?',
  error: 'text?',
  response_body: 'text?',
  duration_ms: 'int',
  retry_after: 'int?',
});

export const RECORD_ATTEMPTS = statement('webhook_deliveries.record_attempts', { attempts: ENDED }, ({ attempts }) =>
  recorded(`SELECT * FROM ${attempts.as('a')}`),
);

/** The same, but it waits for webhooks that other transactions have locked. */
const RECORD_ATTEMPTS_PATIENTLY = statement(
  'webhook_deliveries.record_attempts_patiently',
  { attempts: ENDED },
  ({ attempts }) => recorded(`SELECT * FROM ${attempts.as('a')}`, ''),
);

/**
 * Ends deliveries that an earlier attempt delivered. Such an attempt was first recorded as interrupted, and then
 * corrected. The record itself cannot see a correction that was committed while it waited for the delivery's lock, so
 * this statement follows the record. ORDER BY makes PostgreSQL use the primary key.
 */
export const END_DELIVERED = statement(
  'webhook_deliveries.end_delivered',
  { failed: rowsOf({ id: 'bigint' }) },
  ({ failed }) => `
    UPDATE webhook_deliveries d SET status = 'succeeded', due_at = NULL, updated_at = statement_timestamp()
    WHERE id IN (SELECT ${failed.unnest}) AND automatic
      AND (SELECT number FROM webhook_attempts a WHERE a.delivery_id = d.id AND response_status BETWEEN 200 AND 299
           ORDER BY delivery_id, number LIMIT 1) IS NOT NULL
    RETURNING id`,
);

/**
 * Corrects attempts that delivered, but were recorded as interrupted, because their worker stalled or a clock that was set forward
 * ended their leases. No automatic attempt follows, but a retry that a merchant or an operator requested still does. While a later
 * attempt is in flight, only the log is corrected: the record of that attempt then finds the successful one.
 */
const RECORD_LATE = statement(
  'webhook_deliveries.record_late',
  { attempts: ENDED },
  ({ attempts }) => `
    WITH late AS MATERIALIZED (SELECT * FROM ${attempts.as('a')}),
    locked AS MATERIALIZED (
      SELECT id, leased_until IS NULL AND (automatic OR due_at IS NULL) AS is_at_rest FROM webhook_deliveries
      WHERE id IN (SELECT delivery_id FROM late) ORDER BY id FOR NO KEY UPDATE),
    corrected AS (
      UPDATE webhook_attempts a SET duration_ms = late.duration_ms, response_status = late.response_status, error = NULL,
             response_body = late.response_body
      FROM late JOIN locked ON locked.id = late.delivery_id
      WHERE a.delivery_id = late.delivery_id AND a.number = late.number AND a.started_at = late.started_at
        AND a.error = 'interrupted'
      RETURNING a.delivery_id, a.number)
    UPDATE webhook_deliveries d SET status = 'succeeded', due_at = NULL, updated_at = statement_timestamp()
    FROM corrected JOIN locked ON locked.id = corrected.delivery_id
    WHERE d.id = corrected.delivery_id AND locked.is_at_rest
    RETURNING d.id, d.webhook_id, corrected.number AS attempt_count, d.status, false AS has_due, NULL::int AS due_in_ms`,
);

/** Records attempts as interrupted if their process died or lost PostgreSQL before it recorded them. Skips locked webhooks. */
const RECORD_INTERRUPTED: Statement = {
  name: 'webhook_deliveries.record_interrupted',
  text: recorded(`
   SELECT id AS delivery_id, webhook_id, attempt_count AS number, attempt_started_at AS started_at,
          NULL::int AS response_status, 'interrupted' AS error,
          NULL::text AS response_body, NULL::int AS retry_after,
          -- Less than zero if the clock was set back during the attempt.
          greatest(0, extract(epoch FROM leased_until - attempt_started_at) * 1000)::int AS duration_ms
   FROM webhook_deliveries WHERE leased_until <= statement_timestamp()
   ORDER BY webhook_id, leased_until LIMIT 500 FOR NO KEY UPDATE SKIP LOCKED`),
};

export type { ClaimedDelivery } from './dispatch.sql.js';

type Attempts = Parameters<typeof RECORD_ATTEMPTS.with>[0]['attempts'];

/** Deliveries as work: claims, due times, and records of attempts. */
@Injectable()
export class DispatchRepository {
  constructor(private readonly database: Database) {}

  /**
   * Claims due deliveries and begins an attempt for each.
   * @param slotsPerWebhook the slots of each webhook, over all workers.
   */
  claim(
    { partitions, total, name }: ClaimRequest,
    slotsPerWebhook: number,
    leaseMs: number,
  ): Promise<ClaimedDelivery[]> {
    const webhooks = partitions.map(({ id, slots }) => ({ webhook_id: id, slots }));
    return this.database.batch<ClaimedDelivery>(
      sql.LOCK_CLAIMS.with({ webhooks: partitions.map(({ id }) => id) }),
      sql.CLAIM_DELIVERIES.with({ webhooks, total, slotsPerWebhook, leaseMs, name }),
    );
  }

  /**
   * Records attempts. Leaves out the attempts of webhooks that other transactions have locked, unless it may wait `patiently`.
   * @returns the deliveries whose attempts were not recorded before.
   */
  async record(attempts: Attempts, wait: LockWait): Promise<Recorded> {
    const record = (wait === 'patiently' ? RECORD_ATTEMPTS_PATIENTLY : RECORD_ATTEMPTS).with({ attempts });
    // Only a retry can have been delivered before, so first attempts cost no transaction.
    if (wait !== 'never' && attempts.every(({ number }) => number === 1))
      return toRecorded(await this.database.query<RecordRow>(...record));
    return this.database.transaction((tx) => {
      // Another transaction may have locked a delivery.
      if (wait === 'never') tx.write(LIMIT_LOCK_WAIT, [LOCK_WAIT_MS.never]);
      return this.recordIn(tx, record);
    });
  }

  /** Corrects successful attempts that were recorded as interrupted. @returns the deliveries that now count as succeeded. */
  recordLate(attempts: Attempts): Promise<RecordedAttempt[]> {
    return this.database.query<RecordedAttempt>(...RECORD_LATE.with({ attempts }));
  }

  /** Records attempts with expired leases as interrupted. */
  async recordInterrupted(): Promise<RecordedAttempt[]> {
    return (await this.database.transaction((tx) => this.recordIn(tx, [RECORD_INTERRUPTED, []]))).recorded;
  }

  listDuePartitions(): Promise<{ id: number }[]> {
    return this.database.query<{ id: number }>(sql.LIST_OVERDUE);
  }

  /** Undoes a claim under which nothing was sent: the attempt does not count. */
  undoClaim(delivery: ClaimedDelivery, dueInSeconds = 0): Promise<unknown> {
    const { id, attempt_count: attempt, attempt_started_at: startedAt } = delivery;
    return this.database.query(...sql.UNDO_CLAIM.with({ id, attempt, startedAt, dueInSeconds }));
  }

  undoClaims(names: string[]): Promise<unknown> {
    return this.database.query(...sql.UNDO_CLAIMS.with({ names }));
  }

  takeOverClaims(processes: string[]): Promise<unknown> {
    return this.database.query(...sql.TAKE_OVER_DELIVERIES.with({ processes }));
  }

  pullBack(limit: number): Promise<unknown[]> {
    return this.database.query(...sql.PULL_BACK_DELIVERIES.with({ limit }));
  }

  private async recordIn(tx: Transaction, record: [statement: Statement, values: unknown[]]): Promise<Recorded> {
    const { free, recorded } = toRecorded(await tx.query<RecordRow>(...record));
    const failed = recorded.filter(({ attempt_count: number, status }) => number > 1 && status !== 'succeeded');
    if (failed.length === 0) return { free, recorded };
    const ended = await tx.query<{ id: bigint }>(...END_DELIVERED.with({ failed }));
    const delivered = new Set(ended.map(({ id }) => id));
    const corrected = recorded.map((each): RecordedAttempt =>
      delivered.has(each.id) ? { ...each, status: 'succeeded', due_in_ms: null } : each,
    );
    return { free, recorded: corrected };
  }
}

function toRecorded(rows: RecordRow[]): Recorded {
  const free = new Set(rows.map(({ webhook_id }) => webhook_id));
  return { free, recorded: rows.filter((row): row is RecordedAttempt => row.id !== null) };
}
