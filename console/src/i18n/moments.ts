/** Formats of moments and durations. The API sends ISO 8601 in UTC; the console shows the operator's zone. */

/** Thai uses Gregorian years here, as the specification of the console requires. */
const localeOf = (language: string): string => (language === 'th' ? 'th-TH-u-ca-gregory-nu-latn' : 'en-GB');

const formats = new Map<string, Intl.DateTimeFormat>();

function format(language: string, zone: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const key = `${language} ${zone} ${JSON.stringify(options)}`;
  const known = formats.get(key);
  if (known) return known;
  const made = new Intl.DateTimeFormat(localeOf(language), { timeZone: zone, ...options });
  formats.set(key, made);
  return made;
}

const DAY = { day: 'numeric', month: 'short', year: 'numeric' } as const;
const TIME = { hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23' } as const;

export const formatMoment = (at: string, language: string, zone: string): string =>
  `${formatDay(at, language, zone)}, ${formatTime(at, language, zone)}`;

/** For columns: without seconds, and without the year when it is the current one. */
export const formatShortMoment = (at: string, language: string, zone: string): string =>
  `${formatShortDay(at, language, zone)}, ${formatTime(at, language, zone).slice(0, 5)}`;

/** Without the year when it is the current one. */
export function formatShortDay(at: string, language: string, zone: string): string {
  const { day, month, year } = DAY;
  const isThisYear = dayOf(new Date(at), zone).slice(0, 4) === dayOf(new Date(), zone).slice(0, 4);
  return format(language, zone, isThisYear ? { day, month } : { day, month, year }).format(new Date(at));
}

/** The weekday, such as `Thursday`, or `Thu` where there is little room. */
export const formatWeekday = (at: string, language: string, zone: string, weekday: 'long' | 'short'): string =>
  format(language, zone, { weekday }).format(new Date(at));

export const formatDay = (at: string, language: string, zone: string): string =>
  format(language, zone, DAY).format(new Date(at));

export const formatTime = (at: string, language: string, zone: string): string =>
  format(language, zone, TIME).format(new Date(at));

/** The offset of a zone from UTC at a moment, such as `GMT+7`. */
export function zoneName(zone: string, at: Date = new Date()): string {
  const parts = format('en', zone, { timeZoneName: 'shortOffset' }).formatToParts(at);
  return parts.find(({ type }) => type === 'timeZoneName')?.value ?? zone;
}

/** Formats UTC to the second, without `T` and milliseconds. */
export const formatUtc = (at: string): string => `${new Date(at).toISOString().slice(0, 19).replace('T', ' ')} UTC`;

const UNITS = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
] as const;

type DurationUnit = (typeof UNITS)[number][0];

/** Our own units, because the narrow ones of Intl, such as `5s`, do not match `ms`. */
const ENGLISH: Record<DurationUnit, string> = { day: 'd', hour: 'h', minute: 'min', second: 's' };

/** Number and unit stay on one line. */
const shortUnit = (value: number, unit: DurationUnit, language: string): string =>
  language === 'th'
    ? new Intl.NumberFormat(localeOf(language), { style: 'unit', unit, unitDisplay: 'long' }).format(value).trim()
    : `${value}\u00A0${ENGLISH[unit]}`;

/** Formats a duration in its two largest units: `2 d 4 h`, `3 min 20 s`, `850 ms`. */
export function formatDuration(ms: number, language: string): string {
  if (ms < 1000) return `${Math.max(0, Math.round(ms))}\u00A0ms`;
  let seconds = Math.round(ms / 1000);
  const parts: string[] = [];
  for (const [unit, size] of UNITS) {
    const value = Math.floor(seconds / size);
    seconds -= value * size;
    if (value > 0) parts.push(shortUnit(value, unit, language));
    else if (parts.length > 0) break;
    if (parts.length === 2) break;
  }
  return parts.join(' ');
}

/** Formats a moment as `3 minutes ago`, or as `now` within a second. */
export function formatAgo(at: string, language: string, now: number = Date.now()): string {
  const seconds = Math.round((new Date(at).getTime() - now) / 1000);
  const relative = new Intl.RelativeTimeFormat(localeOf(language), { numeric: 'always' });
  for (const [unit, size] of UNITS) {
    if (Math.abs(seconds) >= size) return relative.format(Math.trunc(seconds / size), unit);
  }
  return new Intl.RelativeTimeFormat(localeOf(language), { numeric: 'auto' }).format(0, 'second');
}

/** The first moment of a day in a zone, as ISO 8601 in UTC. @param day such as `2026-11-22`. */
export function startOfDay(day: string, zone: string): string {
  const asUtc = Date.parse(`${day}T00:00:00Z`);
  // When clocks change that day, the offset may differ between the two moments. The second lookup corrects it.
  const first = asUtc - offsetMs(asUtc, zone);
  return new Date(asUtc - offsetMs(first, zone)).toISOString();
}

/** The day of a moment in a zone, such as `2026-11-22`. */
export function dayOf(at: Date, zone: string): string {
  return new Intl.DateTimeFormat('en-CA', {
    timeZone: zone,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
  }).format(at);
}

/** Formats a month such as `2026-11`. */
export const formatMonth = (month: string, language: string): string =>
  format(language, 'UTC', { month: 'long', year: 'numeric' }).format(new Date(`${month}-01T00:00:00Z`));

/** The months up to that of a moment, newest first. @param from the moment in whose month they begin. */
export function monthsUntil(at: Date, zone: string, { from, most }: { from: Date; most: number }): string[] {
  const first = dayOf(from, zone).slice(0, 7);
  const [year, month] = dayOf(at, zone).split('-').map(Number) as [number, number];
  return Array.from({ length: most }, (_, ago) =>
    new Date(Date.UTC(year, month - 1 - ago)).toISOString().slice(0, 7),
  ).filter((each, ago) => ago === 0 || each >= first);
}

export function addDays(day: string, days: number): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) + days * 86_400_000).toISOString().slice(0, 10);
}

/** Whether a day is at most so many days ago in a zone. */
export const isWithin = (day: string, days: number, zone: string, now = new Date()): boolean =>
  day >= addDays(dayOf(now, zone), -days);

/** Statements, months and the margin have days of this zone, whichever zone the operator has. */
export const ZONE_OF_DAYS = 'Asia/Bangkok';

/** Whether a day has not begun yet. */
export const isAhead = (day: string, zone: string, now = new Date()): boolean => day > dayOf(now, zone);

function offsetMs(at: number, zone: string): number {
  const parts = format('en', zone, {
    ...TIME,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
  }).formatToParts(at);
  const read = (type: Intl.DateTimeFormatPartTypes): number =>
    Number(parts.find((part) => part.type === type)?.value ?? 0);
  const wall = Date.UTC(read('year'), read('month') - 1, read('day'), read('hour'), read('minute'), read('second'));
  return wall - Math.floor(at / 1000) * 1000;
}
