import type { Outcome } from './campaign.js';
import { isPromised } from './figures.js';

/** The results of one scenario beside its goals, with a mark at each missed goal. */
export interface Row {
  scenario: string;
  orders: number;
  'seconds without a 200': string;
  'worst order, seconds': string;
  answers: string;
  'p99, ms': string;
  books: string;
}

const against = (value: number, goal: number): string =>
  `${value.toFixed(1)} (goal ${goal.toFixed(1)}${value <= goal ? '' : ', MISSED'})`;

export function rowOf({ scenario, figures, violations }: Outcome): Row {
  const { withoutOk, worstOrder, statuses, p99Before, p99During } = figures;
  const { goals } = scenario;
  const ratio = p99Before === 0 ? 0 : p99During / p99Before;
  const p99 = `${p99Before.toFixed(0)} → ${p99During.toFixed(0)}`;
  return {
    scenario: scenario.name,
    orders: figures.orders,
    'seconds without a 200': against(withoutOk, goals.withoutOk),
    'worst order, seconds': against(worstOrder, goals.worstOrder ?? withoutOk + 2),
    answers: `${describe(statuses)}${isPromised(statuses) ? '' : ' NOT PROMISED'}`,
    'p99, ms': goals.p99Ratio === undefined ? p99 : `${p99}, ratio ${against(ratio, goals.p99Ratio)}`,
    books:
      violations.summary.length === 0
        ? 'agree'
        : violations.summary.map(([kind, count]) => `${count} × ${kind}`).join('; '),
  };
}

const describe = (statuses: Record<string, number>): string =>
  Object.entries(statuses)
    .map(([status, count]) => `${count} × ${status}`)
    .join(', ');

/** The rows as a table of Markdown. */
export function tableOf(rows: readonly Row[]): string {
  const [first] = rows;
  if (!first) return '';
  const names = Object.keys(first) as (keyof Row)[];
  const line = (cells: (string | number)[]): string => `| ${cells.join(' | ')} |`;
  return [line(names), line(names.map(() => '---')), ...rows.map((row) => line(names.map((name) => row[name])))].join(
    '\n',
  );
}
