import { formatBaht } from '../core/money.js';
import type { StoryRow } from './order-desk.repository.js';

/** Something that happened to an order, in parts and in words. What is null in a row is absent. */
export interface StoryEntry {
  at: Date;
  kind: string;
  unit?: string;
  outcome?: string;
  duration_ms?: number;
  process?: string;
  /** In baht. */
  amount?: string;
  operator?: string;
  reason?: string;
  supplier?: string;
  detail?: string;
  text: string;
}

export const storyInWords = (rows: StoryRow[]): StoryEntry[] => rows.map(toEntry);

function toEntry({ at, kind, amount, ...known }: StoryRow): StoryEntry {
  const given = Object.fromEntries(Object.entries(known).filter(([, value]) => value !== null));
  const inBaht = amount === null ? {} : { amount: formatBaht(amount) };
  return { at, kind, ...given, ...inBaht, text: inWords({ at, kind, amount, ...known }) };
}

const MONEY: Record<string, string> = {
  'money.held': 'THB are held',
  'money.spent': 'THB are spent',
  'money.returned': 'THB are returned',
  'order.created': 'THB ordered',
};

/** What an entry says besides its kind and its unit. */
function inWords({
  kind,
  amount,
  outcome,
  duration_ms,
  operator,
  reason,
  supplier,
  detail,
}: StoryRow): string {
  const money = MONEY[kind];
  if (money !== undefined && amount !== null) return `${formatBaht(amount)} ${money}`;
  if (operator !== null) return sentence([`${outcome ?? ''} by ${operator}`.trim(), reason, detail]);
  const lasted = duration_ms === null ? '' : ` after ${duration_ms} ms`;
  const where = supplier === null ? '' : `at ${supplier}`;
  return sentence([`${outcome ?? ''}${lasted} ${where}`.trim(), detail]);
}

const sentence = (parts: (string | null)[]): string =>
  parts.filter((part) => part !== null && part !== '').join(': ');
