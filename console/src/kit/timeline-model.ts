/** One event of an order. Entries are sorted by time. */
export interface TimelineEntry {
  at: string;
  kind: string;
  /** The unit that the entry is about, such as `1.2`. Empty for the whole order. */
  unit?: string | null;
  outcome?: string | null;
}

interface EntryLine<Entry> {
  entry: Entry;
  at: string;
  index: number;
}

/** A line of the timeline: an entry, or a period without entries. */
export type TimelineLine<Entry> = EntryLine<Entry> | { idleMs: number; at: string; index: number };

export interface TimelineGroup<Entry> {
  /** Null for entries about the whole order. */
  unit: string | null;
  lines: TimelineLine<Entry>[];
}

/** The timeline folds periods without entries that are longer than this. */
const IDLE_MS = 60_000;

const BAD_OUTCOMES = new Set([
  'failed',
  'refused',
  'not_accepted',
  'unknown',
  'review',
  'timeout',
  'error',
  'withdrawn',
  'suspended',
  'interrupted',
  'withheld',
  'never_seen',
]);
/** Kinds that are failures with any outcome. */
const BAD_KINDS = /^(order|unit)\.failed$|^unit\.review$|^supplier\.(taken_back|bought_late|unknown_purchase)$/;
const DELIVERED = /^2\d\d$/;

export function isBad({ kind, outcome = null }: TimelineEntry): boolean {
  if (kind === 'webhook.attempt') return !DELIVERED.test(outcome ?? '');
  return BAD_KINDS.test(kind) || (outcome !== null && BAD_OUTCOMES.has(outcome));
}

/** Arranges entries by unit or in one column, and on request keeps only failures. */
export function arrange<Entry extends TimelineEntry>(
  entries: readonly Entry[],
  { isGrouped, isBadOnly }: { isGrouped: boolean; isBadOnly: boolean },
): TimelineGroup<Entry>[] {
  const shown = entries
    .map((entry, index) => ({ entry, at: entry.at, index }))
    .filter(({ entry }) => !isBadOnly || isBad(entry));
  if (!isGrouped) return shown.length === 0 ? [] : [{ unit: null, lines: withIdle(shown) }];
  const byUnit = new Map<string | null, EntryLine<Entry>[]>();
  for (const each of shown) {
    const unit = each.entry.unit ?? null;
    byUnit.set(unit, [...(byUnit.get(unit) ?? []), each]);
  }
  return [...byUnit].map(([unit, lines]) => ({ unit, lines: withIdle(lines) }));
}

function withIdle<Entry extends TimelineEntry>(lines: readonly EntryLine<Entry>[]): TimelineLine<Entry>[] {
  return lines.flatMap((line, position) => {
    const before = lines[position - 1];
    if (!before) return [line];
    const idleMs = Date.parse(line.at) - Date.parse(before.at);
    return idleMs > IDLE_MS ? [{ idleMs, at: before.at, index: line.index }, line] : [line];
  });
}
