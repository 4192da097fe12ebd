import { SANDBOX_SUPPLIER_ID } from '../../core/sandbox.js';
import { ARCHIVED_MEMBERS, ARCHIVED_MEMBERS_VERSION } from '../../orders/archived-order.js';

// Some facts about archived orders stay in the database: their references with their results, and some of their attempts.
// These statements store, check and remove such rows.

const valuesOf = (alias: string, names: readonly string[]): string =>
  names.map((name) => `${alias}.${name}`).join(', ');

/** Builds the stored result of an order, in the format of one version. */
const answerOf = (items: string, { order, item }: (typeof ARCHIVED_MEMBERS)[keyof typeof ARCHIVED_MEMBERS]): string => `
  json_build_array(${valuesOf('o', order)}, (
    SELECT coalesce(json_agg(json_build_array(${valuesOf('i', item)}) ORDER BY i.position), '[]')
    FROM ${items} i WHERE i.order_id = o.id))`;

/** The last id of the next batch. $1: after this id, $2: how many. */
export const endOfOrders = (orders: string): string =>
  `SELECT max(id)::text AS id FROM (SELECT id FROM ${orders} WHERE id > $1 ORDER BY id LIMIT $2) batch`;

/** Stores references and results of orders. $1: after this id, $2: through that one. */
export const keepReferences = (orders: string, items: string): string => `
  INSERT INTO order_references (order_id, merchant_id, reference_id, order_number, content_hash, answer, answer_version)
  SELECT o.id, o.merchant_id, o.reference_id, o.order_number, o.content_hash, ${answerOf(items, ARCHIVED_MEMBERS[ARCHIVED_MEMBERS_VERSION])},
         ${ARCHIVED_MEMBERS_VERSION}
  FROM ${orders} o WHERE o.id > $1 AND o.id <= $2 ORDER BY o.merchant_id, o.reference_id
  ON CONFLICT (order_id) DO NOTHING`;

/** Counts orders whose stored row is missing or differs. */
export const countMissing = (orders: string, items: string): string => `
  SELECT count(*)::text AS rows FROM ${orders} o LEFT JOIN order_references r ON r.order_id = o.id
  WHERE r.order_id IS NULL
    OR (r.merchant_id, r.reference_id, r.order_number, r.content_hash)
       IS DISTINCT FROM (o.merchant_id, o.reference_id, o.order_number, o.content_hash)
    OR r.answer::text IS DISTINCT FROM (CASE r.answer_version ${Object.entries(ARCHIVED_MEMBERS)
      .map(([version, members]) => `WHEN ${version} THEN ${answerOf(items, members)}`)
      .join(' ')} END)::text`;

/** Removes references of orders. $1: from this id, $2: before that one, $3: how many. */
export const FORGET_REFERENCES = `
  WITH next AS (
    SELECT order_id FROM order_references WHERE order_id >= $1 AND order_id < $2 ORDER BY order_id LIMIT $3)
  DELETE FROM order_references r USING next WHERE r.order_id = next.order_id RETURNING r.order_id`;

/**
 * Stores attempts, each with its supplier's reference. Leaves out attempts that bought their units and have no reference of the
 * supplier, if their own reference begins with the order's number: a report can only name that. Also leaves out what the sandbox
 * sold, which it never reports. $1: after this order's id, $2: through that one.
 */
export const keepPurchases = (orders: string, units: string, attempts: string): string => `
  INSERT INTO archived_purchases (supplier_id, reference, order_id, supplier_reference, not_bought)
  SELECT a.supplier_id, a.reference, a.order_id, ended.name, ended.not_bought
  FROM ${orders} o
  JOIN ${attempts} a ON a.order_id = o.id
  JOIN ${units} u ON u.order_id = a.order_id AND u.item = a.item AND u.unit = a.unit
  CROSS JOIN LATERAL (
    SELECT a.ended_as IS NOT NULL OR u.state = 'failed' AS not_bought,
           -- An attempt that succeeded with its first answer has its supplier's reference only in its unit.
           coalesce(a.supplier_reference, CASE WHEN a.number = u.attempt THEN u.supplier_reference END) AS name) ended
  LEFT JOIN archived_purchases p
    ON p.supplier_id = a.supplier_id AND p.reference = a.reference AND p.order_id = a.order_id
  WHERE o.id > $1 AND o.id <= $2
    AND (ended.not_bought OR NOT starts_with(a.reference, o.order_number || '.')
         OR ended.name IS NOT NULL AND a.supplier_id <> ${SANDBOX_SUPPLIER_ID})
    AND (p.order_id IS NULL
         OR (p.supplier_reference, p.not_bought) IS DISTINCT FROM (ended.name, ended.not_bought))
  ON CONFLICT (supplier_id, reference, order_id)
  DO UPDATE SET supplier_reference = excluded.supplier_reference, not_bought = excluded.not_bought`;

/** Removes stored purchases of restored orders. $1: from this id, $2: before that one, $3: how many. */
export const FORGET_PURCHASES = `
  WITH next AS (
    SELECT supplier_id, reference, order_id FROM archived_purchases WHERE order_id >= $1 AND order_id < $2
    ORDER BY order_id LIMIT $3)
  DELETE FROM archived_purchases p USING next
  WHERE (p.supplier_id, p.reference, p.order_id) = (next.supplier_id, next.reference, next.order_id)
  RETURNING p.order_id`;
