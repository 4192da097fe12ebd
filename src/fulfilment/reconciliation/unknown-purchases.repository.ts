import { Injectable } from '@nestjs/common';
import { present } from '../../core/invariant.js';
import { Database } from '../../database/database.js';
import { withLongTimeout } from '../../database/snapshot.js';
import type { ListedPurchase } from '../../suppliers/supplier-adapter.js';
import { rowsOf, statement } from '../../database/parameters.js';
import { ARCHIVED_MEMBERS } from '../../orders/archived-order.js';
import { isOf } from '../../orders/unit-conditions.sql.js';
import { DESTINATION } from '../claim.sql.js';

/** The key of an advisory lock: arbitrary, but unique among ours. */
export const CLOSING_LOCK = 7_038_173;

/**
 * In SQL: whether our books know a reported purchase `g`. One of these is enough:
 * - An attempt at the same supplier account has our reference, or the supplier's reference if the report lacks ours. One account
 *   may have several supplier codes.
 * - A unit without a stored attempt has our reference: the unit is not sent yet, or it was sent by a version that stored no
 *   attempts. A failed unit without a stored attempt does not count, because it was never sent.
 * - Our reference begins with the order number of an archived order, and the order has the item and the unit in the reference. If
 *   the reference is not that of a first attempt, the order number is enough.
 * - A row of `archived_purchases` has our reference, or the supplier's reference if the report lacks ours.
 * - The unit's latest attempt has our reference, its last send went to the same account, although its supplier has moved since, and it
 *   may have bought the reported purchase. A failed or queued unit bought none, and a unit has no purchase but its own.
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
               SELECT FROM json_array_elements(r.answer -> -1) archived_item
               WHERE (archived_item ->> 0)::int = g.item AND g.unit BETWEEN 1 AND (archived_item ->> 2)::int)))
  OR EXISTS (SELECT FROM archived_purchases p
             WHERE p.supplier_id IN (SELECT id FROM same_account) AND p.reference = g.reference)
  OR g.reference IS NULL AND EXISTS (
    SELECT FROM archived_purchases p
    WHERE p.supplier_id IN (SELECT id FROM same_account) AND p.supplier_reference = g.supplier_reference)
  OR EXISTS (
    SELECT FROM suppliers s JOIN suppliers moved USING (adapter)
    JOIN unit_attempts a ON a.supplier_id = moved.id AND a.reference = g.reference
    JOIN order_units u ON ${isOf('a', 'u')} AND u.attempt = a.number
    WHERE s.id IN (SELECT id FROM same_account) AND u.sent_to = ${DESTINATION} AND u.state NOT IN ('failed', 'queued')
      AND (g.supplier_reference = u.supplier_reference OR u.supplier_reference = a.reference) IS NOT FALSE)`;

/** The positions of the counts of succeeded and failed units in the array of an archived item. */
const [COMPLETED, FAILED] = (['completed_quantity', 'failed_quantity'] as const).map((name) =>
  ARCHIVED_MEMBERS[1].item.indexOf(name),
);

/**
 * In SQL: whether our archive records the purchase `g` as not bought. Either the row of its attempt in `archived_purchases` says
 * so, or no unit of its item was bought. Older archives need the second condition, because they have no such row.
 */
const NOT_BOUGHT = `
  (SELECT bool_and(p.not_bought AND NOT EXISTS (SELECT FROM orders o WHERE o.id = p.order_id)) FROM archived_purchases p
   WHERE p.supplier_id IN (SELECT id FROM same_account) AND p.reference = g.reference)
  OR g.reference IS NULL AND (
    SELECT bool_and(p.not_bought AND NOT EXISTS (SELECT FROM orders o WHERE o.id = p.order_id)) FROM archived_purchases p
    WHERE p.supplier_id IN (SELECT id FROM same_account) AND p.supplier_reference = g.supplier_reference)
  OR EXISTS (
    SELECT FROM order_references r CROSS JOIN json_array_elements(r.answer -> -1) archived_item
    WHERE r.order_number = g.order_number AND r.answer_version = 1 AND (archived_item ->> 0)::int = g.item
      AND (archived_item ->> ${COMPLETED})::int = 0 AND (archived_item ->> ${FAILED})::int > 0
      AND NOT EXISTS (SELECT FROM orders o WHERE o.id = r.order_id))`;

/**
 * Opens a discrepancy for each reported purchase that our books do not know, or that our archive records as not bought.
 * Each reference gets one discrepancy, however often suppliers report it. While the discrepancy is open, a later report
 * with a state updates its details. A purchase that the supplier reports as failed opens no discrepancy. Attempts are
 * committed before their first send, so the statement finds the attempts of all our purchases. Once a supplier has
 * `maxAnHour` discrepancies within an hour, the statement opens no more, and returns a row without an id for each
 * further purchase.
 */
const REPORT_PURCHASES = statement(
  'unknown_purchases.report',
  {
    supplierId: 'int',
    maxAnHour: 'int?',
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
  ({ supplierId, maxAnHour, purchases }) => `
    WITH reported AS MATERIALIZED (SELECT * FROM ${purchases.numbered('g', 'place')}),
    same_account AS (
      SELECT s.id FROM suppliers s JOIN suppliers own USING (adapter, base_url, account) WHERE own.id = ${supplierId}),
    -- Discrepancies, open or closed, that this supplier already has for the reported purchases.
    existing AS (
      SELECT g.place, r.id, r.status FROM reported g JOIN supplier_reversals r
        ON r.supplier_id = ${supplierId} AND r.order_id IS NULL AND r.reference = g.reference
      UNION
      SELECT g.place, r.id, r.status FROM reported g JOIN supplier_reversals r
        ON r.supplier_id = ${supplierId} AND r.order_id IS NULL AND r.supplier_reference = g.supplier_reference
      WHERE r.reference IS NULL OR g.reference IS NULL),
    noted AS (
      UPDATE supplier_reversals r SET detail = g.detail,
             supplier_reference = coalesce(r.supplier_reference, g.supplier_reference),
             supplier_sku = coalesce(r.supplier_sku, g.supplier_sku), player = coalesce(r.player, g.player),
             bought_at = coalesce(r.bought_at, g.bought_at),
             cost_micros = CASE WHEN r.cost_micros IS NULL THEN g.cost_micros ELSE r.cost_micros END,
             cost_currency = CASE WHEN r.cost_micros IS NULL THEN g.cost_currency ELSE r.cost_currency END
      FROM existing c JOIN reported g ON g.place = c.place
      WHERE r.id = c.id AND c.status = 'open' AND g.state IS NOT NULL AND r.detail IS DISTINCT FROM g.detail),
    unmatched AS MATERIALIZED (
      SELECT g.*, archived.not_bought FROM reported g
      CROSS JOIN LATERAL (SELECT coalesce(g.state = 'succeeded' AND (${NOT_BOUGHT}), false) AS not_bought) archived
      WHERE g.state IS DISTINCT FROM 'failed' AND g.place NOT IN (SELECT place FROM existing)
        AND (archived.not_bought OR NOT (${KNOWN}))),
    hourly_limit AS MATERIALIZED (
      SELECT ${maxAnHour} IS NOT NULL AND ${maxAnHour} <= (SELECT count(*) FROM (
        SELECT FROM supplier_reversals
        WHERE supplier_id = ${supplierId} AND order_id IS NULL AND created_at > statement_timestamp() - interval '1 hour'
        LIMIT ${maxAnHour}) lately) AS is_reached),
    opened AS (
      INSERT INTO supplier_reversals (supplier_id, kind, order_id, item, unit, attempt, reference, supplier_reference,
                                      supplier_sku, player, bought_at, cost_micros, cost_currency, detail, created_at)
      SELECT ${supplierId}, 'unknown_purchase', NULL, NULL, NULL, NULL, g.reference, g.supplier_reference,
             g.supplier_sku, g.player, g.bought_at, g.cost_micros, g.cost_currency,
             g.detail || CASE WHEN g.not_bought THEN '; our archive records it as not bought' ELSE '' END,
             date_trunc('milliseconds', statement_timestamp())
      FROM unmatched g WHERE NOT (SELECT is_reached FROM hourly_limit)
      ORDER BY g.place
      ON CONFLICT DO NOTHING
      RETURNING id)
    SELECT id FROM opened
    UNION ALL SELECT NULL FROM unmatched WHERE (SELECT is_reached FROM hourly_limit)`,
);

/**
 * Finds which of the given references of the supplier belong to successful units. Only the unit, and not the attempt, surely has
 * the supplier's reference. So this reads all units of the supplier without an index, and only operators' commands may use it.
 */
const LIST_SETTLED_REFERENCES = statement(
  'unknown_purchases.list_settled_references',
  { supplierId: 'int', references: 'text[]' },
  ({ supplierId, references }) => `
    SELECT DISTINCT u.supplier_reference AS reference
    FROM suppliers own JOIN suppliers s USING (adapter, base_url, account) JOIN order_units u ON u.supplier_id = s.id
    WHERE own.id = ${supplierId} AND u.state = 'succeeded' AND u.supplier_reference = ANY(${references})`,
);

/**
 * Selects the discrepancies in `checked` whose purchase a successful unit has. A supplier may have sold twice under one
 * of our references. Then the unit has one purchase and the discrepancy has the other, with different references of the
 * supplier, and the discrepancy stays open. The supplier's reference may match that of the unit or the proven one of
 * the attempt, because some suppliers change their references once a purchase is done.
 */
const matching = (isNamed: string): string => `
      SELECT r.id FROM checked r
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
 * Closes discrepancies whose purchase a unit has by now. A restored database may lack the latest attempt of a unit, so the
 * supplier's report of that attempt opens a discrepancy. When a worker begins this attempt again under the same reference, the
 * supplier returns the same purchase, and the discrepancy can be closed. If the unit ends otherwise, the discrepancy stays open,
 * because a player got a purchase that no merchant paid for. Each discrepancy costs a probe of every partition of the attempts,
 * so one worker at a time checks a limited number.
 */
const CLOSE_BOUGHT = statement(
  'unknown_purchases.close_bought',
  { after: 'int', limit: 'int' },
  ({ after, limit }) => `
    WITH ours AS MATERIALIZED (SELECT pg_try_advisory_xact_lock(${CLOSING_LOCK}) AS ours),
    checked AS MATERIALIZED (
      SELECT id, supplier_id, reference, supplier_reference FROM supplier_reversals
      WHERE status = 'open' AND order_id IS NULL AND id > ${after} AND (SELECT ours FROM ours)
      ORDER BY id LIMIT ${limit}),
    bought AS MATERIALIZED (${matching('a.reference = r.reference')}
      UNION ${matching('r.reference IS NULL AND a.supplier_reference = r.supplier_reference AND NOT a.is_hearsay')}),
    closed AS (
      UPDATE supplier_reversals r
      SET status = 'closed', closed_at = date_trunc('milliseconds', statement_timestamp()),
          detail = concat_ws('; ', r.detail, 'closed automatically: a unit of an order has this purchase')
      WHERE r.id = ANY(ARRAY(SELECT id FROM bought)) AND r.status = 'open'
      RETURNING r.id)
    SELECT ARRAY(SELECT id FROM closed ORDER BY id) AS closed,
           CASE WHEN NOT (SELECT ours FROM ours) THEN ${after}
                WHEN (SELECT count(*) FROM checked) < ${limit} THEN 0
                ELSE (SELECT max(id) FROM checked) END AS next`,
);

/** A purchase that a supplier reports in a callback, a list or a statement. */
export interface ReportedPurchase extends ListedPurchase {
  /** Where the report came from and which result it had, as text for operators. */
  detail: string;
}

/** The result of reporting purchases. */
interface ReportResult {
  /** The ids of the discrepancies that the report opened. */
  opened: number[];
  /** The number of unknown purchases that opened no discrepancy, because of the limit. */
  overLimit: number;
}

/** The reference of a unit's first attempt, unless the adapter's references are random. */
const UNIT_REFERENCE = /^(ord_[0-9A-Za-z]+)\.(\d{1,2})\.(\d{1,3})$/;
/** The order number at the beginning of a reference. The references of all attempts begin with it, unless they are random. */
const ORDER_NUMBER = /^ord_[0-9A-Za-z]+(?=\.)/;

/** Discrepancies for purchases that suppliers report and our books do not know, as after a restore. */
@Injectable()
export class UnknownPurchasesRepository {
  constructor(private readonly database: Database) {}

  /** @returns the given references that successful units have. Reads all units of the supplier. */
  async listSettledReferences(supplierId: number, references: string[]): Promise<Set<string>> {
    if (references.length === 0) return new Set();
    const [list, values] = LIST_SETTLED_REFERENCES.with({ supplierId, references });
    const found = await this.database.query<{ reference: string }>(withLongTimeout(list), values);
    return new Set(found.map(({ reference }) => reference));
  }

  /** Opens discrepancies for the purchases that our books do not know. @returns their ids. */
  async report(supplierId: number, purchases: ReportedPurchase[]): Promise<number[]> {
    return (await this.reportUpTo(null, supplierId, purchases)).opened;
  }

  /** As {@link report}. @param maxAnHour the limit of the supplier's discrepancies within an hour, from all sources, or null. */
  async reportUpTo(maxAnHour: number | null, supplierId: number, purchases: ReportedPurchase[]): Promise<ReportResult> {
    if (purchases.length === 0) return { opened: [], overLimit: 0 };
    const values = { supplierId, maxAnHour, purchases: purchases.map(toRow) };
    const reported = await this.database.query<{ id: number | null }>(...REPORT_PURCHASES.with(values));
    const opened = reported.flatMap(({ id }) => (id === null ? [] : [id]));
    return { opened, overLimit: reported.length - opened.length };
  }

  /**
   * Closes open discrepancies whose purchase a unit has by now. Closes none while another worker is closing some.
   * @param after the id of the last checked discrepancy.
   * @returns the closed ids, and the id to continue after: 0 after the last discrepancy.
   */
  async closeBought(after: number, limit: number): Promise<{ closed: number[]; next: number }> {
    const values = CLOSE_BOUGHT.with({ after, limit });
    const [checked] = await this.database.query<{ closed: number[]; next: number }>(...values);
    return present(checked, 'closing bought discrepancies returns one row');
  }
}

function toRow({ reference, supplierReference, state, sku, player, boughtAt, cost, detail }: ReportedPurchase) {
  const [, , item, unit] = UNIT_REFERENCE.exec(reference ?? '') ?? [];
  const [orderNumber = null] = ORDER_NUMBER.exec(reference ?? '') ?? [];
  return {
    reference,
    supplier_reference: supplierReference,
    state,
    supplier_sku: sku,
    player,
    detail,
    bought_at: boughtAt,
    cost_micros: cost?.micros ?? null,
    cost_currency: cost?.currency ?? null,
    order_number: orderNumber,
    item: item === undefined ? null : Number(item),
    unit: unit === undefined ? null : Number(unit),
  };
}
