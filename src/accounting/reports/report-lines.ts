import { formatMicros } from '../../core/cost-money.js';
import { formatBaht } from '../../core/money.js';
import { counted } from '../../core/text.js';
import { namedIn, type ListReading } from '../../fulfilment/reconciliation/purchase-lists.service.js';
import type { DayFigures } from './daily-report.service.js';
import { marginOf, marginPercent, type MarginFigures } from './margin-report.service.js';
import type { SupplierComparison } from './supplier-report.service.js';

// Lines of reports as JSON has them: amounts are strings in baht, counts are numbers. Only a supplier's balance may be
// in another currency.

type DailyLine = Record<
  | 'opening_amount'
  | 'credited_amount'
  | 'debited_amount'
  | 'spent_amount'
  | 'closing_amount'
  | 'ordered_amount'
  | 'refunded_amount'
  | 'opening_available_amount'
  | 'opening_held_amount'
  | 'closing_available_amount'
  | 'closing_held_amount',
  string
> &
  Record<'orders' | 'completed' | 'failed', number>;

/** The total balance is available plus held: only credits, debits and spending change it. */
export function toDailyLine(day: DayFigures): DailyLine {
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

export interface MarginLine extends Record<'revenue' | 'cost' | 'margin', string> {
  units: number;
  /** In percent of the revenue with a known cost; null without such revenue. */
  margin_percent: number | null;
  cost_estimated_units: number;
  /** Units without a margin: their revenue is not part of `margin_percent`. */
  cost_unknown_units: number;
  cost_unknown_revenue: string;
}

export const toMarginLine = (figures: MarginFigures): MarginLine => ({
  units: Number(figures.units),
  revenue: formatBaht(figures.revenue),
  cost: formatBaht(figures.cost),
  margin: formatBaht(marginOf(figures)),
  margin_percent: marginPercent(figures),
  cost_estimated_units: Number(figures.cost_estimated_units),
  cost_unknown_units: Number(figures.cost_unknown_units),
  cost_unknown_revenue: formatBaht(figures.cost_unknown_revenue),
});

/**
 * Whether the comparison lacks nothing: the supplier answered every query and, if it offers them, its list and its balance could
 * be read, and the service would notice later contradictions. Without settled units, the balance may be the only query that shows whether the supplier answers.
 */
export const isCompleteComparison = ({
  balance,
  unanswered,
  list,
  unnoticed,
}: Pick<SupplierComparison, 'balance' | 'unanswered' | 'list' | 'unnoticed'>): boolean =>
  unanswered.count === 0 &&
  unnoticed === null &&
  (balance.known || balance.offersNone) &&
  (list === null || (list.known && list.unreadable === 0));

/** The comparison of our books with a supplier's. */
export interface SupplierLine {
  supplier: string;
  ok: boolean;
  succeeded: number;
  succeeded_amount: string;
  failed: number;
  open: number;
  /** Attempts that another attempt followed: the supplier must not have sold these. */
  given_up: number;
  agreed: number;
  unanswered: number;
  /** Attempts that neither a query without the risk of buying nor the statement answers: compare these by hand. */
  unaskable: number;
  /** Purchases in the supplier's list or in the statement; null if there is no list, or the list could not be read. */
  listed: number | null;
  /** Entries of the list that can't be read. */
  unreadable: number;
  /** Unknown purchases for which this report opened a discrepancy. */
  unknown: number;
  /** `unknown`, plus the number of purchases that the supplier lists as sold but our books record as not bought. */
  surplus: number;
  open_cases: number;
  /** The statement that was read instead of the supplier's list; absent without a statement. */
  statement?: {
    name: string;
    /** Purchases before the command's `--since`, which open no discrepancy. */
    passed_over: number;
    /** Unknown statuses, which count as under way. */
    unclear_statuses: { status: string; lines: number }[];
  };
  problem: string | null;
  balance_amount: string | null;
  balance_currency: string | null;
  differences: { reference: string; ours: string; theirs: string; amount: string }[];
}

export function toSupplierLine({
  supplier,
  balance,
  counts,
  agreed,
  differences,
  unanswered,
  unaskable,
  unnoticed,
  list,
  statement,
  openDiscrepancies,
}: SupplierComparison): SupplierLine {
  const balanceProblem = balance.known ? null : `balance: ${balance.detail}`;
  return {
    supplier,
    ok:
      differences.length === 0 &&
      isCompleteComparison({ balance, unanswered, list, unnoticed }) &&
      openDiscrepancies === 0,
    succeeded: Number(counts.succeeded),
    succeeded_amount: formatBaht(counts.succeeded_amount),
    failed: Number(counts.failed),
    open: Number(counts.open),
    given_up: Number(counts.given_up),
    agreed,
    unanswered: unanswered.count,
    unaskable,
    listed: list?.known ? list.purchases : null,
    unreadable: list?.known ? list.unreadable : 0,
    unknown: list?.known ? list.opened.length : 0,
    surplus: list?.known ? list.surplus : 0,
    open_cases: openDiscrepancies,
    ...(statement && {
      statement: {
        name: statement.name,
        passed_over: statement.passedOver,
        unclear_statuses: statement.unclear,
      },
    }),
    problem: (unanswered.count > 0 ? unanswered.reason : null) ?? unnoticed ?? problemOf(list) ?? balanceProblem,
    balance_amount: balance.known ? formatMicros(balance.amount.micros, 2) : null,
    balance_currency: balance.known ? balance.amount.currency : null,
    differences: differences.map(({ amount, ...each }) => ({ ...each, amount: formatBaht(amount) })),
  };
}

function problemOf(list: ListReading): string | null {
  if (list === null) return null;
  if (!list.known) return `list of purchases: ${list.detail}`;
  if (list.unreadable === 0) return null;
  return `list of purchases: ${counted(list.unreadable, 'entry', 'entries')} can’t be read${namedIn(list)}`;
}
