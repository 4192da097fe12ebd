import { Injectable } from '@nestjs/common';
import { ReplicaReadsService } from '../../database/replica-reads.service.js';
import { inSnapshot } from '../../database/snapshot.js';
import { DailyReportService } from './daily-report.service.js';
import { LIVE_ONLY } from './coverage.js';
import {
  MARGIN_TIMEZONE,
  MarginReportRepository,
  type Grouping,
  type MarginFigures,
  type MarginRow,
} from './margin-report.repository.js';

export {
  GROUPINGS,
  MARGIN_TIMEZONE,
  type Grouping,
  type MarginFigures,
  type MarginRow,
} from './margin-report.repository.js';

/** Reports revenue, cost and margin. */
@Injectable()
export class MarginReportService {
  constructor(
    private readonly reads: ReplicaReadsService,
    private readonly days: DailyReportService,
    private readonly margins: MarginReportRepository,
  ) {}

  /**
   * @param range days such as 2026-01-15, both included.
   * @throws BAD_REQUEST if `to` is before `from` or has not begun.
   */
  async run(range: { from: string; to: string }, by: Grouping, coverage = LIVE_ONLY): Promise<MarginRow[]> {
    const moments = await this.days.readRange(range, MARGIN_TIMEZONE);
    return inSnapshot(this.reads, (tx) => this.margins.list(tx, by, moments, coverage));
  }
}

/** The revenue of the units whose cost is known in baht: only these units have a margin. */
const countedRevenue = ({ revenue, cost_unknown_revenue }: MarginFigures): bigint => revenue - cost_unknown_revenue;

export const marginOf = (figures: MarginFigures): bigint => countedRevenue(figures) - figures.cost;

/** The margin in percent of the revenue that counts, with one fraction digit, rounded half up; null if that revenue is zero. */
export function marginPercent(figures: MarginFigures): number | null {
  const counted = countedRevenue(figures);
  if (counted === 0n) return null;
  return Number(floorDivision(marginOf(figures) * 2000n + counted, counted * 2n)) / 10;
}

const floorDivision = (dividend: bigint, divisor: bigint): bigint =>
  (dividend - (((dividend % divisor) + divisor) % divisor)) / divisor;

const NOTHING: MarginFigures = {
  units: 0n,
  revenue: 0n,
  cost: 0n,
  cost_estimated_units: 0n,
  cost_unknown_units: 0n,
  cost_unknown_revenue: 0n,
};

const FIGURES = Object.keys(NOTHING) as (keyof MarginFigures)[];

/** The sum of the rows. Its cost is a sum of costs that are already rounded. */
export const totalOf = (rows: MarginFigures[]): MarginFigures =>
  rows.reduce(
    (sum, row) => Object.fromEntries(FIGURES.map((name) => [name, sum[name] + row[name]])) as unknown as MarginFigures,
    NOTHING,
  );
