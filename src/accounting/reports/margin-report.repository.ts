import { Injectable } from '@nestjs/common';
import type { Satang } from '../../core/money.js';
import type { Queryable } from '../../database/database.js';
import { withLongTimeout } from '../../database/snapshot.js';
import type { Coverage } from './coverage.js';
import { statement } from '../../database/parameters.js';

/** What each row of the report is about. */
export const GROUPINGS = ['sku', 'supplier', 'merchant', 'day'] as const;
export type Grouping = (typeof GROUPINGS)[number];

/** Where the days of the report begin and end. */
export const MARGIN_TIMEZONE = 'Asia/Bangkok';

/** Ids stay numbers in their order. */
const GROUPED_BY: Record<Grouping, string> = {
  day: `(ended.at AT TIME ZONE '${MARGIN_TIMEZONE}')::date`,
  sku: 'i.sku',
  supplier: 's.code',
  merchant: 'ended.merchant_id',
};

/** Of the attempt that bought the unit; a unit without one was bought on the terms of its item. */
const term = (name: string): string => `CASE WHEN a.number IS NULL THEN i.${name} ELSE a.${name} END AS ${name}`;

/**
 * Baht for one unit of the currency when the attempt began. Where that has a rate of 1 and another currency than the
 * baht, the supplier told the cost in another currency than the offer's, and the rate is not that currency's.
 */
const RATE = `
  CASE WHEN terms.cost_currency = 'THB' THEN 1 ELSE coalesce(nullif(terms.baht_per_unit, 1), (
    SELECT baht_per_unit FROM fx_rates
    WHERE currency = terms.cost_currency AND valid_from <= coalesce(a.created_at, o.created_at)
    ORDER BY valid_from DESC LIMIT 1)) END`;

const marginBy = (grouping: Grouping) =>
  statement(
    `margin_report.by_${grouping}`,
    { start: 'timestamptz', stop: 'timestamptz', includeSandbox: 'boolean' },
    ({ start, stop, includeSandbox }) => `
    WITH ended AS (
      SELECT order_id AS id, merchant_id, created_at AS at FROM transfers
      WHERE kind = 'order_spend' AND created_at >= ${start} AND created_at < ${stop}
      UNION ALL
      SELECT id, merchant_id, updated_at FROM orders o
      WHERE status IN ('completed', 'failed') AND updated_at >= ${start} AND updated_at < ${stop}
        AND NOT EXISTS (SELECT FROM transfers t WHERE t.order_id = o.id AND t.kind = 'order_spend')),
    bought AS (
      SELECT ${GROUPED_BY[grouping]} AS about, i.unit_price, a.cost_micros IS NULL AS is_estimate,
             coalesce(a.cost_micros, terms.expected_cost_micros) * ${RATE} AS baht_micros
      FROM ended
      JOIN orders o ON o.id = ended.id AND (${includeSandbox} OR NOT o.sandbox)
      JOIN order_units u ON u.order_id = o.id AND u.state = 'succeeded'
      JOIN order_items i ON i.order_id = u.order_id AND i.position = u.item
      JOIN suppliers s ON s.id = u.supplier_id
      LEFT JOIN unit_attempts a ON a.order_id = u.order_id AND a.item = u.item AND a.unit = u.unit AND a.number = u.attempt
      CROSS JOIN LATERAL (
        SELECT ${['expected_cost_micros', 'cost_currency', 'baht_per_unit'].map(term).join(', ')}) terms)
    SELECT about::text, count(*) AS units, sum(unit_price)::bigint AS revenue,
           round(coalesce(sum(baht_micros), 0) * 0.0001)::bigint AS cost,
           count(*) FILTER (WHERE is_estimate AND baht_micros IS NOT NULL) AS cost_estimated_units,
           count(*) FILTER (WHERE baht_micros IS NULL) AS cost_unknown_units,
           coalesce(sum(unit_price) FILTER (WHERE baht_micros IS NULL), 0)::bigint AS cost_unknown_revenue
    FROM bought GROUP BY bought.about ORDER BY bought.about`,
  );

/**
 * The units that succeeded, of the orders that ended in a time: when the money was spent, as the daily report counts it,
 * or, for what was free, when the order ended.
 */
const MARGIN_BY = {
  day: marginBy('day'),
  sku: marginBy('sku'),
  supplier: marginBy('supplier'),
  merchant: marginBy('merchant'),
};

/** What was sold, and what it cost; amounts in satang. */
export interface MarginFigures {
  units: bigint;
  /** What merchants paid. */
  revenue: Satang;
  /** Of the units whose cost is known or was expected, rounded half up. */
  cost: Satang;
  /** Whose supplier never told the cost: what was expected counts. */
  cost_estimated_units: bigint;
  /** Whose cost nobody knows: they make no margin. */
  cost_unknown_units: bigint;
  /** What merchants paid for those. */
  cost_unknown_revenue: Satang;
}

export interface MarginRow extends MarginFigures {
  /** The day, the SKU, the supplier's code or the merchant's id. */
  about: string;
}

@Injectable()
export class MarginReportRepository {
  /** @param range its end excluded. */
  list(
    tx: Queryable,
    by: Grouping,
    range: { start: Date; stop: Date },
    { includeSandbox }: Coverage,
  ): Promise<MarginRow[]> {
    const [statement, values] = MARGIN_BY[by].with({ ...range, includeSandbox });
    return tx.query<MarginRow>(withLongTimeout(statement), values);
  }
}
