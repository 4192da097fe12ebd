import type { Statement } from '../database/database.js';
import { statement } from '../database/parameters.js';
import { ORDER_COLUMNS } from '../orders/order.rows.js';

/** A reference is indexed together with its merchant: one look for each merchant beats reading all orders. */
export const FIND_BY_REFERENCE = statement(
  'support.find_by_reference',
  { reference: 'text', merchantId: 'int?' },
  ({ reference, merchantId }) => `
    SELECT found.* FROM merchants m
    CROSS JOIN LATERAL (
      SELECT ${ORDER_COLUMNS} FROM orders WHERE merchant_id = m.id AND reference_id = ${reference} LIMIT 1) found
    WHERE ${merchantId} IS NULL OR m.id = ${merchantId}
    ORDER BY m.id`,
);

/**
 * What happened to an order, oldest first. A call or decision that settled the last unit is written by the transaction
 * that ended the order, a moment after that read the clock: it is told as a part of that moment. $1 order.
 */
export const FIND_TIMELINE: Statement = {
  name: 'support.find_timeline',
  text: `
    WITH this_order AS (SELECT id, status, created_at, updated_at, total_amount, failure_code, failure_message,
                         status IN ('completed', 'failed') AS ended
                  FROM orders WHERE id = $1),
    happened (at, rank, sequence, event, unit, detail, process) AS (
      SELECT created_at, 0, 0::bigint, 'order.created', NULL, NULL, NULL FROM this_order
      UNION ALL
      SELECT c.ended_at, 1, c.id, 'supplier.' || c.kind, c.item || '.' || c.unit,
             c.outcome || ' after ' || c.duration_ms || ' ms' || coalesce(': ' || c.detail, ''), c.process
      FROM supplier_calls c WHERE c.order_id = $1
      UNION ALL
      SELECT r.created_at, 1, r.id, 'supplier.' || r.kind, r.item || '.' || r.unit,
             'reversal ' || r.id || coalesce(': ' || coalesce(r.supplier_reference, r.detail), ''), NULL
      FROM supplier_reversals r WHERE r.order_id = $1
      UNION ALL
      SELECT a.created_at, 1, a.id, a.action, coalesce(a.detail ->> 'unit', cancelled.unit),
             concat_ws(' ', a.detail ->> 'result', a.detail ->> 'code')
               || ' by ' || a.operator || coalesce(': ' || (a.detail ->> 'reason'), ''), NULL
      FROM operator_actions a LEFT JOIN LATERAL jsonb_array_elements_text(a.detail -> 'units') AS cancelled(unit) ON true
      WHERE a.order_id = $1
      UNION ALL
      SELECT updated_at, 2, 0, 'order.' || status, NULL, concat_ws(': ', failure_code, failure_message), NULL
      FROM this_order WHERE ended
      UNION ALL
      SELECT w.started_at, 3, d.id, 'webhook.attempt', NULL,
             'webhook ' || d.webhook_id || ', attempt ' || w.number || ': '
               || coalesce(w.response_status::text, w.error, 'no answer') || ' after ' || w.duration_ms || ' ms', NULL
      FROM events e JOIN webhook_deliveries d ON d.event_id = e.id JOIN webhook_attempts w ON w.delivery_id = d.id
      WHERE e.order_id = $1)
    SELECT CASE WHEN this_order.ended AND h.rank = 1 AND h.at < this_order.updated_at + interval '1 s'
                THEN least(h.at, this_order.updated_at) ELSE h.at END AS at,
           h.event, h.unit, nullif(h.detail, '') AS detail, h.process
    FROM happened h, this_order
    ORDER BY 1, h.rank, h.sequence`,
};
