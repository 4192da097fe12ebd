import { DAY_MS } from '../../core/durations.js';
import { MAX_SATANG, type Satang } from '../../core/money.js';
import type { Precision } from '../incoming-payment.entity.js';

const THAI_ZERO = 0x0e50;

/** Writes Thai digits as Arabic ones. */
const withArabicDigits = (text: string): string =>
  text.replace(/[๐-๙]/g, (digit) => String((digit.codePointAt(0) ?? 0) - THAI_ZERO));

/** Whether a cell begins as a date does. */
export const beginsWithDigit = (cell: string): boolean => /^[\d๐-๙]/.test(cell);

/** Cells that mean no amount. */
const NOTHING = /^[-–—]?$/;
const AMOUNT = /^(?:\d{1,3}(?:,\d{3})+|\d{1,15})(?:\.\d{1,2})?$/;

/**
 * Reads an amount: `1,500.37`, with a minus before or behind it, or in brackets if it is negative. Large files have a
 * million amounts, so it makes no array of matches for any of them.
 * @returns satang, 0 for a cell without an amount; null for other text.
 */
export function readAmount(cell: string): Satang | null {
  const text = withArabicDigits(cell).replaceAll(/\s/g, '');
  if (NOTHING.test(text)) return 0n;
  const inner = withoutMinus(text);
  const plain = inner.startsWith('+') ? inner.slice(1) : inner;
  if (!AMOUNT.test(plain)) return null;
  const point = plain.indexOf('.');
  const [whole, fraction] = point < 0 ? [plain, ''] : [plain.slice(0, point), plain.slice(point + 1)];
  const satang = BigInt(whole.replaceAll(',', '') + fraction.padEnd(2, '0'));
  if (satang > MAX_SATANG) return null;
  return inner === text ? satang : -satang;
}

/** Removes a minus before or behind the text, or brackets around it. Other text stays the same. */
function withoutMinus(text: string): string {
  if (text.startsWith('(') && text.endsWith(')')) return text.slice(1, -1);
  if (text.startsWith('-')) return text.slice(1);
  return text.endsWith('-') ? text.slice(0, -1) : text;
}

const ISO_DAY = /^(?<year>\d{4})[-/.](?<month>\d{1,2})[-/.](?<day>\d{1,2})(?!\d)/;
const DAY_FIRST = /^(?<day>\d{1,2})[-/. ](?<month>\d{1,2})[-/. ](?<year>\d{4}|\d{2})(?!\d)/;
/** Hour, minute, second, zone and the rest. */
const TIME = /(\d{1,2}):(\d{2})(?::(\d{2})(?:\.\d+)?)?\s*(Z|[+-]\d{2}(?::?\d{2})?)?(.*)/;
const BANGKOK = '+07:00';

/** What follows a time may name the half of the day or a zone, which would change the time. Thai words do not. */
const CHANGES_TIME = /[a-z0-9+-]/i;

/** The Buddhist calendar is 543 years ahead. */
const BUDDHIST = 543;

export interface Moment {
  /** The day as written, `yyyy-mm-dd`. */
  day: string;
  at: Date;
  precision: Precision;
}

/** A day as `yyyy-mm-dd`, and what follows it in its cell. */
export interface WrittenDay {
  day: string;
  rest: string;
}

/** Reads a date, day first or ISO, of either calendar. @returns null for other text. */
export function readDay(cell: string, now: Date): WrittenDay | null {
  const text = withArabicDigits(cell);
  const found = ISO_DAY.exec(text) ?? DAY_FIRST.exec(text);
  const { year = '', month = '', day = '' } = found?.groups ?? {};
  const latest = latestOf(now);
  const written = found && dayOf(fullYear(year, Number(month), Number(day), latest), Number(month), Number(day));
  return written ? { day: written, rest: text.slice(found[0].length) } : null;
}

/**
 * Reads a time of a day. Without a zone, it is Bangkok's.
 * @param time null if the statement has no times.
 * @returns null for other text, and for a moment that is more than a day ahead.
 */
export function momentOn({ day }: WrittenDay, time: string | null, now: Date): Moment | null {
  const latest = latestOf(now);
  if (time === null) return known({ day, at: new Date(`${day}T00:00:00${BANGKOK}`), precision: 'day' }, latest);
  const [, hour, minute, second, zone = BANGKOK, rest = ''] = TIME.exec(withArabicDigits(time)) ?? [];
  if (hour === undefined || minute === undefined || CHANGES_TIME.test(rest)) return null;
  const at = new Date(`${day}T${hour.padStart(2, '0')}:${minute}:${second ?? '00'}${withColon(zone)}`);
  if (Number.isNaN(at.getTime())) return null;
  return known({ day, at, precision: second === undefined ? 'minute' : 'second' }, latest);
}

/** The latest time that a line may have: a day ahead. */
const latestOf = (now: Date): number => now.getTime() + DAY_MS;

const known = (moment: Moment, latest: number): Moment | null => (moment.at.getTime() > latest ? null : moment);

const withColon = (zone: string): string =>
  zone.replace(/^([+-]\d{2})(\d{2})?$/, (_, hours: string, minutes = '00') => `${hours}:${minutes}`);

/** A year of two digits is of the calendar in which the day is not in the future. */
function fullYear(text: string, month: number, day: number, latest: number): number {
  const year = Number(text);
  if (text.length === 4) return year > 2400 ? year - BUDDHIST : year;
  const isAhead = Date.UTC(2000 + year, month - 1, day) > latest + DAY_MS;
  return isAhead ? 2500 + year - BUDDHIST : 2000 + year;
}

/** @returns null for a day that no calendar has, such as 30 February. */
function dayOf(year: number, month: number, day: number): string | null {
  const date = new Date(Date.UTC(year, month - 1, day));
  const exists = date.getUTCFullYear() === year && date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
  return exists ? date.toISOString().slice(0, 10) : null;
}
