import { Injectable } from '@nestjs/common';
import { Database, type Transaction, type Statement } from '../database/database.js';
import type { ClaimRequest, WorkTable } from '../queues/leased-work.js';
import { LEASE_MARGIN_MS } from '../suppliers/supplier-timing.js';
import { SupplierRegistry } from '../suppliers/supplier-registry.js';
import { isOf, isSold, UNIT } from '../orders/unit-conditions.sql.js';
import { ATTEMPT, isAttempt } from './attempts.sql.js';
import { CLAIM_UNITS, type ClaimedUnit, type ReviewedUnit } from './claim.sql.js';
import { claimedBy } from '../queues/claims.js';
import { rowsOf, statement } from '../database/parameters.js';
import { hasDueUnits, waitingMerchant } from '../orders/waiting-units.sql.js';
import { IS_CALLED_IN_PAUSE } from './shares.sql.js';
import type { SharePlace } from './supplier-shares.js';

export interface PostponedUnit {
  supplier_id: number;
  state: 'queued' | 'unknown' | 'review';
  /** Milliseconds until the unit is due again; null in review. */
  due_in_ms: number | null;
  /** Why the unit goes to review; null if it does not, or if the call's outcome in the order history is the reason. */
  review_reason: 'moved' | 'sold' | null;
  order_id: bigint;
  item: number;
  unit: number;
}

const GOES_TO_REVIEW = `d.decision IN ('review', 'sold', 'moved')`;

/**
 * Records outcomes that settle nothing, for claims that still hold (contract, section 8, rule 3).
 * - `requeue`: the send was not accepted, and the unit is not in doubt.
 * - `sold`: the same, but meanwhile a supplier has reported that an earlier attempt bought the unit. The unit goes to
 *   review at once. If this send paused the supplier, no worker would claim the unit again, and the unit would go to review
 *   only after a long wait.
 * - `review`: no inquiry is possible, or the unit has been in doubt for too long.
 * - `moved`: the supplier never saw the attempt, but the inquiry went to another address or account than the send. So
 *   the unit must not be sent again, even if the supplier moves back: it goes to review, too.
 * - `resend`, under the same reference: the supplier never saw the attempt, and the quiet period between the last send
 *   and the inquiry was long enough. The period ends when the inquiry began, so it does not include a slow answer or
 *   write. A clock that was set forward cannot end it. If the attempt has a proven reference of the supplier, the
 *   supplier has the purchase, and a repeated send would buy another one. So the unit is not sent again, unless the
 *   supplier deduplicates. A callback may have reported this reference while the inquiry was in flight.
 * - `inquire`: all other units.
 *
 * A unit that comes into doubt has been in doubt since its last send, because its supplier certainly accepted none of
 * the earlier sends.
 */
export const POSTPONE_UNITS = statement(
  'units.postpone',
  {
    calls: rowsOf({
      order_id: 'bigint',
      item: 'smallint',
      unit: 'smallint',
      claim: 'int',
      outcome: 'text',
      delay_ms: 'int',
      may_resend: 'boolean',
      has_moved: 'boolean',
      deduplicates: 'boolean',
      can_inquire: 'boolean',
      quiet_ms: 'bigint',
      began_ago_ms: 'bigint',
      clock_limit: 'timestamptz',
    }),
    reviewAfterMs: 'bigint',
  },
  ({ calls, reviewAfterMs }) => `
    WITH decided AS (
      SELECT u.order_id, u.item, u.unit, c.delay_ms,
        CASE WHEN c.outcome = 'not_accepted' AND u.unknown_since IS NULL
                  THEN CASE WHEN u.attempt > 1 AND ${isSold('u')} THEN 'sold' ELSE 'requeue' END
             WHEN NOT c.can_inquire THEN 'review'
             WHEN u.unknown_since <= statement_timestamp() - make_interval(secs => ${reviewAfterMs} / 1000.0) THEN 'review'
             WHEN c.outcome = 'never_seen' AND c.may_resend
                  AND u.last_sent_at <= statement_timestamp() - make_interval(secs => c.began_ago_ms / 1000.0)
                                        - make_interval(secs => c.quiet_ms / 1000.0)
                  AND statement_timestamp() <= c.clock_limit
                  AND (c.deduplicates OR (
                    SELECT CASE WHEN NOT a.is_hearsay THEN a.supplier_reference END FROM unit_attempts a
                    WHERE ${isOf('u', 'a')} AND a.number = u.attempt) IS NULL)
                  THEN CASE WHEN c.has_moved THEN 'moved' ELSE 'resend' END
             ELSE 'inquire' END AS decision
      FROM ${calls.as('c')}
      JOIN order_units u ON ${isOf('c', 'u')} AND u.claim = c.claim
      WHERE u.state IN ('sending', 'unknown')
      ORDER BY u.order_id, u.item, u.unit FOR NO KEY UPDATE OF u)
    UPDATE order_units u SET
      claimed_by = NULL,
      state = CASE WHEN ${GOES_TO_REVIEW} THEN 'review' WHEN d.decision = 'requeue' THEN 'queued' ELSE 'unknown' END,
      next_action = CASE WHEN d.decision IN ('requeue', 'resend') THEN 'send' ELSE 'inquire' END,
      next_action_at = CASE WHEN ${GOES_TO_REVIEW} THEN NULL WHEN d.decision = 'resend' THEN statement_timestamp()
                       ELSE statement_timestamp() + make_interval(secs => d.delay_ms / 1000.0) END,
      unknown_since = CASE d.decision WHEN 'requeue' THEN NULL
                                      ELSE coalesce(u.unknown_since, u.last_sent_at, statement_timestamp()) END,
      updated_at = statement_timestamp()
    FROM decided d
    WHERE ${isOf('d', 'u')}
    RETURNING u.supplier_id, u.state, u.order_id, u.item, u.unit,
      CASE WHEN ${GOES_TO_REVIEW} THEN NULL WHEN d.decision = 'resend' THEN 0 ELSE d.delay_ms END AS due_in_ms,
      CASE WHEN d.decision IN ('sold', 'moved') THEN d.decision END AS review_reason`,
);

/** In SQL: a condition that every claimed unit meets. With it, PostgreSQL does not read the many units that wait. */
const isClaimed = (unit: string): string =>
  `${unit}.supplier_id = ANY(ARRAY(SELECT id FROM suppliers)) AND ${waitingMerchant(unit)} IS NULL`;

/**
 * If dead processes had claimed units, makes these units due at once, for an inquiry. At suppliers with a minimum gap
 * between calls, units wait for the end of their leases, which include the gap.
 */
export const TAKE_OVER_UNITS = statement(
  'units.take_over',
  { processes: 'text[]', withGaps: 'text[]' },
  ({ processes, withGaps }) => `
    UPDATE order_units SET next_action_at = statement_timestamp(), updated_at = statement_timestamp()
    WHERE ${isClaimed('order_units')} AND ${claimedBy(processes)} AND next_action_at > statement_timestamp()
      AND supplier_id NOT IN (SELECT id FROM suppliers WHERE adapter = ANY(${withGaps}))`,
);

/**
 * Undoes claims under which nothing was sent: their units are due again at once, for the same action. A claim for a send and a
 * claim for an inquiry that may buy have the same state. The number of inquiries distinguishes them: it is 0 only for a send.
 * A unit whose only send was claimed can be in doubt only by a proven callback. Then the next action is an inquiry.
 */
const undone = (which: string): string => `
  UPDATE order_units SET
    state = CASE WHEN state = 'sending' AND unknown_since IS NULL THEN 'queued' ELSE 'unknown' END,
    next_action = CASE WHEN state = 'sending' AND inquiries = 0 AND (unknown_since IS NULL OR sends > 1) THEN 'send'
                       ELSE 'inquire' END,
    next_action_at = statement_timestamp(),
    claimed_by = NULL,
    sends = sends - CASE state WHEN 'sending' THEN 1 ELSE 0 END,
    inquiries = greatest(inquiries - 1, 0),
    first_sent_at = CASE WHEN state <> 'sending' OR sends > 1 THEN first_sent_at END,
    last_sent_at = CASE WHEN state <> 'sending' OR sends > 1 THEN last_sent_at END,
    updated_at = statement_timestamp()
  WHERE ${which} AND state IN ('sending', 'unknown')
  RETURNING supplier_id`;

/** Parameters: the names of lost claims, and the time since the first of these claims began. */
const LOST = { names: 'text[]', agoMs: 'bigint' } as const;

/** Leaves out units that were due before the first lost claim, because these may be many. A minute allows for differing clocks. */
const dueSince = (agoMs: string): string =>
  `next_action_at > statement_timestamp() - interval '1 minute' - make_interval(secs => ${agoMs} / 1000.0)`;

export const UNDO_CLAIMS = statement('units.undo_claims', LOST, ({ names, agoMs }) =>
  undone(`${isClaimed('order_units')} AND claimed_by = ANY(${names}) AND ${dueSince(agoMs)}`),
);

/**
 * Undoes a lost claim after a later claim has inquired about its unit. The lost claim was for the unit's only send, and under it
 * nothing was sent, so the unit is queued again. If the supplier has reported anything about the attempt, inquiries go on instead.
 */
export const UNDO_INTERRUPTED = statement(
  'units.undo_interrupted',
  LOST,
  ({ names, agoMs }) => `
    UPDATE order_units u SET
      state = 'queued', next_action = 'send', next_action_at = statement_timestamp(), sends = 0,
      first_sent_at = NULL, last_sent_at = NULL, unknown_since = NULL, interrupted_claim = NULL,
      updated_at = statement_timestamp()
    WHERE interrupted_claim = ANY(${names}) AND ${dueSince(agoMs)}
      AND state = 'unknown' AND claimed_by IS NULL AND sends = 1
      AND NOT EXISTS (
        SELECT FROM supplier_calls c WHERE ${isOf('u', 'c')}
          AND (c.kind, c.outcome) NOT IN (('send', 'interrupted'), ('inquiry', 'never_seen'), ('inquiry', 'unknown'),
                                          ('inquiry', 'not_accepted')))
      AND NOT EXISTS (
        SELECT FROM unit_attempts a WHERE ${isOf('u', 'a')}
          AND (a.supplier_reference IS NOT NULL OR a.cost_micros IS NOT NULL OR a.unconfirmed IS NOT NULL))
    RETURNING supplier_id`,
);

/** A unit under one of its claims. */
const CLAIM = { ...UNIT, claim: 'int' } as const;

const isClaim = ({ order_id, item, unit, claim }: Record<keyof typeof CLAIM, string>): string =>
  `order_id = ${order_id} AND item = ${item} AND unit = ${unit} AND claim = ${claim}`;

export const UNDO_CLAIM = statement('units.undo_claim', CLAIM, (claim) =>
  undone(`${isClaim(claim)} AND claimed_by IS NOT NULL`),
);

export const RENEW_CLAIM = statement(
  'units.renew_claim',
  { ...CLAIM, forMs: 'int' },
  ({ forMs, ...claim }) => `
    UPDATE order_units SET
      next_action_at = greatest(next_action_at, statement_timestamp() + make_interval(secs => ${forMs} / 1000.0)),
      updated_at = statement_timestamp()
    WHERE ${isClaim(claim)} AND next_action_at IS NOT NULL`,
);

export const REVIEW_UNIT = statement(
  'units.review',
  CLAIM,
  (claim) => `
    UPDATE order_units SET state = 'review', next_action_at = NULL, claimed_by = NULL,
           updated_at = statement_timestamp()
    WHERE ${isClaim(claim)} AND state IN ('sending', 'unknown')`,
);

/**
 * Sends a unit to review that waits to be sent although a supplier has reported that an earlier attempt bought it. The report may
 * have come during a claim that was then undone.
 */
export const REVIEW_SOLD_UNIT = statement(
  'units.review_sold',
  ATTEMPT,
  (key) => `
    UPDATE order_units u SET state = 'review', next_action = 'inquire', next_action_at = NULL,
           unknown_since = statement_timestamp(), updated_at = statement_timestamp()
    FROM orders o, unit_attempts a, suppliers s
    WHERE ${isAttempt(key, 'u')}
      AND u.state = 'queued' AND u.claimed_by IS NULL AND ${isSold('u')} AND o.id = u.order_id AND s.id = u.supplier_id
      AND ${isOf('u', 'a')} AND a.number = u.attempt
    RETURNING u.order_id, u.item, u.unit, u.attempt, u.supplier_id, s.code AS supplier, o.order_number, o.request_id, a.reference,
      'sold' AS review_reason`,
);

/**
 * Sends units to review that have been in doubt for too long at paused suppliers, if the pause stops their next call.
 * Units that still get calls go to review by {@link POSTPONE_UNITS}. A unit that is still in `sending` after its lease
 * has no recorded outcome. If it was not in doubt before, its doubt counts from its last send. Each of the two states
 * has its range of an index. OFFSET 0 keeps PostgreSQL to it, whatever the planner expects: queued units, of which many
 * may wait, are not read.
 */
export const REVIEW_PAUSED_UNITS = statement(
  'units.review_paused',
  {
    reviewAfterMs: 'bigint',
    limit: 'int',
    adapters: rowsOf({ adapter: 'text', inquiry_may_buy: 'boolean', inquires_by_supplier_reference: 'boolean' }),
  },
  ({ reviewAfterMs, limit, adapters }) => {
    const isClaimedSend = `u.state = 'sending' AND u.supplier_id = s.id AND ${waitingMerchant('u')} IS NULL
            AND u.next_action_at IS NOT NULL`;
    const inDoubt = (which: string, since: string): string => `(
        SELECT u.order_id, u.item, u.unit, u.claim, u.state, s.code AS supplier
        FROM (SELECT id, code, adapter, pause_reason FROM suppliers WHERE pause_reason IS NOT NULL OFFSET 0) s
        LEFT JOIN ${adapters.as('known')} ON known.adapter = s.adapter
        CROSS JOIN LATERAL (
          SELECT * FROM order_units u
          WHERE ${which} AND ${since} <= statement_timestamp() - make_interval(secs => ${reviewAfterMs} / 1000.0) OFFSET 0) u
        WHERE u.supplier_id = s.id AND u.next_action_at <= statement_timestamp() AND NOT (${IS_CALLED_IN_PAUSE})
        LIMIT ${limit})`;
    return `
    WITH old AS (
      SELECT * FROM ${inDoubt(`u.state = 'unknown'`, 'u.unknown_since')} asked
      UNION ALL
      SELECT * FROM ${inDoubt(isClaimedSend, 'coalesce(u.unknown_since, u.last_sent_at)')} sent),
    locked AS (
      SELECT old.* FROM old CROSS JOIN LATERAL (
        SELECT FROM order_units u WHERE ${isOf('old', 'u')} AND u.claim = old.claim AND u.state = old.state
          AND u.next_action_at <= statement_timestamp()
        LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED) u)
    UPDATE order_units u SET state = 'review', next_action = 'inquire', next_action_at = NULL, claimed_by = NULL,
           updated_at = statement_timestamp()
    FROM locked
    JOIN orders o ON o.id = locked.order_id
    JOIN unit_attempts a ON ${isOf('locked', 'a')}
    WHERE ${isOf('locked', 'u')} AND a.number = u.attempt
    RETURNING u.order_id, u.item, u.unit, u.attempt, u.supplier_id, locked.supplier, o.order_number, o.request_id, a.reference,
      'paused' AS review_reason`;
  },
);

/** In SQL: now instead of a moment in the future. Null stays null. */
const notAhead = (moment: string): string =>
  `CASE WHEN ${moment} > statement_timestamp() THEN statement_timestamp() ELSE ${moment} END`;

/**
 * Reschedules units after the database's clock was set back. Each unit keeps the delay that it got when it was written, so that
 * none waits longer than planned.
 */
export const PULL_BACK_UNITS = statement(
  'units.pull_back',
  { limit: 'int' },
  ({ limit }) => `
    WITH ahead AS (
      SELECT order_id, item, unit FROM order_units
      WHERE next_action_at IS NOT NULL
        AND greatest(updated_at, unknown_since, last_sent_at) > statement_timestamp() + interval '1 millisecond'
      LIMIT ${limit} FOR NO KEY UPDATE SKIP LOCKED)
    UPDATE order_units u SET
      next_action_at = least(u.next_action_at, statement_timestamp() + greatest(u.next_action_at - u.updated_at, '0')),
      unknown_since = ${notAhead('u.unknown_since')},
      -- Before a later send, even if an earlier set-back put it after: the two moments are equal only for a single send.
      first_sent_at = CASE WHEN u.first_sent_at <> u.last_sent_at
                           THEN least(u.first_sent_at, u.last_sent_at, statement_timestamp()) - interval '1 millisecond'
                           ELSE ${notAhead('u.first_sent_at')} END,
      last_sent_at = ${notAhead('u.last_sent_at')},
      updated_at = statement_timestamp()
    FROM ahead WHERE ${isOf('ahead', 'u')}
    RETURNING u.supplier_id`,
);

/** Suppliers with due units. */
export const LIST_OVERDUE: Statement = {
  name: 'units.list_overdue',
  text: `SELECT id FROM suppliers s WHERE ${hasDueUnits('s.id')}`,
};

export type { ClaimedUnit, ReviewedUnit } from './claim.sql.js';

type Claim = Pick<ClaimedUnit, 'order_id' | 'item' | 'unit' | 'claim'>;
type UndecidedCalls = Parameters<typeof POSTPONE_UNITS.with>[0]['calls'];

/** Units as work: claims, leases and due times. The room `orders` settles the units. */
@Injectable()
export class UnitsRepository implements WorkTable<ClaimedUnit> {
  constructor(
    private readonly database: Database,
    private readonly registry: SupplierRegistry,
  ) {}

  /**
   * @param clockLimit from {@link WorkerHeartbeatService.clockLimit}.
   * @param placeAt where to begin to share the slots of a supplier.
   */
  claim(
    { partitions, total, name }: ClaimRequest,
    clockLimit: Date,
    placeAt: (supplierId: number) => SharePlace,
  ): Promise<ClaimedUnit[]> {
    const suppliers = partitions.map(({ id, slots }) => ({ supplier_id: id, free_slots: slots, ...placeAt(id) }));
    const { adapters } = this.registry;
    const values = { suppliers, adapters, total, name, leaseMarginMs: LEASE_MARGIN_MS, clockLimit };
    return this.database.query<ClaimedUnit>(...CLAIM_UNITS.with(values));
  }

  /** @returns the units whose claims still held. */
  postpone(tx: Transaction, calls: UndecidedCalls, reviewAfterMs: bigint): Promise<PostponedUnit[]> {
    return tx.query<PostponedUnit>(...POSTPONE_UNITS.with({ calls, reviewAfterMs }));
  }

  /** Extends a claim whose answer is known but not recorded yet. */
  async renew(claim: Claim, forMs: number): Promise<void> {
    await this.database.query(...RENEW_CLAIM.with({ ...claim, forMs }));
  }

  /** Sends a unit to review, if the claim still holds, because the supplier's answer cannot be recorded. */
  review(tx: Transaction, claim: Claim): void {
    tx.write(...REVIEW_UNIT.with(claim));
  }

  /** @returns the units that went to review. */
  reviewPaused(reviewAfterMs: bigint, limit: number): Promise<ReviewedUnit[]> {
    const { adapters } = this.registry;
    return this.database.query<ReviewedUnit>(...REVIEW_PAUSED_UNITS.with({ reviewAfterMs, limit, adapters }));
  }

  /** @returns the unit if it went to review; otherwise none. */
  reviewSold({
    order_id,
    item,
    unit,
    attempt,
  }: Pick<ReviewedUnit, 'order_id' | 'item' | 'unit' | 'attempt'>): Promise<ReviewedUnit[]> {
    return this.database.query<ReviewedUnit>(...REVIEW_SOLD_UNIT.with({ order_id, item, unit, attempt }));
  }

  listDuePartitions(): Promise<{ id: number }[]> {
    return this.database.query<{ id: number }>(LIST_OVERDUE);
  }

  undoClaim(claim: Claim): Promise<unknown> {
    return this.database.query(...UNDO_CLAIM.with(claim));
  }

  async undoClaims(names: string[], agoMs: number): Promise<void> {
    const lost = { names, agoMs: BigInt(Math.ceil(agoMs)) };
    await this.database.query(...UNDO_CLAIMS.with(lost));
    await this.database.query(...UNDO_INTERRUPTED.with(lost));
  }

  takeOverClaims(processes: string[]): Promise<unknown> {
    return this.database.query(...TAKE_OVER_UNITS.with({ processes, withGaps: this.withGaps() }));
  }

  pullBack(limit: number): Promise<unknown[]> {
    return this.database.query(...PULL_BACK_UNITS.with({ limit }));
  }

  private withGaps(): string[] {
    return this.registry.adapters.filter(({ min_gap_ms }) => min_gap_ms > 0).map(({ adapter }) => adapter);
  }
}
