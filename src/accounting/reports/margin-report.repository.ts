import { Injectable } from '@nestjs/common';
import type { Satang } from '../../core/money.js';
import type { Queryable } from '../../database/database.js';
import { withLongTimeout } from '../../database/snapshot.js';
import type { Coverage } from './coverage.js';
import { statement } from '../../database/parameters.js';
import { JOIN_TERMS, MARGIN_FIGURES, unitCost } from './unit-costs.sql.js';

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
      SELECT ${GROUPED_BY[grouping]} AS about, ${unitCost('o.created_at')}
      FROM ended
      JOIN orders o ON o.id = ended.id AND (${includeSandbox} OR NOT o.sandbox)
      JOIN order_units u ON u.order_id = o.id AND u.state = 'succeeded'
      JOIN suppliers s ON s.id = u.supplier_id
      ${JOIN_TERMS})
    SELECT about::text, ${MARGIN_FIGURES}
    FROM bought GROUP BY bought.about ORDER BY bought.about`,
  );

/**
 * The succeeded units of orders that ended in a period. An order ended at the time of its spend movement, which the
 * daily report counts, too. A free order has no such movement, and ended at its last change.
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
  /** The reported or expected costs that are known in baht, rounded half up. */
  cost: Satang;
  /** Units without a reported cost: their expected cost counts. */
  cost_estimated_units: bigint;
  /** Units without a cost in baht, because no cost or no exchange rate is known. They have no margin. */
  cost_unknown_units: bigint;
  /** The price that merchants paid for the units without a cost in baht. */
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
