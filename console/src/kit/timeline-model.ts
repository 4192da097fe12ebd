/** What happened to something, at one moment. Entries come in the order in which they happened. */
export interface TimelineEntry {
  at: string;
  kind: string;
  /** The part that it is about, such as unit `1.2`; of the whole where there is none. */
  unit?: string | null;
  outcome?: string | null;
}

interface EntryLine<Entry> {
  entry: Entry;
  at: string;
  index: number;
}

/** One thing in a column of time: an entry, or a stretch in which nothing happened. */
export type TimelineLine<Entry> = EntryLine<Entry> | { idleMs: number; at: string; index: number };

export interface TimelineGroup<Entry> {
  /** Null for what is about the whole. */
  unit: string | null;
  lines: TimelineLine<Entry>[];
}

/** Longer than this, a stretch without entries is folded and labelled. */
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
/** What went wrong whatever its outcome says. */
const BAD_KINDS = /^(order|unit)\.failed$|^unit\.review$|^supplier\.(taken_back|bought_late|unknown_purchase)$/;
const DELIVERED = /^2\d\d$/;

export function isBad({ kind, outcome = null }: TimelineEntry): boolean {
  if (kind === 'webhook.attempt') return !DELIVERED.test(outcome ?? '');
  return BAD_KINDS.test(kind) || (outcome !== null && BAD_OUTCOMES.has(outcome));
}

/** The story as it is shown: grouped by the part it is about or in one line of time, all of it or what went wrong. */
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
