import type { Statement } from '../../database/database.js';
import { unitReferenceIn } from '../../orders/order.rows.js';
import { sandboxPieceIn } from '../../orders/sandbox-piece.sql.js';

/** Each attempt; a unit that was settled by the version before attempts were recorded has had one. */
const FROM_ATTEMPTS = `
  FROM orders o
  JOIN order_units u ON u.order_id = o.id
  JOIN order_items i ON i.order_id = u.order_id AND i.position = u.item
  LEFT JOIN unit_attempts a ON a.order_id = u.order_id AND a.item = u.item AND a.unit = u.unit`;
const WHERE_ATTEMPTS = `WHERE coalesce(a.supplier_id, u.supplier_id) = $1 AND o.created_at >= $2`;
/** Of the unit as it stands; any other attempt was given up. */
const IS_LATEST = `a.ended_as IS NULL`;

/** $1 supplier, $2 orders created since. */
export const COUNT_UNITS: Statement = {
  name: 'supplier_report.count_units',
  text: `SELECT count(*) FILTER (WHERE ${IS_LATEST} AND u.state = 'succeeded') AS succeeded,
                count(*) FILTER (WHERE ${IS_LATEST} AND u.state = 'failed') AS failed,
                count(*) FILTER (WHERE ${IS_LATEST} AND u.state NOT IN ('succeeded', 'failed')) AS open,
                count(*) FILTER (WHERE NOT (${IS_LATEST})) AS given_up,
                coalesce(sum(i.unit_price) FILTER (WHERE ${IS_LATEST} AND u.state = 'succeeded'), 0)::bigint AS succeeded_amount,
                coalesce(min(o.id), 0) AS first_order_id ${FROM_ATTEMPTS} ${WHERE_ATTEMPTS}`,
};

/**
 * Attempts that ended: how their units were settled, or as not bought where another one followed. $1 supplier, $2 orders
 * created since, $3–$6 the attempt after which to go on, $7 how many.
 */
export const PAGE_OF_ENDED: Statement = {
  name: 'supplier_report.page_of_ended',
  text: `SELECT u.order_id, u.item, u.unit, CASE WHEN ${IS_LATEST} THEN u.state ELSE 'failed' END AS state, i.unit_price,
                coalesce(a.number, greatest(u.attempt, 1)) AS attempt,
                coalesce(a.supplier_sku, i.supplier_sku) AS sku,
                coalesce(a.reference, ${unitReferenceIn('o', 'u')}) AS reference,
                coalesce(CASE WHEN NOT a.is_hearsay THEN a.supplier_reference END,
                         CASE WHEN ${IS_LATEST} THEN u.supplier_reference END) AS supplier_reference, i.kind, o.user_id,
                ${sandboxPieceIn('u')} AS sandbox_piece
         ${FROM_ATTEMPTS}
         ${WHERE_ATTEMPTS}
           AND (NOT (${IS_LATEST}) OR u.state IN ('succeeded', 'failed'))
           AND u.order_id >= $3::bigint
           AND (u.order_id, u.item, u.unit, coalesce(a.number, 1)) > ($3::bigint, $4::smallint, $5::smallint, $6::smallint)
         ORDER BY u.order_id, u.item, u.unit, coalesce(a.number, 1) LIMIT $7`,
};
