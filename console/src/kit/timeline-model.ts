/** One event of an order. Entries are sorted by time. */
export interface TimelineEntry {
  at: string;
  kind: string;
  /** The unit that the entry is about, such as `1.2`. Empty for the whole order. */
  unit?: string | null;
  outcome?: string | null;
  supplier?: string;
}

interface EntryLine<Entry> {
  /** The latest of the entries of the line. */
  entry: Entry;
  /** Equal answers of one unit are one line. */
  entries: readonly Entry[];
  /** The moment of the first entry. */
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

/** Kinds that repeat until something else happens. */
const REPEATED_KINDS = new Set(['supplier.inquiry']);

const isRepetition = (one: TimelineEntry, other: TimelineEntry): boolean =>
  REPEATED_KINDS.has(one.kind) &&
  one.kind === other.kind &&
  one.outcome === other.outcome &&
  one.supplier === other.supplier;

/** Makes a line of each entry. An entry that only repeats the entry before it of the same unit joins that entry's line. */
function linesOf<Entry extends TimelineEntry>(entries: readonly Entry[]): EntryLine<Entry>[] {
  const lines: EntryLine<Entry>[] = [];
  const latest = new Map<string, number>();
  for (const [index, entry] of entries.entries()) {
    const unit = entry.unit ?? '';
    const before = latest.get(unit);
    const line = before === undefined ? undefined : lines[before];
    if (before !== undefined && line && isRepetition(line.entry, entry)) {
      lines[before] = { ...line, entry, entries: [...line.entries, entry] };
    } else {
      latest.set(unit, lines.length);
      lines.push({ entry, entries: [entry], at: entry.at, index });
    }
  }
  return lines;
}

/** Arranges entries by unit or in one column, and on request keeps only failures. */
export function arrange<Entry extends TimelineEntry>(
  entries: readonly Entry[],
  { isGrouped, isBadOnly }: { isGrouped: boolean; isBadOnly: boolean },
): TimelineGroup<Entry>[] {
  const shown = linesOf(entries).filter(({ entry }) => !isBadOnly || isBad(entry));
  if (!isGrouped) return shown.length === 0 ? [] : [{ unit: null, lines: withIdle(shown) }];
  const byUnit = new Map<string | null, EntryLine<Entry>[]>();
  for (const each of shown) {
    const unit = each.entry.unit ?? null;
    byUnit.set(unit, [...(byUnit.get(unit) ?? []), each]);
  }
  return [...byUnit].map(([unit, lines]) => ({ unit, lines: withIdle(lines) }));
}

function withIdle<Entry extends TimelineEntry>(lines: readonly EntryLine<Entry>[]): TimelineLine<Entry>[] {
  let last: string | undefined;
  return lines.flatMap((line) => {
    const [before, until] = [last, line.entry.at];
    if (last === undefined || until > last) last = until;
    if (before === undefined) return [line];
    const idleMs = Date.parse(line.at) - Date.parse(before);
    return idleMs > IDLE_MS ? [{ idleMs, at: before, index: line.index }, line] : [line];
  });
}
