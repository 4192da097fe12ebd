import { rowsOf, statement } from '../../database/parameters.js';
import { KEPT } from '../../orders/archived-order.js';

/** Arbitrary, but unique among our advisory locks. */
export const CLOSING_LOCK = 7_038_173;

/**
 * Those of a supplier's purchases that a book knows: an attempt at this supplier, or at another one that is the same account
 * under another code. A unit without an attempt was sent before attempts were kept, or is yet to be sent: its first attempt
 * takes the reference that follows from its order, at its supplier. One that failed without was never sent, says the book.
 * Of an archived order the number is known, with which the references of its attempts begin, with the items that it had; a
 * reference that names no item is known by the number alone. Where references are random, they are kept with what the
 * supplier called its purchases.
 */
const KNOWN = `
  EXISTS (SELECT FROM unit_attempts a WHERE a.supplier_id IN (SELECT id FROM same_account) AND a.reference = g.reference)
  OR g.reference IS NULL AND EXISTS (
    SELECT FROM unit_attempts a
    WHERE a.supplier_id IN (SELECT id FROM same_account) AND a.supplier_reference = g.supplier_reference)
  OR EXISTS (
    SELECT FROM orders o JOIN order_units u ON u.order_id = o.id AND u.item = g.item AND u.unit = g.unit
    WHERE o.order_number = g.order_number AND u.state <> 'failed'
      AND u.supplier_id IN (SELECT id FROM same_account) AND NOT EXISTS (
      SELECT FROM unit_attempts a WHERE a.order_id = u.order_id AND a.item = u.item AND a.unit = u.unit))
  OR EXISTS (SELECT FROM order_references r WHERE r.order_number = g.order_number
             AND NOT EXISTS (SELECT FROM orders o WHERE o.id = r.order_id)
             AND (g.item IS NULL OR EXISTS (
               SELECT FROM json_array_elements(r.answer -> -1) had
               WHERE (had ->> 0)::int = g.item AND g.unit BETWEEN 1 AND (had ->> 2)::int)))
  OR EXISTS (SELECT FROM archived_purchases p
             WHERE p.supplier_id IN (SELECT id FROM same_account) AND p.reference = g.reference)
  OR g.reference IS NULL AND EXISTS (
    SELECT FROM archived_purchases p
    WHERE p.supplier_id IN (SELECT id FROM same_account) AND p.supplier_reference = g.supplier_reference)`;

/** Where an item that is kept of an archived order says how many of its units succeeded, and how many failed. */
const [COMPLETED, FAILED] = (['completed_quantity', 'failed_quantity'] as const).map((name) =>
  KEPT[1].item.indexOf(name),
);

/**
 * Those of a supplier's purchases that an archived order has as not bought: an attempt that did not buy its unit; or, where
 * an archive does not name these, of an item of which no unit was bought.
 */
const NOT_BOUGHT = `
  (SELECT bool_and(p.not_bought AND NOT EXISTS (SELECT FROM orders o WHERE o.id = p.order_id)) FROM archived_purchases p
   WHERE p.supplier_id IN (SELECT id FROM same_account) AND p.reference = g.reference)
  OR g.reference IS NULL AND (
    SELECT bool_and(p.not_bought AND NOT EXISTS (SELECT FROM orders o WHERE o.id = p.order_id)) FROM archived_purchases p
    WHERE p.supplier_id IN (SELECT id FROM same_account) AND p.supplier_reference = g.supplier_reference)
  OR EXISTS (
    SELECT FROM order_references r CROSS JOIN json_array_elements(r.answer -> -1) had
    WHERE r.order_number = g.order_number AND r.answer_version = 1 AND (had ->> 0)::int = g.item
      AND (had ->> ${COMPLETED})::int = 0 AND (had ->> ${FAILED})::int > 0
      AND NOT EXISTS (SELECT FROM orders o WHERE o.id = r.order_id))`;

/**
 * Opens a case for each purchase that no book knows, or that was sold of an archived order which did not get it, once for each name of it, and notes what the supplier says now in
 * those that are open. What certainly failed was no purchase, and opens none. The look and the case are one statement: an
 * attempt is committed before anything is sent under its reference, so that none is missed here that is just being made.
 * Where the supplier had so many cases within an hour, no more are opened: each that is not is a row without a number.
 */
export const TELL_PURCHASES = statement(
  'unknown_purchases.tell',
  {
    supplierId: 'int',
    mostAnHour: 'int?',
    purchases: rowsOf({
      reference: 'text?',
      supplier_reference: 'text?',
      state: 'text?',
      supplier_sku: 'text?',
      player: 'text?',
      bought_at: 'timestamptz?',
      cost_micros: 'bigint?',
      cost_currency: 'text?',
      detail: 'text',
      order_number: 'text?',
      item: 'smallint?',
      unit: 'smallint?',
    }),
  },
  ({ supplierId, mostAnHour, purchases }) => `
    WITH given AS MATERIALIZED (SELECT * FROM ${purchases.numbered('g', 'place')}),
    same_account AS (
      SELECT s.id FROM suppliers s JOIN suppliers own USING (adapter, base_url, account) WHERE own.id = ${supplierId}),
    -- Those of this supplier that are there already, whether open or closed.
    cases AS (
      SELECT g.place, r.id, r.status FROM given g JOIN supplier_reversals r
        ON r.supplier_id = ${supplierId} AND r.order_id IS NULL AND r.reference = g.reference
      UNION
      SELECT g.place, r.id, r.status FROM given g JOIN supplier_reversals r
        ON r.supplier_id = ${supplierId} AND r.order_id IS NULL AND r.supplier_reference = g.supplier_reference
      WHERE r.reference IS NULL OR g.reference IS NULL),
    noted AS (
      UPDATE supplier_reversals r SET detail = g.detail,
             supplier_reference = coalesce(r.supplier_reference, g.supplier_reference),
             supplier_sku = coalesce(r.supplier_sku, g.supplier_sku), player = coalesce(r.player, g.player),
             bought_at = coalesce(r.bought_at, g.bought_at),
             cost_micros = CASE WHEN r.cost_micros IS NULL THEN g.cost_micros ELSE r.cost_micros END,
             cost_currency = CASE WHEN r.cost_micros IS NULL THEN g.cost_currency ELSE r.cost_currency END
      FROM cases c JOIN given g ON g.place = c.place
      WHERE r.id = c.id AND c.status = 'open' AND g.state IS NOT NULL AND r.detail IS DISTINCT FROM g.detail),
    forgotten AS MATERIALIZED (
      SELECT g.*, archived.not_bought FROM given g
      CROSS JOIN LATERAL (SELECT coalesce(g.state = 'succeeded' AND (${NOT_BOUGHT}), false) AS not_bought) archived
      WHERE g.state IS DISTINCT FROM 'failed' AND g.place NOT IN (SELECT place FROM cases)
        AND (archived.not_bought OR NOT (${KNOWN}))),
    bound AS MATERIALIZED (
      SELECT ${mostAnHour} IS NOT NULL AND ${mostAnHour} <= (SELECT count(*) FROM (
        SELECT FROM supplier_reversals
        WHERE supplier_id = ${supplierId} AND order_id IS NULL AND created_at > statement_timestamp() - interval '1 hour'
        LIMIT ${mostAnHour}) lately) AS is_reached),
    opened AS (
      INSERT INTO supplier_reversals (supplier_id, kind, order_id, item, unit, attempt, reference, supplier_reference,
                                      supplier_sku, player, bought_at, cost_micros, cost_currency, detail, created_at)
      SELECT ${supplierId}, 'unknown_purchase', NULL, NULL, NULL, NULL, g.reference, g.supplier_reference,
             g.supplier_sku, g.player, g.bought_at, g.cost_micros, g.cost_currency,
             g.detail || CASE WHEN g.not_bought THEN '; its order is archived, and did not get it' ELSE '' END,
             date_trunc('milliseconds', statement_timestamp())
      FROM forgotten g WHERE NOT (SELECT is_reached FROM bound)
      ORDER BY g.place
      ON CONFLICT DO NOTHING
      RETURNING id)
    SELECT id FROM opened
    UNION ALL SELECT NULL FROM forgotten WHERE (SELECT is_reached FROM bound)`,
);

/**
 * Those of a supplier's names of purchases that units were settled with. An attempt that succeeded with its first answer
 * has no name of its own, so that these are not found by index: only for what an operator asks.
 */
export const FIND_SETTLED_NAMES = statement(
  'unknown_purchases.find_settled_names',
  { supplierId: 'int', names: 'text[]' },
  ({ supplierId, names }) => `
    SELECT DISTINCT u.supplier_reference AS name
    FROM suppliers own JOIN suppliers s USING (adapter, base_url, account) JOIN order_units u ON u.supplier_id = s.id
    WHERE own.id = ${supplierId} AND u.state = 'succeeded' AND u.supplier_reference = ANY(${names})`,
);

/**
 * In SQL: those of the cases `looked` that are about a purchase that an attempt at the same account made. One look into an index for each. A
 * supplier that has forgotten a reference may sell under it again: then it calls what the unit was given otherwise than
 * the case's, which is still nobody's. A vendor may call one purchase otherwise once it is done.
 */
const whatBought = (isNamed: string): string => `
      SELECT r.id FROM looked r
      JOIN suppliers own ON own.id = r.supplier_id
      JOIN suppliers s USING (adapter, base_url, account)
      CROSS JOIN LATERAL (
        SELECT FROM unit_attempts a
        JOIN order_units u ON u.order_id = a.order_id AND u.item = a.item AND u.unit = a.unit AND u.attempt = a.number
        WHERE a.supplier_id = s.id AND ${isNamed} AND u.state = 'succeeded'
          AND (r.supplier_reference IS NULL OR r.supplier_reference = u.supplier_reference
               OR r.supplier_reference = a.supplier_reference AND NOT a.is_hearsay
               OR u.supplier_reference IS NULL AND (a.supplier_reference IS NULL OR a.is_hearsay))
        LIMIT 1) attempt`;

/**
 * Closes the cases whose purchase a unit turned out to be. After a restore a unit may stand at an attempt before the one
 * that bought it: where that begins again it takes the same reference, and the supplier gives it the purchase. A unit that
 * ended otherwise leaves the case open, since somebody was given what nobody paid for. Each case
 * costs a look into every partition of the attempts, so that only some are looked at, by one worker at a time.
 */
export const CLOSE_BOUGHT = statement(
  'unknown_purchases.close_bought',
  { after: 'int', limit: 'int' },
  ({ after, limit }) => `
    WITH ours AS MATERIALIZED (SELECT pg_try_advisory_xact_lock(${CLOSING_LOCK}) AS ours),
    looked AS MATERIALIZED (
      SELECT id, supplier_id, reference, supplier_reference FROM supplier_reversals
      WHERE status = 'open' AND order_id IS NULL AND id > ${after} AND (SELECT ours FROM ours)
      ORDER BY id LIMIT ${limit}),
    bought AS MATERIALIZED (${whatBought('a.reference = r.reference')}
      UNION ${whatBought('r.reference IS NULL AND a.supplier_reference = r.supplier_reference AND NOT a.is_hearsay')}),
    closed AS (
      UPDATE supplier_reversals r
      SET status = 'closed', closed_at = date_trunc('milliseconds', statement_timestamp()),
          detail = concat_ws('; ', r.detail, 'closed by itself: it is what an order was given')
      WHERE r.id = ANY(ARRAY(SELECT id FROM bought)) AND r.status = 'open'
      RETURNING r.id)
    SELECT ARRAY(SELECT id FROM closed ORDER BY id) AS closed,
           CASE WHEN NOT (SELECT ours FROM ours) THEN ${after}
                WHEN (SELECT count(*) FROM looked) < ${limit} THEN 0
                ELSE (SELECT max(id) FROM looked) END AS next`,
);
