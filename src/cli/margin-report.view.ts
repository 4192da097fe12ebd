import { totalOf, type Grouping, type MarginRow } from '../reports/margin-report.service.js';
import { toMarginLine } from '../reports/report-lines.js';
import { toCsv } from '../core/csv.js';
import { archivedIn } from './archived-in.js';
import { listTable, type Result } from './output.js';
import type { Line } from './pieces.js';

/**
 * Revenue, cost and margin as JSON, as CSV, or as a table with a total.
 * @param archived how many orders of these days are not in it.
 */
export function marginReport(
  by: Grouping,
  rows: MarginRow[],
  { csv = false, archived }: { csv?: boolean; archived: number },
): Result {
  const warnings = archivedIn(archived, 'that ended on these days', 'their units are not counted');
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
    lines.length === 0 ? 'Nothing was sold on these days.' : listTable([...lines, total]);
  return { json, text, warnings };
}

/** As people read a column of percentages: each with its fraction digit. */
const withDecimal = (line: ReturnType<typeof toMarginLine>): Line => ({
  ...line,
  margin_percent: line.margin_percent?.toFixed(1) ?? null,
});
