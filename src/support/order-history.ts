import { formatMicros } from '../core/cost-money.js';
import { withoutNulls } from '../core/members.js';
import { formatBaht } from '../core/money.js';
import type { HistoryFacts, HistoryRow } from './order-history.sql.js';

/** Members whose name or type differs in the view. */
type Renamed = 'expected_cost_micros' | 'max_cost_micros' | 'cost_micros' | 'cost_currency' | 'webhook' | 'delivery';
type Known = { [Name in keyof HistoryRow]?: NonNullable<HistoryRow[Name]> };

/** An event of an order. Members that are null in its row are absent. */
interface HistoryEntry extends Omit<Known, 'amount' | 'facts' | 'at' | 'kind'>, Omit<HistoryFacts, Renamed> {
  at: Date;
  kind: string;
  /** In baht, like `available_after`. */
  amount?: string;
  /** Costs are in `currency`. */
  expected_cost?: string;
  max_cost?: string;
  cost?: string;
  currency?: string;
  webhook_id?: number;
  delivery_id?: number;
  text: string;
}

export function toHistoryEntry({ at, kind, amount, facts, ...known }: HistoryRow): HistoryEntry {
  const inBaht = amount === null ? {} : { amount: formatBaht(amount) };
  const text = inWords({ at, kind, amount, facts, ...known });
  return { at, kind, ...withoutNulls(known), ...inBaht, ...toMembers(facts ?? {}), text };
}

function toMembers(known: HistoryFacts): Partial<HistoryEntry> {
  const { expected_cost_micros, max_cost_micros, cost_micros, cost_currency, ...others } = known;
  const { available_after, until, webhook, delivery, ...same } = others;
  const costs = [expected_cost_micros, max_cost_micros, cost_micros];
  return {
    ...same,
    ...costMember('expected_cost', expected_cost_micros),
    ...costMember('max_cost', max_cost_micros),
    ...costMember('cost', cost_micros),
    ...(cost_currency !== undefined && costs.some((cost) => cost !== undefined) ? { currency: cost_currency } : {}),
    ...(available_after === undefined ? {} : { available_after: formatBaht(BigInt(available_after)) }),
    ...(until === undefined ? {} : { until: new Date(until).toISOString() }),
    ...(webhook === undefined ? {} : { webhook_id: webhook }),
    ...(delivery === undefined ? {} : { delivery_id: Number(delivery) }),
  };
}

const costMember = (name: 'expected_cost' | 'max_cost' | 'cost', micros: string | undefined): Partial<HistoryEntry> =>
  micros === undefined ? {} : { [name]: formatMicros(BigInt(micros)) };

const MONEY: Record<string, string> = {
  'money.held': 'THB are held',
  'money.spent': 'THB are spent',
  'money.returned': 'THB are returned',
  'order.created': 'THB ordered',
};

/** Never names a cost or a balance, because some operators may not see these. */
function inWords(row: HistoryRow): string {
  const { kind, amount, outcome, duration_ms, operator, supplier, detail, process } = row;
  const money = MONEY[kind];
  if (money !== undefined && amount !== null) return `${formatBaht(amount)} ${money}`;
  if (operator !== null) return operatorInWords(row);
  if (kind === 'attempt.began') return attemptInWords(supplier ?? '', row.facts ?? {});
  if (kind === 'unit.claimed') return `${process ?? ''} calls ${supplier ?? ''}`;
  const lasted = duration_ms === null ? '' : ` after ${duration_ms} ms`;
  const where = supplier === null ? '' : `at ${supplier}`;
  return sentence([`${outcome ?? ''}${lasted} ${where}`.trim(), detail]);
}

export const operatorInWords = ({ outcome, operator, reason, detail }: HistoryRow): string =>
  sentence([`${outcome ?? ''} by ${operator ?? ''}`.trim(), reason, detail]);

/** How the previous attempt ended. */
const previousInWords = ({ outcome, failure_code: code }: NonNullable<HistoryFacts['after']>): string =>
  outcome === 'withdrawn'
    ? 'the previous attempt was withdrawn'
    : `the previous attempt failed with ${code ?? 'no code'}`;

function attemptInWords(
  supplier: string,
  { attempt = 1, supplier_sku, reference, after, passed_over: others = [] }: HistoryFacts,
): string {
  const begun = `attempt ${attempt} at ${supplier}, ${supplier_sku ?? ''}, as ${reference ?? ''}`;
  const why = after && previousInWords(after);
  const passed = others.map(({ supplier: code, supplier_sku: sku, why: not }) => `${code} ${sku} (${not})`);
  return sentence([begun, why ?? null, passed.length > 0 ? `passed over ${passed.join(', ')}` : null]);
}

const sentence = (parts: (string | null)[]): string => parts.filter((part) => part !== null && part !== '').join(': ');
