import {
  MARGIN_TIMEZONE,
  totalOf,
  type Grouping,
  type MarginFigures,
  type MarginRow,
} from '../accounting/reports/margin-report.service.js';
import { toMarginLine } from '../accounting/reports/report-lines.js';
import { formatBaht } from '../core/money.js';
import { counted } from '../core/text.js';
import { toCsv } from '../core/csv.js';
import { archivedIn } from './archived-in.js';
import { listTable, paragraphs, type Result } from './output.js';
import type { Line } from './parts.js';

/**
 * Revenue, cost and margin of these days as JSON, as CSV, or as a table with a total.
 * @param archived how many orders of these days the report leaves out, because they are archived.
 */
export function marginReport(
  by: Grouping,
  rows: MarginRow[],
  { from, to }: { from: string; to: string },
  { csv = false, archived }: { csv?: boolean; archived: number },
): Result {
  const warnings = archivedIn(archived, 'that ended on these days', 'their units are not counted');
  const range = `${from} to ${to} in ${MARGIN_TIMEZONE}, both included`;
  const json = rows.map((row) => ({
    [by]: by === 'merchant' ? Number(row.about) : row.about,
    ...toMarginLine(row),
  }));
  const lines = json.map(withDecimal);
  if (csv) {
    const columns = [by, ...Object.keys(toMarginLine(totalOf([])))];
    const cells = lines.map((line) => columns.map((column) => line[column] ?? null));
    return { json, text: () => toCsv([columns, ...cells]), warnings };
  }
  const total = withDecimal({ [by]: 'total', ...toMarginLine(totalOf(rows)) });
  const text = (): string =>
    paragraphs(
      range,
      lines.length === 0 ? 'Nothing was sold on these days.' : listTable([...lines, total]),
      unknownCostIn(totalOf(rows)),
    );
  return { json, text, warnings };
}

const unknownCostIn = ({ cost_unknown_units: units, cost_unknown_revenue: revenue }: MarginFigures): string =>
  units === 0n
    ? ''
    : `The cost of ${counted(Number(units), 'unit')} for ${formatBaht(revenue)} THB is unknown: they have no margin here.`;

/** Shows all percentages with one fraction digit. */
const withDecimal = (line: ReturnType<typeof toMarginLine>): Line => ({
  ...line,
  margin_percent: line.margin_percent?.toFixed(1) ?? null,
});
