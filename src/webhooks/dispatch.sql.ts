import { claimedBy } from '../queues/claims.js';
import type { Statement } from '../database/database.js';
import { rowsOf, statement } from '../database/parameters.js';

// Records of attempts and requested retries depend on their webhook's settings. They lock the webhook's row FOR SHARE,
// so that they never overlap a change of the settings. Claims do not, because the record of the attempt reads the
// settings again.
// Claims acquire an advisory lock, so that no two workers count a webhook's attempts in flight at the same time.

/** The first half of the advisory locks' keys: arbitrary, but unique among ours. */
const CLAIM_LOCKS = 7_038_167;
const STRIPES = 256;

/**
 * Makes other workers' claims for these webhooks wait until this transaction ends. Some webhooks share a lock, so locks are
 * few.
 */
export const LOCK_CLAIMS = statement(
  'webhook_deliveries.lock_claims',
  { webhooks: 'int[]' },
  ({ webhooks }) => `
    SELECT pg_advisory_xact_lock(${CLAIM_LOCKS}, stripe)
    FROM (SELECT DISTINCT id % ${STRIPES} AS stripe FROM unnest(${webhooks}) AS id ORDER BY stripe) stripes`,
);

/** A claimed delivery. With `send` its attempt begins; with `fail` and `cancel` it has ended without another attempt. */
export interface ClaimedDelivery {
  id: bigint;
  webhook_id: number;
  decision: 'send' | 'fail' | 'cancel';
  /** The number of the attempt, from 1. With `fail` and `cancel`, the number of attempts until now. */
  attempt_count: number;
  /** Null with `fail` and `cancel`, in spite of the type: no attempt begins. */
  attempt_started_at: Date;
  url: string;
  secret_sealed: Buffer;
  /** Null if the webhook has no previous secret, or it has expired. */
  previous_secret_sealed: Buffer | null;
  event_id: string;
  body: string;
  /** Whether the webhook receives the codes and serial numbers of the order's units. */
  include_deliveries: boolean;
  order_id: bigint | null;
  /** Null if the event has no order. */
  order_number: string | null;
  request_id: string | null;
}

/**
 * Selects due deliveries. First attempts and retries are selected separately, so that PostgreSQL reads only due rows of the
 * index.
 */
const due = (webhook: string, isRetry: boolean, columns = 'id'): string => `
  SELECT ${columns} FROM webhook_deliveries
  WHERE webhook_id = ${webhook} AND is_retry = ${isRetry} AND due_at <= statement_timestamp()`;

/** Whether there is a due delivery. ORDER BY makes PostgreSQL use `ix_webhook_deliveries_due`; with EXISTS it would not. */
const firstOf = (webhook: string, isRetry: boolean): string => `(${due(webhook, isRetry)} ORDER BY due_at LIMIT 1)`;

export const hasDue = (webhook: string): string =>
  `coalesce(${firstOf(webhook, false)}, ${firstOf(webhook, true)}) IS NOT NULL`;

const firstDue = (isRetry: boolean): string => `
  SELECT * FROM (
    ${due('free.webhook_id', isRetry, 'id, webhook_id, event_id, is_retry, automatic, attempt_count')}
    ORDER BY due_at LIMIT free.slots FOR NO KEY UPDATE SKIP LOCKED) AS locked`;

/**
 * Claims due deliveries, first attempts before retries, and begins an attempt for each under a lease. It reads the webhook's
 * current settings, and ends deliveries that the settings no longer allow. A webhook's slots are counted over all workers. An
 * attempt with an expired lease holds no slot.
 */
export const CLAIM_DELIVERIES = statement(
  'webhook_deliveries.claim',
  {
    webhooks: rowsOf({ webhook_id: 'int', slots: 'int' }),
    total: 'int',
    slotsPerWebhook: 'int',
    leaseMs: 'int',
    name: 'text',
  },
  ({ webhooks, total, slotsPerWebhook, leaseMs, name }) => `
    WITH free AS MATERIALIZED (
      SELECT requested.webhook_id, greatest(0, least(requested.slots, ${slotsPerWebhook} - (
               SELECT count(*) FROM (
                 -- ORDER BY makes PostgreSQL read the index itself: a bitmap would include many entries of dead rows.
                 SELECT 1 FROM webhook_deliveries f
                 WHERE f.webhook_id = requested.webhook_id AND f.leased_until > statement_timestamp()
                 ORDER BY f.leased_until LIMIT ${slotsPerWebhook}) AS in_flight))) AS slots
      FROM ${webhooks.as('requested')}),
    picked AS (
      SELECT found.* FROM free CROSS JOIN LATERAL (
        -- Retries only if first attempts leave slots.
        ${firstDue(false)} UNION ALL ${firstDue(true)} LIMIT free.slots) found
      LIMIT ${total}),
    decided AS (
      SELECT d.id, w.url, w.secret_sealed, e.public_id, e.body, w.include_deliveries, e.order_id, o.order_number, o.request_id,
        CASE WHEN w.previous_secret_expires_at > statement_timestamp() THEN w.previous_secret_sealed END
          AS previous_secret_sealed,
        CASE WHEN w.deleted_at IS NOT NULL OR (w.status = 'inactive' AND e.kind <> 'webhook.test') THEN 'cancel'
             WHEN d.automatic AND d.attempt_count > w.max_retries THEN 'fail'
             ELSE 'send' END AS decision
      FROM picked d
      JOIN webhooks w ON w.id = d.webhook_id
      JOIN events e ON e.id = d.event_id
      LEFT JOIN orders o ON o.id = e.order_id)
    UPDATE webhook_deliveries d SET
      status = CASE c.decision WHEN 'send' THEN 'pending' WHEN 'fail' THEN 'failed' ELSE 'cancelled' END,
      attempt_count = d.attempt_count + CASE c.decision WHEN 'send' THEN 1 ELSE 0 END,
      due_at = NULL,
      leased_until = CASE c.decision WHEN 'send' THEN statement_timestamp() + make_interval(secs => ${leaseMs} / 1000.0) END,
      attempt_started_at = CASE c.decision WHEN 'send' THEN statement_timestamp() END,
      claimed_by = ${name},
      updated_at = statement_timestamp()
    FROM decided c WHERE d.id = c.id
    RETURNING d.id, d.webhook_id, c.decision, d.attempt_count, d.attempt_started_at, c.url, c.secret_sealed,
              c.previous_secret_sealed, c.public_id AS event_id, c.body,
              c.include_deliveries, c.order_id, c.order_number, c.request_id`,
);

/** Undoes claims under which nothing was sent: their deliveries are due again, and the attempts do not count. */
const undone = (dueAt: string, which: string): string => `
  UPDATE webhook_deliveries SET
    attempt_count = attempt_count - 1, due_at = ${dueAt},
    leased_until = NULL, attempt_started_at = NULL, updated_at = statement_timestamp()
  WHERE ${which} AND leased_until IS NOT NULL
  RETURNING webhook_id`;

/** Undoes one claim. The next attempt has the same number and a new start. */
export const UNDO_CLAIM = statement(
  'webhook_deliveries.undo_claim',
  { id: 'bigint', attempt: 'int', startedAt: 'timestamptz', dueInSeconds: 'int' },
  ({ id, attempt, startedAt, dueInSeconds }) =>
    undone(
      `statement_timestamp() + make_interval(secs => ${dueInSeconds})`,
      `id = ${id} AND attempt_count = ${attempt} AND attempt_started_at = ${startedAt}`,
    ),
);

/** Undoes lost claims, under which nothing was sent. Their deliveries are due at once. */
export const UNDO_CLAIMS = statement('webhook_deliveries.undo_claims', { names: 'text[]' }, ({ names }) =>
  undone('statement_timestamp()', `claimed_by = ANY(${names})`),
);

/** Ends the leases of dead processes, so that workers record their attempts as interrupted. */
export const TAKE_OVER_DELIVERIES = statement(
  'webhook_deliveries.take_over',
  { processes: 'text[]' },
  ({ processes }) => `
    UPDATE webhook_deliveries SET leased_until = statement_timestamp()
    WHERE ${claimedBy(processes)} AND leased_until > statement_timestamp()`,
);

/** In SQL: moves a moment so that it is as far from now as it was from the row's last write. Null stays null. */
const pulledBack = (moment: string): string =>
  `CASE WHEN ${moment} IS NOT NULL
        THEN least(${moment}, statement_timestamp() + greatest(${moment} - d.updated_at, '0')) END`;

/** Reschedules deliveries after the database's clock was set back: delays and leases keep their length. */
export const PULL_BACK_DELIVERIES = statement(
  'webhook_deliveries.pull_back',
  { limit: 'int' },
  ({ limit }) => `
    WITH ahead AS (
      SELECT id FROM webhook_deliveries
      WHERE (due_at IS NOT NULL OR leased_until IS NOT NULL)
        AND updated_at > statement_timestamp() + interval '1 millisecond'
      LIMIT ${limit} FOR NO KEY UPDATE SKIP LOCKED)
    UPDATE webhook_deliveries d SET
      due_at = ${pulledBack('d.due_at')},
      leased_until = ${pulledBack('d.leased_until')},
      retry_after_at = ${pulledBack('d.retry_after_at')},
      attempt_ended_at = CASE WHEN d.attempt_ended_at > statement_timestamp() THEN statement_timestamp()
                              ELSE d.attempt_ended_at END,
      updated_at = statement_timestamp()
    FROM ahead WHERE d.id = ahead.id
    RETURNING d.webhook_id`,
);

/**
 * For a WITH: `waiting(webhook_id)` has the webhooks with waiting deliveries, and one null. It steps through the index from one
 * webhook to the next: one probe for each webhook, even if many deliveries wait.
 */
export const WAITING_WEBHOOKS = `
    RECURSIVE waiting AS (
      (SELECT webhook_id FROM webhook_deliveries WHERE due_at IS NOT NULL ORDER BY webhook_id LIMIT 1)
      UNION ALL
      SELECT (SELECT d.webhook_id FROM webhook_deliveries d
              WHERE d.due_at IS NOT NULL AND d.webhook_id > waiting.webhook_id ORDER BY d.webhook_id LIMIT 1)
      FROM waiting WHERE waiting.webhook_id IS NOT NULL)`;

/** Webhooks with due deliveries. */
export const LIST_OVERDUE: Statement = {
  name: 'webhook_deliveries.list_overdue',
  text: `
    WITH ${WAITING_WEBHOOKS}
    SELECT webhook_id AS id FROM waiting
    WHERE ${hasDue('waiting.webhook_id')}`,
};
