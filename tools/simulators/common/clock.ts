import type { Kinds } from './model.js';
import { checked, invalid, type Json } from './shapes.js';
import type { Store } from './store.js';

const MINUTE_MS = 60_000;
const DAY_MINUTES = 1_440;
const UNITS_MS: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

/** Minutes since midnight at the vendor. */
export function minuteOfDay<K extends Kinds>(store: Store<K>): number {
  const minute = Math.floor(store.now() / MINUTE_MS) + store.readings.utc_offset_minutes;
  return minute % DAY_MINUTES;
}

/** The vendor's time, for `GET /_sim/clock`. */
export function clockOf<K extends Kinds>(store: Store<K>): Json {
  const now = store.now();
  const minute = minuteOfDay(store);
  const local = [Math.floor(minute / 60), minute % 60].map((part) => String(part).padStart(2, '0'));
  return { now: new Date(now).toISOString(), now_ms: now, local: local.join(':') };
}

/** The milliseconds by which a body of `POST /_sim/clock` advances the clock. @throws Invalid */
export function advanceMs<K extends Kinds>(store: Store<K>, body: Json): number {
  const { advance, until } = checked<{ advance?: unknown; until?: string }>(body, 'clock', {
    advance: {
      expected: 'milliseconds, or a text such as "61s"',
      fits: (value) => durationMs(value) !== null,
    },
    until: { expected: 'hh:mm', fits: (value) => typeof value === 'string' && /^\d\d:\d\d$/.test(value) },
  });
  if (until === undefined) return durationMs(advance) ?? 0;
  const [hours, minutes] = until.split(':').map(Number);
  if (hours === undefined || minutes === undefined) throw invalid('clock.until must be hh:mm');
  const minutesLeft = (hours * 60 + minutes - minuteOfDay(store) + DAY_MINUTES) % DAY_MINUTES;
  return minutesLeft === 0 ? 0 : minutesLeft * MINUTE_MS - (store.now() % MINUTE_MS);
}

function durationMs(value: unknown): number | null {
  if (typeof value === 'number') return Number.isSafeInteger(value) && value >= 0 ? value : null;
  const [, digits, unit = ''] = typeof value === 'string' ? (/^(\d+)(ms|s|m|h|d)$/.exec(value) ?? []) : [];
  const unitMs = UNITS_MS[unit];
  return unitMs === undefined ? null : Number(digits) * unitMs;
}
