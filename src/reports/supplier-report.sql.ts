import type { Statement } from '../database/database.js';
import { unitReferenceIn } from '../orders/order.rows.js';
import { sandboxPieceIn } from '../orders/sandbox-piece.sql.js';

const FROM_UNITS = `
  FROM orders o
  JOIN order_units u ON u.order_id = o.id
  JOIN order_items i ON i.order_id = u.order_id AND i.position = u.item`;
const WHERE_UNITS = `WHERE u.supplier_id = $1 AND o.created_at >= $2`;

/** $1 supplier, $2 orders created since. */
export const COUNT_UNITS: Statement = {
  name: 'supplier_report.count_units',
  text: `SELECT count(*) FILTER (WHERE u.state = 'succeeded') AS succeeded,
                count(*) FILTER (WHERE u.state = 'failed') AS failed,
                count(*) FILTER (WHERE u.state NOT IN ('succeeded', 'failed')) AS open,
                coalesce(sum(i.unit_price) FILTER (WHERE u.state = 'succeeded'), 0)::bigint AS succeeded_amount,
                coalesce(min(o.id), 0) AS first_order_id ${FROM_UNITS} ${WHERE_UNITS}`,
};

/** Each with its latest attempt. $1 supplier, $2 orders created since, $3–$5 the unit after which to go on, $6 how many. */
export const PAGE_OF_SETTLED: Statement = {
  name: 'supplier_report.page_of_settled',
  text: `SELECT u.order_id, u.item, u.unit, u.state, u.failure_code, i.unit_price, greatest(u.attempt, 1) AS attempt,
                coalesce(latest.supplier_sku, i.supplier_sku) AS sku,
                coalesce(latest.reference, ${unitReferenceIn('o', 'u')}) AS reference,
                coalesce(latest.supplier_reference, u.supplier_reference) AS supplier_reference, i.kind, o.user_id,
                ${sandboxPieceIn('u')} AS sandbox_piece
         ${FROM_UNITS}
         LEFT JOIN LATERAL (
           SELECT a.reference, a.supplier_sku, CASE WHEN NOT a.is_hearsay THEN a.supplier_reference END AS supplier_reference
           FROM unit_attempts a
           WHERE a.order_id = u.order_id AND a.item = u.item AND a.unit = u.unit AND a.number = u.attempt) latest ON true
         ${WHERE_UNITS}
           AND u.state IN ('succeeded', 'failed')
           AND (u.order_id, u.item, u.unit) > ($3::bigint, $4::smallint, $5::smallint)
         ORDER BY u.order_id, u.item, u.unit LIMIT $6`,
};
