import { SANDBOX_SUPPLIER_ID } from '../core/sandbox.js';
import { rowsOf, statement, type RowsInText } from '../database/parameters.js';
import { firstPassedOver, offersOf, passedOver, routingOrder, ROUTING_PARAMETERS } from '../catalog/routing.sql.js';
import { unitReferenceIn } from '../orders/order.rows.js';
import { isOf, isSentOnce, isSold, UNIT } from '../orders/unit-conditions.sql.js';

/** The key of an attempt. */
export const ATTEMPT = { ...UNIT, attempt: 'smallint' } as const;

/** In SQL: whether a row has this key of an attempt. @param row its alias. */
export const isAttempt = (key: Record<keyof typeof ATTEMPT, string>, row: string): string =>
  Object.keys(ATTEMPT)
    .map((column) => `${row}.${column} = ${key[column as keyof typeof ATTEMPT]}`)
    .join(' AND ');

/** The columns with an attempt's request and costs. An item's row has the same columns, for the first attempts of its units. */
export const TERMS = [
  ...(['supplier_sku', 'player_template', 'expected_cost_micros', 'max_cost_micros'] as const),
  ...(['cost_currency', 'baht_per_unit'] as const),
];
const named = (columns: readonly string[], alias?: string): string =>
  columns.map((column) => (alias === undefined ? column : `${alias}.${column}`)).join(', ');

/**
 * The SQL of a new attempt's reference. It is random if the adapter's references are random. Otherwise it is the unit's
 * reference, to which the second and later attempts append their numbers.
 * @param order the alias of the order's row.
 * @param unit the alias of the unit's row, which has `attempt` and `has_random_references`.
 */
export const attemptReference = (order: string, unit: string): string => `
  CASE WHEN ${unit}.has_random_references THEN random_reference()
       ELSE ${unitReferenceIn(order, unit)} || CASE WHEN ${unit}.attempt > 1 THEN '.' || ${unit}.attempt ELSE '' END END`;

/** In SQL: keeps a term of the offer, unless the supplier reports the cost in another currency. */
const inSameCurrency = (term: string): string =>
  `${term} = CASE WHEN c.cost_currency IS NULL OR c.cost_currency = a.cost_currency THEN a.${term} END`;

/**
 * Stores suppliers' reports about attempts. Null values change nothing. A proven supplier's reference is never replaced. If the
 * stored reference is unproven (`is_hearsay`), a proven one replaces it, and a report with `is_misnamed` clears it: the supplier
 * knows no purchase of ours by this reference.
 */
export const NOTE_ATTEMPTS = statement(
  'unit_attempts.note',
  {
    attempts: rowsOf({
      ...ATTEMPT,
      supplier_reference: 'text?',
      cost_micros: 'bigint?',
      cost_currency: 'text?',
      unconfirmed: 'text?',
      is_hearsay: 'boolean',
      is_misnamed: 'boolean',
    }),
  },
  ({ attempts }) => `
    UPDATE unit_attempts a SET
      supplier_reference = CASE WHEN a.is_hearsay AND c.is_misnamed THEN NULL
                                WHEN a.is_hearsay AND NOT c.is_hearsay THEN coalesce(c.supplier_reference, a.supplier_reference)
                                ELSE coalesce(a.supplier_reference, c.supplier_reference) END,
      is_hearsay = CASE WHEN c.is_misnamed THEN false
                        WHEN c.supplier_reference IS NULL THEN a.is_hearsay
                        WHEN a.supplier_reference IS NULL THEN c.is_hearsay
                        ELSE a.is_hearsay AND c.is_hearsay END,
      cost_micros = coalesce(c.cost_micros, a.cost_micros),
      cost_currency = coalesce(c.cost_currency, a.cost_currency),
      -- The offer's costs and exchange rate are those of its own currency, so they do not fit another one.
      ${['expected_cost_micros', 'max_cost_micros', 'baht_per_unit'].map(inSameCurrency).join(', ')},
      unconfirmed = coalesce(c.unconfirmed, a.unconfirmed)
    FROM ${attempts.as('c')}
    WHERE ${isOf('c', 'a')} AND a.number = c.attempt`,
);

/** A new attempt to buy a unit, after an ended one. */
export interface NextAttempt {
  order_id: bigint;
  item: number;
  unit: number;
  /** The number of the new attempt. */
  attempt: number;
  supplier_id: number;
  /** The code of its supplier. */
  supplier: string;
  due_in_ms: number;
}

/**
 * Selects and locks the units that may begin another attempt, in the order of their keys, with the terms of the ended attempts.
 * A unit whose first attempt is older than `deadlineMs` may begin no other attempt.
 */
const lockEnded = (ended: RowsInText, deadlineMs: string): string => `
      SELECT c.*, u.supplier_id, o.order_number, i.sku, i.quantity, i.unit_price,
             ${TERMS.map((term) => `CASE WHEN a.number IS NULL THEN i.${term} ELSE a.${term} END AS ${term}`).join(', ')}
      FROM ${ended.as('c')}
      JOIN order_units u ON ${isOf('c', 'u')} AND u.attempt = c.attempt
      JOIN order_items i ON i.order_id = u.order_id AND i.position = u.item
      JOIN orders o ON o.id = u.order_id
      LEFT JOIN unit_attempts a ON ${isOf('u', 'a')} AND a.number = u.attempt
      WHERE (u.claim = c.claim OR c.claim IS NULL AND (NOT c.is_about_one_send OR ${isSentOnce('u')})) AND u.supplier_id <> ${SANDBOX_SUPPLIER_ID}
        AND CASE c.ended_as
              WHEN 'failed' THEN u.state IN ('sending', 'unknown', 'review')
              ELSE u.unknown_since IS NULL AND (u.state = 'sending' AND u.claim = c.claim
                                                OR u.state = 'queued' AND u.claimed_by IS NULL) END
        AND NOT ${isLate('u', deadlineMs)}
      ORDER BY u.order_id, u.item, u.unit FOR NO KEY UPDATE OF u`;

/** FROM and WHERE for all attempts of a unit. */
function attemptsOf(unit: string, alias: string): string {
  return `unit_attempts ${alias} WHERE ${isOf(unit, alias)}`;
}

/** In SQL: whether the unit's first attempt is so old that no other one may begin. */
const isLate = (unit: string, deadlineMs: string): string => `
             EXISTS (SELECT FROM ${attemptsOf(unit, 'first')} AND first.number = 1
                       AND first.created_at < statement_timestamp() - make_interval(secs => ${deadlineMs} / 1000.0))`;

/** In SQL: whether the unit has tried the `offer`. An offer whose player template was corrected counts as another offer. */
const hasTriedOffer = (unit: string): string => `
             EXISTS (SELECT FROM ${attemptsOf(unit, 'tried')} AND tried.supplier_id = offer.supplier_id
                       AND tried.supplier_sku = offer.supplier_sku
                       AND tried.player_template IS NOT DISTINCT FROM offer.player_template)`;

/** In SQL: whether the unit has tried fewer offers than it may. */
const mayTryMore = (unit: string, maxOffers: string): string => `
             (SELECT count(DISTINCT (tried.supplier_id, tried.supplier_sku)) FROM ${attemptsOf(unit, 'tried')}) < ${maxOffers}`;

/** Selects the same offer again, for another reference, if its supplier asked for a retry: up to `maxRetries` times. */
const repeatedOffer = (maxRetries: string): string => `
        SELECT locked.supplier_id, ${named(TERMS, 'locked')}, locked.retry_after_ms AS due_in_ms, 0::bigint AS place,
               NULL::text AS supplier_code, NULL::text AS why
        WHERE locked.retry_after_ms IS NOT NULL
          AND (SELECT count(*) FROM ${attemptsOf('locked', 'tried')} AND tried.supplier_id = locked.supplier_id
                 AND tried.supplier_sku = locked.supplier_sku) <= ${maxRetries}`;

/**
 * Selects the offers that the unit has not tried, up to `maxOffers` for a unit. `why` is the reason why an offer cannot be used,
 * or null. An offer that sells only once a day to a player is not used for an item of several units.
 */
const otherOffers = (limits: Parameters<typeof offersOf>[0], maxOffers: string): string => `
        SELECT offer.supplier_id, offer.supplier_sku, offer.player_template, offer.cost_micros, offer.max_cost_micros,
               offer.cost_currency, offer.baht_per_unit, 0, row_number() OVER (ORDER BY ${routingOrder('offer')}),
               offer.supplier_code,
               coalesce(offer.why_not, CASE WHEN locked.quantity > 1 AND offer.once_per_day THEN 'once_per_day' END)
        FROM products p CROSS JOIN LATERAL (${offersOf(limits, { price: 'locked.unit_price' })}) offer
        WHERE locked.failover AND p.sku = locked.sku
          AND (offer.supplier_id, offer.supplier_sku, offer.player_template)
              IS DISTINCT FROM (locked.supplier_id, locked.supplier_sku, locked.player_template)
          AND NOT ${hasTriedOffer('locked')} AND ${mayTryMore('locked', maxOffers)}`;

/**
 * Ends a unit's latest attempt and begins the next one, if a repeat or a routable offer is left. The supplier must have
 * refused the ended attempt (`failed`), or certainly not accepted any send of it (`withdrawn`). An attempt that is still in
 * doubt does not end here, because its supplier may still sell it. Answers to older claims and attempts change nothing, nor does
 * a refusal of one of several sends.
 * Units of the sandbox have one attempt. If an open discrepancy reports that a supplier sold an earlier attempt of the unit
 * after all, the unit goes to review with its new attempt.
 */
export const BEGIN_NEXT_ATTEMPTS = statement(
  'unit_attempts.begin_next',
  {
    ended: rowsOf({
      ...ATTEMPT,
      claim: 'int?',
      is_about_one_send: 'boolean',
      ended_as: 'text',
      failure_code: 'text?',
      failure_message: 'text?',
      failover: 'boolean',
      retry_after_ms: 'int?',
    }),
    namedAtRandom: 'text[]',
    maxRetries: 'int',
    maxOffers: 'int',
    deadlineMs: 'bigint',
    ...ROUTING_PARAMETERS,
  },
  ({ ended, namedAtRandom, maxRetries, maxOffers, deadlineMs, ...limits }) => `
    WITH locked AS (${lockEnded(ended, deadlineMs)}),
    chosen AS (
      SELECT locked.order_id, locked.item, locked.unit, locked.attempt AS ended_attempt, locked.attempt + 1 AS attempt,
             locked.ended_as, locked.failure_code, locked.failure_message, locked.order_number, next.*,
             s.code AS supplier, s.adapter = ANY(${namedAtRandom}) AS has_random_references,
             ${isSold('locked')} AS is_sold
      FROM locked
      CROSS JOIN LATERAL (
        SELECT * FROM (
          SELECT *, ${passedOver('candidates', 'why')} OVER (ORDER BY place) AS passed_over
          FROM (${repeatedOffer(maxRetries)} UNION ALL ${otherOffers(limits, maxOffers)}) candidates) ranked
        WHERE why IS NULL ORDER BY place LIMIT 1) next
      JOIN suppliers s ON s.id = next.supplier_id),
    ended AS (
      UPDATE unit_attempts a SET ended_as = chosen.ended_as, failure_code = chosen.failure_code,
             failure_message = chosen.failure_message, ended_at = date_trunc('milliseconds', statement_timestamp())
      FROM chosen
      WHERE ${isOf('chosen', 'a')}
        AND a.number = chosen.ended_attempt),
    begun AS (
      INSERT INTO unit_attempts (order_id, item, unit, number, supplier_id, reference, ${named(TERMS)}, passed_over, created_at)
      SELECT order_id, item, unit, attempt, supplier_id, ${attemptReference('chosen', 'chosen')}, ${named(TERMS)},
             ${firstPassedOver('passed_over')}, date_trunc('milliseconds', statement_timestamp())
      FROM chosen)
    UPDATE order_units u SET
      supplier_id = chosen.supplier_id, attempt = chosen.attempt,
      state = CASE WHEN chosen.is_sold THEN 'review' ELSE 'queued' END,
      next_action = CASE WHEN chosen.is_sold THEN 'inquire' ELSE 'send' END,
      next_action_at = CASE WHEN NOT chosen.is_sold
        THEN statement_timestamp() + make_interval(secs => chosen.due_in_ms / 1000.0) END,
      claim = u.claim + 1, attempt_claim = u.claim + 1, claimed_by = NULL, inquiries = 0,
      first_sent_at = NULL, last_sent_at = NULL,
      unknown_since = CASE WHEN chosen.is_sold THEN statement_timestamp() END, sent_to = NULL, supplier_reference = NULL,
      updated_at = statement_timestamp()
    FROM chosen
    WHERE ${isOf('chosen', 'u')}
    RETURNING u.order_id, u.item, u.unit, u.attempt, u.supplier_id, chosen.supplier, chosen.due_in_ms`,
);

/** A unit that waits for a paused supplier. The supplier has certainly not accepted any send of its attempt. */
export interface PausedUnit {
  order_id: bigint;
  item: number;
  unit: number;
  attempt: number;
  merchant_id: number;
  order_number: string;
  supplier: string;
  /**
   * How long the unit has waited for the supplier, in milliseconds: since the pause began, or the first of the pauses that it
   * continues; since the order, if that is later.
   */
  waited_ms: number;
  is_overdue: boolean;
  /** Whether a supplier has reported that an earlier attempt bought the unit. */
  is_sold: boolean;
}

/**
 * Lists units that have waited too long, units of which an earlier attempt was bought after all, and of the others only those for
 * which {@link BEGIN_NEXT_ATTEMPTS} would begin an attempt: the rest would fill the list. While a probe of a supplier is due or in
 * flight, none of its units has waited too long: the supplier may be able to sell again, and perhaps no worker ran for a while. If no
 * probe can be recorded, a due probe does not count. The paused suppliers are found first, whatever the planner expects: any number
 * of units may wait for the others.
 */
export const LIST_PAUSED = statement(
  'units.list_paused',
  {
    holdLimitMs: 'bigint',
    limit: 'int',
    areProbesRecorded: 'boolean',
    maxOffers: 'int',
    deadlineMs: 'bigint',
    ...ROUTING_PARAMETERS,
  },
  ({ holdLimitMs, limit, areProbesRecorded, maxOffers, deadlineMs, ...limits }) => `
    SELECT * FROM (
      SELECT u.order_id, u.item, u.unit, u.attempt, o.merchant_id, o.order_number, s.code AS supplier,
             (extract(epoch FROM statement_timestamp() - greatest(s.paused_at, o.created_at)) * 1000)::float8 AS waited_ms,
             greatest(s.paused_at, o.created_at) <= statement_timestamp() - make_interval(secs => ${holdLimitMs} / 1000.0)
               AND (s.probing_until > statement_timestamp()
                    OR ${areProbesRecorded} AND s.probe_at <= statement_timestamp()) IS NOT TRUE AS is_overdue,
             EXISTS (SELECT FROM products p CROSS JOIN LATERAL (${offersOf(limits, { price: 'i.unit_price' })}) offer
                     WHERE p.sku = i.sku AND offer.why_not IS NULL AND offer.supplier_id <> u.supplier_id
                       AND NOT (i.quantity > 1 AND offer.once_per_day) AND NOT ${hasTriedOffer('u')})
               AND NOT ${isLate('u', deadlineMs)} AND ${mayTryMore('u', maxOffers)} AS is_sold_elsewhere,
             u.attempt > 1 AND ${isSold('u')} AS is_sold
      FROM (SELECT id, code, paused_at, probing_until, probe_at FROM suppliers WHERE pause_reason IS NOT NULL OFFSET 0) s
      CROSS JOIN LATERAL (
        SELECT * FROM order_units queued
        WHERE queued.supplier_id = s.id AND queued.next_action_at IS NOT NULL AND queued.state = 'queued'
          AND queued.unknown_since IS NULL AND queued.claimed_by IS NULL OFFSET 0) u
      CROSS JOIN LATERAL (
        SELECT sku, quantity, unit_price FROM order_items WHERE order_id = u.order_id AND position = u.item LIMIT 1) i
      CROSS JOIN LATERAL (
        SELECT order_number, merchant_id, created_at FROM orders WHERE id = u.order_id LIMIT 1) o) paused
    WHERE is_overdue OR is_sold OR is_sold_elsewhere
    LIMIT ${limit}`,
);

export const LIST_FAILURES = statement(
  'unit_attempts.list_failures',
  { orderId: 'bigint', item: 'smallint', unit: 'smallint' },
  ({ orderId, item, unit }) => `
    SELECT failure_code AS code, failure_message AS message FROM unit_attempts
    WHERE order_id = ${orderId} AND item = ${item} AND unit = ${unit} AND failure_code IS NOT NULL
    ORDER BY number`,
);

export const REREAD_PRODUCT = statement(
  'supplier_product_reads.mark_of_attempt',
  { orderId: 'bigint', item: 'smallint', unit: 'smallint', attempt: 'smallint' },
  ({ orderId, item, unit, attempt }) => `
    INSERT INTO supplier_product_reads (supplier_id, sku, asked_at, due_at)
    SELECT supplier_id, supplier_sku, statement_timestamp(), statement_timestamp() FROM unit_attempts
    WHERE order_id = ${orderId} AND item = ${item} AND unit = ${unit} AND number = ${attempt}
    ON CONFLICT (supplier_id, sku) DO UPDATE SET asked_at = excluded.asked_at`,
);

/** Returns no row if the offer is on, or was removed. An earlier version of the service wrote no `off_at`. */
export const FIND_OFF_OFFER = statement(
  'supplier_offers.find_off',
  { order_id: 'bigint', item: 'smallint', supplier_id: 'int', supplier_sku: 'text' },
  ({ order_id, item, supplier_id, supplier_sku }) => `
    SELECT (extract(epoch FROM statement_timestamp() - coalesce(o.off_at, o.updated_at)) * 1000)::float8 AS off_ms
    FROM order_items i
    JOIN products p ON p.sku = i.sku
    JOIN supplier_offers o ON o.product_id = p.id
    WHERE i.order_id = ${order_id} AND i.position = ${item}
      AND o.supplier_id = ${supplier_id} AND o.supplier_sku = ${supplier_sku} AND NOT o.active`,
);

/**
 * Takes an offer off, because its SKU or player template is wrong. The offer stays off until the supplier's catalogue
 * reports a changed product, or an operator switches the offer on. If an operator has corrected the offer since the
 * attempt's terms were copied from it, the offer stays on.
 */
export const TAKE_OFFER_OFF = statement(
  'supplier_offers.take_off',
  { supplier_id: 'int', supplier_sku: 'text', player_template: 'text?', reason: 'text' },
  ({ supplier_id, supplier_sku, player_template, reason }) => `
    UPDATE supplier_offers
    SET active = false, off_by_fault = true, off_reason = ${reason}, off_at = statement_timestamp(),
        updated_at = statement_timestamp()
    WHERE supplier_id = ${supplier_id} AND supplier_sku = ${supplier_sku} AND active
      AND player_template IS NOT DISTINCT FROM ${player_template}
    RETURNING id`,
);
