import type { Statement } from '../database/database.js';
import { statement } from '../database/parameters.js';
import type { FailureCode } from '../core/failures.js';
import type { UnitState } from '../orders/states.js';
import { ORDER_COLUMNS, unitReferenceIn } from '../orders/order.rows.js';

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

/** An attempt to buy a unit, with what its supplier and we call it. */
export interface AttemptOfUnit {
  item: number;
  unit: number;
  number: number;
  supplier: string;
  supplier_sku: string;
  reference: string;
  supplier_reference: string | null;
  /** How it ended, if another one followed; else the unit's. */
  state: UnitState | 'withdrawn';
  failure_code: FailureCode | null;
  cost_micros: bigint | null;
  cost_currency: string | null;
  /** What came of the latest call about it; null where it was never sent. */
  last_outcome: string | null;
}

/**
 * The attempts of units `u`, unit by unit, each unit's in their order. A unit that was settled by the version before attempts
 * were recorded has had one.
 */
const attemptsOf = (units: string): string => `
    SELECT u.item, u.unit, coalesce(a.number, 1) AS number, s.code AS supplier,
           coalesce(a.supplier_sku, i.supplier_sku) AS supplier_sku,
           coalesce(a.reference, ${unitReferenceIn('o', 'u')}) AS reference,
           CASE WHEN a.ended_as IS NULL THEN coalesce(u.supplier_reference, a.supplier_reference)
                ELSE a.supplier_reference END AS supplier_reference,
           coalesce(a.ended_as, u.state) AS state,
           CASE WHEN a.ended_as IS NULL THEN u.failure_code ELSE a.failure_code END AS failure_code,
           a.cost_micros, a.cost_currency,
           CASE WHEN a.ended_as IS NOT NULL THEN a.ended_as WHEN u.first_sent_at IS NOT NULL THEN last_call.outcome END
             AS last_outcome
    FROM order_units u
    JOIN orders o ON o.id = u.order_id
    JOIN order_items i ON i.order_id = u.order_id AND i.position = u.item
    LEFT JOIN unit_attempts a ON a.order_id = u.order_id AND a.item = u.item AND a.unit = u.unit
    LEFT JOIN LATERAL (SELECT c.outcome FROM supplier_calls c
                       WHERE c.order_id = u.order_id AND c.item = u.item AND c.unit = u.unit
                       ORDER BY c.id DESC LIMIT 1) last_call ON true
    JOIN suppliers s ON s.id = coalesce(a.supplier_id, u.supplier_id)
    WHERE ${units} AND (a.number IS NOT NULL OR u.sends > 0)
    ORDER BY u.item, u.unit, a.number`;

export const FIND_ATTEMPTS = statement('support.find_attempts', { orderId: 'bigint' }, ({ orderId }) =>
  attemptsOf(`u.order_id = ${orderId}`),
);

export const FIND_ATTEMPTS_OF_UNIT = statement(
  'support.find_attempts_of_unit',
  { orderId: 'bigint', item: 'smallint', unit: 'smallint' },
  ({ orderId, item, unit }) =>
    attemptsOf(`u.order_id = ${orderId} AND u.item = ${item} AND u.unit = ${unit}`),
);

/** An order, and what its merchant pays for one of its units; null where it has no such unit. */
export interface PricedUnit {
  id: bigint;
  merchant_id: number;
  price: bigint | null;
}

export const FIND_UNIT = statement(
  'support.find_unit',
  { orderNumber: 'text', item: 'smallint', unit: 'smallint' },
  ({ orderNumber, item, unit }) => `
    SELECT o.id, o.merchant_id, i.unit_price AS price
    FROM orders o
    LEFT JOIN order_units u ON u.order_id = o.id AND u.item = ${item} AND u.unit = ${unit}
    LEFT JOIN order_items i ON i.order_id = u.order_id AND i.position = u.item
    WHERE o.order_number = ${orderNumber}`,
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
