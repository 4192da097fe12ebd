import { Injectable } from '@nestjs/common';
import { SANDBOX_SUPPLIER_ID } from '../core/sandbox.js';
import { Database, type Transaction } from '../database/database.js';
import { rowsOf, statement } from '../database/parameters.js';
import type { OrderItem } from '../orders/order-item.entity.js';
import type { OrderUnit } from '../orders/order-unit.entity.js';
import type { Order } from '../orders/order.entity.js';
import type { UnitKey } from '../orders/order.rows.js';
import { ReviewClaim } from './review-claim.entity.js';

/** A unit in doubt or in review, with the latest call about it. */
export interface ReviewRow
  extends
    Pick<
      OrderUnit,
      'order_id' | 'item' | 'unit' | 'attempt' | 'unknown_since' | 'sends' | 'inquiries' | 'supplier_reference'
    >,
    Pick<Order, 'order_number' | 'merchant_id' | 'reference_id'>,
    Pick<OrderItem, 'sku' | 'unit_price'> {
  state: 'review' | 'unknown';
  merchant_name: string;
  supplier: string;
  reference: string | null;
  last_kind: string | null;
  last_outcome: string | null;
  last_detail: string | null;
  last_at: Date | null;
  claimed_by: string | null;
  claimed_by_id: number | null;
  claimed_until: Date | null;
}

/** The units of one state, the oldest orders first. */
const unitsIn = (state: 'review' | 'unknown', rank: number, condition: string): string => `
  (SELECT ${rank} AS rank, u.* FROM order_units u
   WHERE u.state = '${state}' AND ${condition}
   ORDER BY u.order_id, u.item, u.unit LIMIT 1001)`;

/** The number of a unit's latest attempt; 1 even before the first attempt begins. */
const LATEST_ATTEMPT = 'greatest(u.attempt, 1) AS attempt';

/** Lists units after the place that the last four parameters name. Leaves out the sandbox, because it buys nothing. */
const LIST_REVIEW = statement(
  'review.list',
  {
    supplierIds: 'int[]?',
    states: 'text[]',
    limit: 'int',
    rank: 'int',
    orderId: 'bigint',
    item: 'int',
    unit: 'int',
  },
  ({ supplierIds, states, limit, rank, orderId, item, unit }) => {
    const afterPlace = (ofState: number): string => `
      u.supplier_id <> ${SANDBOX_SUPPLIER_ID} AND (${supplierIds} IS NULL OR u.supplier_id = ANY(${supplierIds}))
      AND (${ofState} > ${rank} OR (u.order_id, u.item, u.unit) > (${orderId}, ${item}, ${unit})) AND ${ofState} >= ${rank}`;
    return `
      SELECT u.order_id, u.item, u.unit, u.state, ${LATEST_ATTEMPT}, u.unknown_since, u.sends, u.inquiries,
             o.order_number, o.merchant_id, m.name AS merchant_name, o.reference_id, i.sku, i.unit_price, s.code AS supplier,
             a.reference, coalesce(u.supplier_reference, a.supplier_reference) AS supplier_reference,
             c.kind AS last_kind, c.outcome AS last_outcome, c.detail AS last_detail, c.ended_at AS last_at,
             p.name AS claimed_by, p.id AS claimed_by_id, claim.claimed_until
      FROM (SELECT * FROM (${unitsIn('review', 1, afterPlace(1))} UNION ALL ${unitsIn('unknown', 2, afterPlace(2))}) both_states
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

/** Returns no row while another operator's claim of the unit is valid. */
const CLAIM_UNIT = statement(
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

/** The current state of a unit, with the price that a decision about it would move. */
export interface UnitStatus
  extends
    Pick<OrderUnit, 'order_id' | 'item' | 'unit' | 'state' | 'attempt'>,
    Pick<Order, 'order_number' | 'merchant_id'>,
    Pick<OrderItem, 'unit_price'> {
  merchant_name: string;
  supplier: string;
  /** Whether the unit is at another supplier, or in another attempt, than when the operator chose it. */
  moved: boolean;
  /** The number of units of the order that are not settled, this one included. */
  open_units: number;
  /** The operator who last decided about the unit; null if none did. */
  decided_by: string | null;
}

/** In the given order, without units that do not exist. A null supplier or attempt moves no unit. */
const LIST_STATUS = statement(
  'review.find_standing',
  {
    chosen: rowsOf({
      ...({ order_number: 'text', item: 'smallint', unit: 'smallint' } as const),
      ...({ supplier: 'text?', attempt: 'int?' } as const),
    }),
  },
  ({ chosen }) => `
    SELECT u.order_id, u.item, u.unit, u.state, ${LATEST_ATTEMPT}, o.order_number, o.merchant_id, m.name AS merchant_name,
           i.unit_price, s.code AS supplier, decision.by AS decided_by,
           coalesce(s.code <> chosen.supplier, false)
             OR coalesce(greatest(u.attempt, 1) <> chosen.attempt, false) AS moved,
           (SELECT count(*)::int FROM order_units open
            WHERE open.order_id = u.order_id AND open.state NOT IN ('succeeded', 'failed')) AS open_units
    FROM ${chosen.numbered('chosen', 'place')}
    JOIN orders o ON o.order_number = chosen.order_number
    JOIN order_units u ON u.order_id = o.id AND u.item = chosen.item AND u.unit = chosen.unit
    JOIN order_items i ON i.order_id = u.order_id AND i.position = u.item
    JOIN merchants m ON m.id = o.merchant_id
    JOIN suppliers s ON s.id = u.supplier_id
    LEFT JOIN LATERAL (
      SELECT coalesce(p.name, a.operator) AS by
      FROM operator_actions a LEFT JOIN operators p ON p.id = a.operator_id
      WHERE a.order_id = u.order_id AND a.action = 'order.resolve' AND a.detail ->> 'unit' = u.item || '.' || u.unit
      ORDER BY a.id DESC LIMIT 1) decision ON true
    ORDER BY chosen.place`,
);

/** The last unit of a page: the next page begins after this unit. */
export interface ReviewPlace {
  /** 1 for a unit in review, 2 for a unit in doubt, 0 for the beginning of the list. */
  rank: number;
  orderId: bigint;
  item: number;
  unit: number;
}

interface ReviewFilter {
  supplierIds: number[] | null;
  states: ReviewRow['state'][];
  limit: number;
}

/** A unit that an operator chose. */
export interface ChosenUnit extends Pick<UnitStatus, 'order_number' | 'item' | 'unit'> {
  /** The code of the unit's supplier at that time; null if the supplier does not matter. */
  supplier: string | null;
  /** The number of the unit's latest attempt at that time; null if the attempt does not matter. */
  attempt: number | null;
}

/** An operator's claim of a unit ends after this time. */
const CLAIM_MINUTES = 10;

@Injectable()
export class ReviewRepository {
  constructor(private readonly database: Database) {}

  /** Units in review, then units in doubt, the oldest orders first. */
  list(filter: ReviewFilter, after: ReviewPlace): Promise<ReviewRow[]> {
    return this.database.query<ReviewRow>(...LIST_REVIEW.with({ ...filter, ...after }));
  }

  /** Returns the units in the given order, without units that do not exist. */
  listStatus(chosen: readonly ChosenUnit[]): Promise<UnitStatus[]> {
    return this.database.query<UnitStatus>(...LIST_STATUS.with({ chosen }));
  }

  /** @returns the end of the claim; null while another operator's claim of the unit is valid. */
  async claim(tx: Transaction, key: UnitKey, operatorId: number): Promise<Date | null> {
    const [claimed] = await tx.query<{ claimed_until: Date }>(
      ...CLAIM_UNIT.with({ ...key, operatorId, minutes: CLAIM_MINUTES }),
    );
    return claimed?.claimed_until ?? null;
  }

  /** @returns whether the operator had claimed the unit. */
  async release({ manager }: Transaction, { orderId, item, unit }: UnitKey, operatorId: number): Promise<boolean> {
    const claim = { order_id: orderId, item, unit, operator_id: operatorId };
    const { affected } = await manager.delete(ReviewClaim, claim);
    return (affected ?? 0) > 0;
  }
}
