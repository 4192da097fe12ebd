import { Injectable } from '@nestjs/common';
import type { Satang } from '../../core/money.js';
import type { Queryable } from '../../database/database.js';
import { withLongTimeout } from '../../database/snapshot.js';
import type { Coverage } from './coverage.js';
import { MARGIN_BY, type Grouping } from './margin-report.sql.js';

export { GROUPINGS, MARGIN_TIMEZONE, type Grouping } from './margin-report.sql.js';

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
