import { Injectable } from '@nestjs/common';
import type { Satang } from '../../core/money.js';
import type { Queryable } from '../../database/database.js';
import { withLongTimeout } from '../../database/snapshot.js';
import type { Coverage } from './coverage.js';
import { statement } from '../../database/parameters.js';

/** The ways to group the rows of the report. */
export const GROUPINGS = ['sku', 'supplier', 'merchant', 'day'] as const;
export type Grouping = (typeof GROUPINGS)[number];

/** Days of the report begin in this time zone. */
export const MARGIN_TIMEZONE = 'Asia/Bangkok';

/** Columns are not cast to text here, so that merchants' ids sort as numbers. */
const GROUPED_BY: Record<Grouping, string> = {
  day: `(ended.at AT TIME ZONE '${MARGIN_TIMEZONE}')::date`,
  sku: 'i.sku',
  supplier: 's.code',
  merchant: 'ended.merchant_id',
};

/** A term of the attempt that bought the unit. Units without attempts have the terms of their item. */
const term = (name: string): string => `CASE WHEN a.number IS NULL THEN i.${name} ELSE a.${name} END AS ${name}`;

/**
 * Baht for one unit of the currency when the attempt began. A rate of 1 with a currency other than baht means that the
 * supplier reported the cost in another currency than the offer's, so the rate does not apply.
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
 * Succeeded units of orders that ended in a period: by the time of the spend movement, as the daily report counts, or by the
 * order's end if it was free.
 */
const MARGIN_BY = {
  day: marginBy('day'),
  sku: marginBy('sku'),
  supplier: marginBy('supplier'),
  merchant: marginBy('merchant'),
};

/** Sales and costs; amounts in satang. */
export interface MarginFigures {
  units: bigint;
  /** The price that merchants paid. */
  revenue: Satang;
  /** The cost of units whose cost is reported or expected, rounded half up. */
  cost: Satang;
  /** Units without a reported cost: their expected cost counts. */
  cost_estimated_units: bigint;
  /** Units without any known cost: they have no margin. */
  cost_unknown_units: bigint;
  /** The price that merchants paid for those units. */
  cost_unknown_revenue: Satang;
}

export interface MarginRow extends MarginFigures {
  /** The day, the SKU, the supplier's code or the merchant's id. */
  about: string;
}

@Injectable()
export class MarginReportRepository {
  /** @param range its end is exclusive. */
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
