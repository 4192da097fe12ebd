import { operatorInWords } from './order-history.js';
import type { HistoryRow } from './order-history.sql.js';

/** An entry of an order's timeline, as `order show` prints it. */
export interface TimelineEntry {
  at: string;
  event: string;
  unit?: string;
  detail?: string;
  process?: string;
}

/** Of an order's history its begin and end, the calls to suppliers and webhooks, contradictions and what operators did. */
export const toTimeline = (history: HistoryRow[]): TimelineEntry[] => history.filter(isInTimeline).map(toEntry);

const EVENTS = /^(order\.(created|completed|failed)|supplier\..+|webhook\.attempt)$/;

const isInTimeline = ({ kind, operator }: HistoryRow): boolean => operator !== null || EVENTS.test(kind);

function toEntry(row: HistoryRow): TimelineEntry {
  const { at, kind: event, unit, process } = row;
  const detail = detailOf(row);
  return {
    at: at.toISOString(),
    event,
    ...(unit !== null && { unit }),
    ...(detail !== '' && { detail }),
    ...(process !== null && { process }),
  };
}

function detailOf(row: HistoryRow): string {
  const { kind, operator, outcome, duration_ms, detail, facts } = row;
  if (operator !== null) return operatorInWords(row);
  if (kind === 'order.created') return '';
  const lasted = duration_ms === null ? outcome : `${outcome} after ${duration_ms} ms`;
  if (kind === 'webhook.attempt') return `webhook ${facts?.webhook}, attempt ${facts?.attempt}: ${lasted}`;
  // A contradiction names its case instead of a call.
  const isCase = kind.startsWith('supplier.') && duration_ms === null;
  return [isCase ? null : lasted, detail].filter((part) => part !== null).join(': ');
}
