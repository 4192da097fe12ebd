import { NOTHING, type DailyReport, type MerchantDay } from '../accounting/reports/daily-report.service.js';
import { toDailyLine } from '../accounting/reports/report-lines.js';
import { toCsv } from '../core/csv.js';
import { archivedIn } from './archived-in.js';
import { csvParts, jsonArray, type Line } from './parts.js';
import { listTable, paragraphs, type Result, type Streamed } from './output.js';
import { paint } from './streams.js';

interface Options {
  csv?: boolean;
  /** The number of archived orders of these days. */
  archived: number;
}

const archivedOf = (orders: number): string[] =>
  archivedIn(orders, 'of these days', 'amounts include them, counts of orders do not');

/** A day's report as JSON, CSV or a table, with a line for each merchant and a total. */
export function dailyReport(report: DailyReport, { csv = false, archived }: Options): Result {
  const { date, timezone, from, to, merchants, total, differences } = report;
  const ok = differences.length === 0;
  const lines: Line[] = merchants.map((day) => ({ ...merchantOf(day), ...toDailyLine(day) }));
  const json = {
    ok,
    date,
    timezone,
    from: from.toISOString(),
    to: to.toISOString(),
    merchants: lines,
    total: toDailyLine(total),
    differences,
    archived_orders: archived,
  };
  const all = [...lines, { merchant_id: null, name: 'total', ...toDailyLine(total) }];
  const remarks = archivedOf(archived);
  if (csv) return { json, text: () => csvOf(all), ok, remarks: [...differences, ...remarks] };
  const title = `${date} in ${timezone}: ${from.toISOString()} to ${to.toISOString()}`;
  const summary = ok
    ? paint('green', 'Opening balances and movements give the closing balances.')
    : paint('red', `The balances do NOT add up:\n  ${differences.join('\n  ')}`);
  return { json, text: () => paragraphs(title, listTable(all.map(toTerminalLine)), summary, ...remarks), ok };
}

/** The reports of several days: JSON and CSV have a line for each day and merchant, text has a table for each day. */
export function dailyReports(days: AsyncIterable<DailyReport>, { csv = false, archived }: Options): Streamed {
  const differences: string[] = [];
  const checkedDays = async function* (): AsyncGenerator<DailyReport> {
    for await (const day of days) {
      differences.push(...day.differences.map((words) => `${day.date}: ${words}`));
      yield day;
    }
  };
  const lines = async function* (): AsyncGenerator<Line[]> {
    for await (const { date, merchants } of checkedDays()) {
      yield merchants.map((day) => ({ date, ...merchantOf(day), ...toDailyLine(day) }));
    }
  };
  const texts = async function* (): AsyncGenerator<string> {
    let separator = '';
    for await (const day of checkedDays()) {
      yield `${separator}${dailyReport(day, { archived: 0 }).text()}\n`;
      separator = '\n';
    }
  };
  return {
    parts: (asJson) => {
      if (asJson) return jsonArray(lines());
      return csv ? csvParts(RANGE_COLUMNS, lines()) : texts();
    },
    end: (asJson) => ({
      ok: differences.length === 0,
      remarks: asJson || csv ? differences : [],
      warnings: archivedOf(archived),
    }),
  };
}

const merchantOf = ({ merchant_id, name }: MerchantDay): Line => ({ merchant_id, name });

/**
 * Makes a line that fits a terminal. Column names are short. The ordered amount is left out, and so are the available and held parts
 * of the opening balance.
 */
const toTerminalLine = ({ merchant_id, name, ...line }: Line): Line => ({
  id: merchant_id ?? null,
  name: name ?? null,
  orders: line.orders ?? null,
  completed: line.completed ?? null,
  failed: line.failed ?? null,
  opening: line.opening_amount ?? null,
  credited: line.credited_amount ?? null,
  debited: line.debited_amount ?? null,
  spent: line.spent_amount ?? null,
  refunded: line.refunded_amount ?? null,
  closing: line.closing_amount ?? null,
  available: line.closing_available_amount ?? null,
  held: line.closing_held_amount ?? null,
});

const RANGE_COLUMNS = ['date', 'merchant_id', 'name', ...Object.keys(toDailyLine(NOTHING))];

function csvOf(lines: Line[]): string {
  const columns = Object.keys(lines[0] ?? {});
  return toCsv([columns, ...lines.map((line) => columns.map((column) => line[column] ?? null))]);
}
