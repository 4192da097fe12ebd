import { formatBaht } from '../core/money.js';
import {
  marginPercent,
  totalOf,
  type Grouping,
  type MarginFigures,
  type MarginRow,
} from '../reports/margin-report.service.js';
import { toCsv } from '../core/csv.js';
import { listTable, type Result } from './output.js';
import type { Line } from './pieces.js';

/** Revenue, cost and margin as JSON, as CSV, or as a table with a total. */
export function marginReport(by: Grouping, rows: MarginRow[], { csv = false }: { csv?: boolean }): Result {
  const json = rows.map((row) => ({
    [by]: by === 'merchant' ? Number(row.about) : row.about,
    ...toLine(row),
  }));
  const lines = json.map(withDecimal);
  if (csv) {
    const columns = [by, ...Object.keys(toLine(totalOf([])))];
    const cells = lines.map((line) => columns.map((column) => line[column] ?? null));
    return { json, text: () => toCsv([columns, ...cells]) };
  }
  const total = withDecimal({ [by]: 'total', ...toLine(totalOf(rows)) });
  const text = (): string =>
    lines.length === 0 ? 'Nothing was sold on these days.' : listTable([...lines, total]);
  return { json, text };
}

const toLine = (figures: MarginFigures): Line & { margin_percent: number | null } => ({
  units: Number(figures.units),
  revenue: formatBaht(figures.revenue),
  cost: formatBaht(figures.cost),
  margin: formatBaht(figures.revenue - figures.cost),
  margin_percent: marginPercent(figures),
  cost_estimated_units: Number(figures.cost_estimated_units),
  cost_unknown_units: Number(figures.cost_unknown_units),
});

/** As people read a column of percentages: each with its fraction digit. */
const withDecimal = (line: ReturnType<typeof toLine>): Line => ({
  ...line,
  margin_percent: line.margin_percent?.toFixed(1) ?? null,
});
