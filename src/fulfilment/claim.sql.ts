import type { ProductKind } from '../core/product-kind.js';
import { SANDBOX_SUPPLIER_ID } from '../core/sandbox.js';
import { rowsOf, statement } from '../database/parameters.js';
import { isOf, isSentOnce, isSold } from '../orders/unit-conditions.sql.js';
import { sandboxUnitIn } from '../orders/sandbox-unit.sql.js';
import { attemptReference, TERMS } from './attempts.sql.js';
import { dueUnits } from './shares.sql.js';

/** A claimed unit: this process may make one call for it, until the lease of the claim ends. */
export interface ClaimedUnit {
  order_id: bigint;
  item: number;
  unit: number;
  supplier_id: number;
  /** The supplier's code. */
  supplier: string;
  claim: number;
  /** Whether the adapter's references are random. */
  has_random_references: boolean;
  /** The supplier's own limit of calls in flight, over all workers; null for the usual limit. */
  max_in_flight: number | null;
  /** `review` if only an operator may decide. */
  action: 'send' | 'inquire' | 'review';
  /**
   * Why it goes to review. `moved`: the supplier's address, or our account there, has changed since the last send. `too_old`: the
   * supplier answers no inquiries about attempts of this age. `paused`: the supplier is paused, and the unit was in doubt for too
   * long. `sold`: a supplier has reported that an earlier attempt bought the unit.
   */
  review_reason: 'moved' | 'too_old' | 'paused' | 'sold' | null;
  /** Whether this attempt may have reached the supplier before. */
  is_repeat: boolean;
  /** Whether the supplier's address, or our account there, is not that of the last send. */
  has_moved: boolean;
  /** Whether the outcome of an earlier claim's send was never recorded, for example because its process died. */
  interrupted: boolean;
  sends: number;
  /** The number of this attempt's sends, without those of earlier attempts. Approximate for the second and later attempts. */
  attempt_sends: number;
  /** Whether this attempt was sent once. `sends` counts the sends of all attempts. */
  is_sent_once: boolean;
  /** Milliseconds since the attempt's last send; null if the database's clock may have been set forward. */
  sent_ago_ms: number | null;
  inquiries: number;
  order_number: string;
  merchant_id: number;
  /** Whether the unit is a top-up or a code. */
  kind: ProductKind;
  user_id: string;
  server_id: string | null;
  character_id: string | null;
  end_user_ip: string | null;
  request_id: string | null;
  /** The number of the attempt. The next six members are its terms and our reference. */
  attempt: number;
  supplier_sku: string;
  player_template: string | null;
  expected_cost_micros: bigint | null;
  max_cost_micros: bigint | null;
  cost_currency: string | null;
  reference: string;
  /** The supplier's reference of the purchase. */
  supplier_reference: string | null;
  /** The failure code of a refusal that the supplier must repeat before it counts; null if there is none. */
  unconfirmed: string | null;
  /** Milliseconds since the attempt's first send. */
  age_ms: number;
  /** The unit's number in its order, over all items; null outside the sandbox. */
  sandbox_unit: number | null;
  adapter: string;
  base_url: string;
  token_sealed: Buffer | null;
  credentials_sealed: Buffer | null;
  callback_token_sealed: Buffer | null;
  options: Record<string, string>;
  timeout_ms: number;
  /** When the settings with which the call is made were last changed. */
  supplier_updated_at: Date;
  /** When a pause of the supplier last ended. */
  supplier_resumed_at: Date | null;
  /**
   * Where this process's next claim at the supplier continues to share slots ({@link dueUnits}). Both are null if this claim had
   * nothing to share.
   */
  next_merchant: number | null;
  next_used: number | null;
}

/** A unit that went to review instead of getting its next call. */
export type ReviewedUnit = Pick<
  ClaimedUnit,
  | 'order_id'
  | 'item'
  | 'unit'
  | 'attempt'
  | 'supplier_id'
  | 'supplier'
  | 'order_number'
  | 'request_id'
  | 'reference'
  | 'review_reason'
>;

/** In SQL: the address of the supplier `s` and our account there. Must equal `destinationOf`. */
export const DESTINATION = `s.base_url || CASE WHEN s.account <> '' THEN '#' || s.account ELSE '' END`;

/**
 * Updates each unit `u` by its row `d` of `decided`. Old versions of the service do not write `attempt_claim` like
 * this, so triggers skip their claims of later attempts and of sandbox units.
 */
const claimSets = (name: string): string => `UPDATE order_units u SET
        state = CASE d.action WHEN 'send' THEN 'sending' WHEN 'inquire' THEN 'unknown' ELSE 'review' END,
        next_action = 'inquire',
        next_action_at = CASE WHEN d.action <> 'review' THEN d.leased_until END,
        claim = u.claim + 1,
        attempt_claim = CASE u.supplier_id WHEN ${SANDBOX_SUPPLIER_ID} THEN -1 ELSE 1 END * (u.claim + 1),
        attempt = CASE WHEN d.action = 'review' THEN u.attempt ELSE greatest(u.attempt, 1) END,
        claimed_by = CASE WHEN d.action <> 'review' THEN ${name} END,
        interrupted_claim = CASE WHEN u.state = 'sending' AND u.sends = 1 THEN u.claimed_by ELSE u.interrupted_claim END,
        sends = u.sends + CASE d.action WHEN 'send' THEN 1 ELSE 0 END,
        inquiries = CASE WHEN d.action = 'review' THEN u.inquiries WHEN d.next_action = 'inquire' THEN u.inquiries + 1
                         ELSE 0 END,
        first_sent_at = coalesce(u.first_sent_at, statement_timestamp()),
        last_sent_at = CASE d.action WHEN 'send' THEN statement_timestamp() ELSE u.last_sent_at END,
        sent_to = CASE d.action WHEN 'send' THEN d.destination ELSE u.sent_to END,
        unknown_since = CASE WHEN d.next_action = 'inquire' OR d.action = 'review'
                             THEN coalesce(u.unknown_since, u.last_sent_at, statement_timestamp()) ELSE u.unknown_since END,
        updated_at = statement_timestamp()`;

/**
 * In SQL: whether the next action is an inquiry by the supplier's reference. The adapter must be able to inquire by such a
 * reference, and the attempt must have it. The row of the attempt is read only if the adapter is able to.
 */
const usesSupplierReference = (unit: string, adapter: string): string => `
             CASE WHEN ${unit}.next_action = 'inquire' AND ${adapter}.inquires_by_supplier_reference THEN (
                    SELECT supplier_reference FROM unit_attempts a
                    WHERE ${isOf(unit, 'a')}
                      AND a.number = ${unit}.attempt) IS NOT NULL ELSE false END`;

/** The sends of a later attempt are counted in the order history, which has all of them but the one of this claim. */
const attemptSends = (unit: string): string => `
             CASE WHEN ${unit}.attempt = 1 THEN ${unit}.sends ELSE (
               SELECT 1 + count(*) FROM supplier_calls c
               WHERE ${isOf(unit, 'c')}
                 AND c.attempt = ${unit}.attempt AND c.kind = 'send')::int END`;

/**
 * Claims due units, and commits the intent to act on each.
 *
 * - If a unit is still in `sending` after its lease, the next action is an inquiry, because the result of its send is unknown.
 * - An inquiry that may buy is claimed like a send (state `sending`), so that no operator decides the unit meanwhile.
 * - A unit in doubt is sent again only to the same address and account ({@link DESTINATION}), because another one does
 *   not know its reference and would sell it a second time. An inquiry that may buy counts as a send. If the address or
 *   account has changed, the unit is not sent and goes to review. Inquiries that never buy go on.
 * - A unit that is too old for an inquiry also goes to review. Its age counts from the first send that the supplier may
 *   have accepted. Inquiries by the supplier's reference work at any age.
 * - The report that an earlier attempt bought the unit may come while the latest attempt is in flight. Then nothing that may buy is
 *   sent for it again: the unit goes to review.
 * - The merchants with due units share the free slots of a supplier: {@link dueUnits}.
 * - For a supplier with a limit of its own, claims run one after the other.
 * - A paused supplier gets no sends, and not all inquiries: {@link IS_CALLED_IN_PAUSE}.
 * - If the database's clock is past `clockLimit`, it may have been set forward, and leases of running calls may have
 *   ended too early. Then the statement claims no inquiries at suppliers whose inquiries may buy, and returns no `sent_ago_ms`,
 *   so that no quiet period counts as over.
 *
 * A lease lasts for the supplier's timeout and a margin, which is at least the minimum gap between two calls. A unit without an
 * attempt begins its first attempt with this claim. Such a unit may even have been sent, by an old version that stored no attempts.
 */
export const CLAIM_UNITS = statement(
  'units.claim',
  {
    suppliers: rowsOf({ supplier_id: 'int', free_slots: 'int', from_merchant: 'int', from_used: 'int' }),
    adapters: rowsOf({
      adapter: 'text',
      inquiry_may_buy: 'boolean',
      min_gap_ms: 'int',
      max_age_ms: 'bigint?',
      inquires_by_supplier_reference: 'boolean',
      has_random_references: 'boolean',
    }),
    total: 'int',
    name: 'text',
    leaseMarginMs: 'int',
    clockLimit: 'timestamptz',
  },
  ({ suppliers, adapters, total, name, leaseMarginMs, clockLimit }) => `
    WITH limited AS MATERIALIZED (
      SELECT id, max_in_flight FROM suppliers
      WHERE max_in_flight IS NOT NULL AND id IN (SELECT supplier_id FROM ${suppliers.as('requested')})
      ORDER BY id FOR NO KEY UPDATE),
    free AS MATERIALIZED (
      SELECT requested.*, CASE WHEN limited.id IS NULL THEN requested.free_slots
                           ELSE least(requested.free_slots, greatest(limited.max_in_flight - units_in_flight(limited.id), 0)) END::int AS slots
      FROM ${suppliers.as('requested')}
      LEFT JOIN limited ON limited.id = requested.supplier_id),
    due AS (
      SELECT found.*, s.code AS supplier, s.adapter, s.base_url, ${DESTINATION} AS destination,
             s.token_sealed, s.credentials_sealed, s.callback_token_sealed, s.options, s.timeout_ms, known.inquiry_may_buy, known.max_age_ms,
             s.updated_at AS supplier_updated_at, s.last_resumed_at AS supplier_resumed_at,
             ${usesSupplierReference('found', 'known')} AS by_supplier_reference,
             CASE WHEN found.attempt > 1 THEN ${isSold('found')} ELSE false END AS is_sold,
             coalesce(known.has_random_references, false) AS has_random_references, s.max_in_flight,
             greatest(${leaseMarginMs}, known.min_gap_ms) AS margin_ms
      FROM free
      JOIN suppliers s ON s.id = free.supplier_id
      LEFT JOIN ${adapters.as('known')} ON known.adapter = s.adapter
      CROSS JOIN LATERAL (${dueUnits(clockLimit)}) found
      LIMIT ${total}),
    checked AS (
      SELECT due.*, next_action = 'inquire' AND inquiry_may_buy IS TRUE AND NOT by_supplier_reference AS inquires_by_sending,
             next_action = 'inquire' OR unknown_since IS NOT NULL AS is_repeat,
             CASE WHEN is_sold AND (next_action = 'send' OR inquiry_may_buy IS TRUE AND NOT by_supplier_reference) THEN 'sold'
                  WHEN sent_to <> destination AND (next_action = 'send' AND unknown_since IS NOT NULL
                                                OR next_action = 'inquire' AND inquiry_may_buy AND NOT by_supplier_reference) THEN 'moved'
                  WHEN next_action = 'inquire' AND NOT by_supplier_reference AND coalesce(unknown_since, last_sent_at) < statement_timestamp()
                         - make_interval(secs => max_age_ms / 1000.0) THEN 'too_old' END AS review_reason
      FROM due),
    decided AS (
      SELECT d.*, CASE WHEN d.review_reason IS NOT NULL THEN 'review' WHEN d.inquires_by_sending THEN 'send'
                       ELSE d.next_action END AS action,
             statement_timestamp() + make_interval(secs => (d.timeout_ms + d.margin_ms) / 1000.0) AS leased_until
      FROM checked d),
    claimed AS (
      ${claimSets(name)}
      FROM decided d
      WHERE ${isOf('d', 'u')}
      RETURNING u.order_id, u.item, u.unit, u.supplier_id, u.claim, d.action, d.review_reason, d.is_repeat,
                (d.sent_to <> d.destination) IS TRUE AS has_moved, d.state = 'sending' AS interrupted,
                u.attempt, u.attempt > d.attempt AS is_new_attempt, u.sends, u.inquiries, ${isSentOnce('u')} AS is_sent_once,
                CASE WHEN statement_timestamp() <= ${clockLimit}
                     THEN (extract(epoch FROM statement_timestamp() - u.last_sent_at) * 1000)::float8 END AS sent_ago_ms,
                (extract(epoch FROM statement_timestamp() - u.first_sent_at) * 1000)::float8 AS age_ms, d.has_random_references, d.max_in_flight,
                d.supplier, d.adapter, d.base_url, d.token_sealed, d.credentials_sealed,
                d.callback_token_sealed, d.options, d.timeout_ms, d.supplier_updated_at, d.supplier_resumed_at,
                d.next_merchant, d.next_used),
    -- This statement does not see the attempts that it inserts, so it takes their columns from the order and the item.
    attempted AS (
      SELECT claimed.*, o.order_number, o.merchant_id, o.user_id, o.server_id, o.character_id, o.request_id, i.kind,
             o.end_user_ip, ${sandboxUnitIn('claimed')} AS sandbox_unit,
             coalesce(a.reference, ${attemptReference('o', 'claimed')}) AS reference, a.supplier_reference, a.unconfirmed,
             ${attemptSends('claimed')} AS attempt_sends,
             ${TERMS.map((term) => `CASE WHEN is_new_attempt THEN i.${term} ELSE a.${term} END AS ${term}`).join(', ')}
      FROM claimed
      JOIN orders o ON o.id = claimed.order_id
      JOIN order_items i ON i.order_id = claimed.order_id AND i.position = claimed.item
      LEFT JOIN unit_attempts a ON ${isOf('claimed', 'a')} AND a.number = claimed.attempt),
    begun AS (
      INSERT INTO unit_attempts (order_id, item, unit, number, supplier_id, reference, ${TERMS.join(', ')}, created_at)
      SELECT order_id, item, unit, attempt, supplier_id, reference, ${TERMS.join(', ')},
             date_trunc('milliseconds', statement_timestamp())
      FROM attempted WHERE is_new_attempt)
    SELECT * FROM attempted`,
);
