import { formatBaht } from '../../core/money.js';
import type { DailyReport, DayFigures, MerchantDay } from '../report/daily-report.service.js';
import { toCsv } from './csv.js';
import { listTable, paragraphs, type Result } from './output.js';
import { paint } from './terminal.js';

type Line = Record<string, string | number | null>;

/** A day's report as JSON, as CSV or as a table, each with a line for each merchant and one for all. */
export function dailyReport(report: DailyReport, { csv = false }: { csv?: boolean }): Result {
  const { date, timezone, from, to, merchants, total, differences } = report;
  const ok = differences.length === 0;
  const lines: Line[] = merchants.map((day) => ({ ...whose(day), ...toLine(day) }));
  const json = {
    ok,
    date,
    timezone,
    from: from.toISOString(),
    to: to.toISOString(),
    merchants: lines,
    total: toLine(total),
    differences,
  };
  const all = [...lines, { merchant_id: null, name: 'total', ...toLine(total) }];
  if (csv) return { json, text: () => csvOf(all), ok, remarks: differences };
  const title = `${date} in ${timezone}: ${from.toISOString()} to ${to.toISOString()}`;
  const verdict = ok
    ? paint('green', 'Opening balances and movements give the closing balances.')
    : paint('red', `The balances do NOT add up:\n  ${differences.join('\n  ')}`);
  return { json, text: () => paragraphs(title, listTable(all.map(withoutSuffix)), verdict), ok };
}

const whose = ({ merchant_id, name }: MerchantDay): Line => ({ merchant_id, name });

/** Available and held belong to the merchant alike: what they are together changes by money in, money out and spending. */
function toLine(day: DayFigures): Line {
  return {
    orders: Number(day.orders),
    completed: Number(day.completed),
    failed: Number(day.failed),
    opening_amount: formatBaht(day.opening_available + day.opening_held),
    credited_amount: formatBaht(day.credited),
    debited_amount: formatBaht(day.debited),
    spent_amount: formatBaht(day.spent),
    closing_amount: formatBaht(day.closing_available + day.closing_held),
    ordered_amount: formatBaht(day.ordered),
    refunded_amount: formatBaht(day.refunded),
    opening_available_amount: formatBaht(day.opening_available),
    opening_held_amount: formatBaht(day.opening_held),
    closing_available_amount: formatBaht(day.closing_available),
    closing_held_amount: formatBaht(day.closing_held),
  };
}

/** What a terminal has room for: the balances once, and how the closing one is divided. */
const withoutSuffix = ({ merchant_id, name, ...line }: Line): Line => ({
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

function csvOf(lines: Line[]): string {
  const columns = Object.keys(lines[0] ?? {});
  return toCsv([columns, ...lines.map((line) => columns.map((column) => line[column] ?? null))]);
}
