import { SANDBOX_SUPPLIER_ID } from '../core/sandbox.js';
import { rowsOf, statement } from '../database/parameters.js';
import type { UnitState } from '../orders/states.js';

/** A unit of which nobody knows yet whether it was bought. */
export interface ReviewRow {
  order_id: bigint;
  item: number;
  unit: number;
  state: 'review' | 'unknown';
  unknown_since: Date | null;
  sends: number;
  inquiries: number;
  order_number: string;
  merchant_id: number;
  merchant_name: string;
  reference_id: string;
  sku: string;
  unit_price: bigint;
  supplier: string;
  reference: string | null;
  supplier_reference: string | null;
  last_kind: string | null;
  last_outcome: string | null;
  last_detail: string | null;
  last_at: Date | null;
  claimed_by: string | null;
  claimed_by_id: number | null;
  claimed_until: Date | null;
}

/** The units of one state, in the order of their keys: the oldest orders first. */
const unitsIn = (state: 'review' | 'unknown', rank: number, condition: string): string => `
  (SELECT ${rank} AS rank, u.* FROM order_units u
   WHERE u.state = '${state}' AND ${condition}
   ORDER BY u.order_id, u.item, u.unit LIMIT 1001)`;

/**
 * Units in review, then those in doubt, the oldest orders first; none of the sandbox, where nothing was bought. Behind the
 * place that the last four parameters name.
 */
export const LIST_REVIEW = statement(
  'review.list',
  {
    ...({ supplierId: 'int?', states: 'text[]', limit: 'int' } as const),
    ...({ rank: 'int', orderId: 'bigint', item: 'int', unit: 'int' } as const),
  },
  ({ supplierId, states, limit, rank, orderId, item, unit }) => {
    const behind = (ofState: number): string => `
      u.supplier_id <> ${SANDBOX_SUPPLIER_ID} AND (${supplierId} IS NULL OR u.supplier_id = ${supplierId})
      AND (${ofState} > ${rank} OR (u.order_id, u.item, u.unit) > (${orderId}, ${item}, ${unit})) AND ${ofState} >= ${rank}`;
    return `
      SELECT u.order_id, u.item, u.unit, u.state, u.unknown_since, u.sends, u.inquiries,
             o.order_number, o.merchant_id, m.name AS merchant_name, o.reference_id, i.sku, i.unit_price, s.code AS supplier,
             a.reference, coalesce(u.supplier_reference, a.supplier_reference) AS supplier_reference,
             c.kind AS last_kind, c.outcome AS last_outcome, c.detail AS last_detail, c.ended_at AS last_at,
             p.name AS claimed_by, p.id AS claimed_by_id, claim.claimed_until
      FROM (SELECT * FROM (${unitsIn('review', 1, behind(1))} UNION ALL ${unitsIn('unknown', 2, behind(2))}) both_states
            WHERE state = ANY(${states}) ORDER BY rank, order_id, item, unit LIMIT ${limit}) u
      JOIN orders o ON o.id = u.order_id
      JOIN merchants m ON m.id = o.merchant_id
      JOIN order_items i ON i.order_id = u.order_id AND i.position = u.item
      JOIN suppliers s ON s.id = u.supplier_id
      LEFT JOIN unit_attempts a ON (a.order_id, a.item, a.unit, a.number) = (u.order_id, u.item, u.unit, u.attempt)
      LEFT JOIN LATERAL (SELECT * FROM supplier_calls
                         WHERE order_id = u.order_id AND item = u.item AND unit = u.unit
                         ORDER BY id DESC LIMIT 1) c ON true
      LEFT JOIN review_claims claim ON (claim.order_id, claim.item, claim.unit) = (u.order_id, u.item, u.unit)
        AND claim.claimed_until > statement_timestamp()
      LEFT JOIN operators p ON p.id = claim.operator_id
      ORDER BY u.rank, u.order_id, u.item, u.unit`;
  },
);

/** No row while somebody else looks after the unit. */
export const CLAIM_UNIT = statement(
  'review.claim',
  { orderId: 'bigint', item: 'int', unit: 'int', operatorId: 'int', minutes: 'int' },
  ({ orderId, item, unit, operatorId, minutes }) => `
    INSERT INTO review_claims AS c (order_id, item, unit, operator_id, claimed_until)
    VALUES (${orderId}, ${item}, ${unit}, ${operatorId},
            statement_timestamp() + ${minutes} * interval '1 minute')
    ON CONFLICT (order_id, item, unit) DO UPDATE
      SET operator_id = excluded.operator_id, claimed_until = excluded.claimed_until
      WHERE c.operator_id = excluded.operator_id OR c.claimed_until <= statement_timestamp()
    RETURNING claimed_until`,
);

/** A unit as it stands, with what a decision about it would move. */
export interface StandingUnit {
  order_id: bigint;
  item: number;
  unit: number;
  state: UnitState;
  attempt: number;
  order_number: string;
  merchant_id: number;
  merchant_name: string;
  unit_price: bigint;
  supplier: string;
  /** Whether it is at another supplier than the one it is asked for at. */
  moved: boolean;
  /** How many units of its order are not settled, it included. */
  open_units: number;
  /** The operator who decided about it last, by name; null where none did. */
  decided_by: string | null;
}

/** Those that there are, in the order in which they are asked for; null stands for any supplier. */
export const FIND_STANDING = statement(
  'review.find_standing',
  { asked: rowsOf({ order_number: 'text', item: 'smallint', unit: 'smallint', supplier: 'text?' }) },
  ({ asked }) => `
    SELECT u.order_id, u.item, u.unit, u.state, u.attempt, o.order_number, o.merchant_id, m.name AS merchant_name,
           i.unit_price,
           s.code AS supplier, coalesce(s.code <> asked.supplier, false) AS moved, decision.by AS decided_by,
           (SELECT count(*)::int FROM order_units open
            WHERE open.order_id = u.order_id AND open.state NOT IN ('succeeded', 'failed')) AS open_units
    FROM ${asked.numbered('asked', 'place')}
    JOIN orders o ON o.order_number = asked.order_number
    JOIN order_units u ON u.order_id = o.id AND u.item = asked.item AND u.unit = asked.unit
    JOIN order_items i ON i.order_id = u.order_id AND i.position = u.item
    JOIN merchants m ON m.id = o.merchant_id
    JOIN suppliers s ON s.id = u.supplier_id
    LEFT JOIN LATERAL (
      SELECT coalesce(p.name, a.operator) AS by
      FROM operator_actions a LEFT JOIN operators p ON p.id = a.operator_id
      WHERE a.order_id = u.order_id AND a.action = 'order.resolve' AND a.detail ->> 'unit' = u.item || '.' || u.unit
      ORDER BY a.id DESC LIMIT 1) decision ON true
    ORDER BY asked.place`,
);
