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
  ({ orderId, item, unit }) => attemptsOf(`u.order_id = ${orderId} AND u.item = ${item} AND u.unit = ${unit}`),
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
