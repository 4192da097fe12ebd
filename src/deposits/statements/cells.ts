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
const AMOUNT = /^(\d{1,3}(?:,\d{3})+|\d{1,15})(?:\.(\d{1,2}))?$/;

/**
 * Reads an amount: `1,500.37`, with a minus before or behind it, or in brackets if it is negative.
 * @returns satang, 0 for a cell without an amount; null for other text.
 */
export function readAmount(cell: string): Satang | null {
  const text = withArabicDigits(cell).replaceAll(/\s/g, '');
  if (NOTHING.test(text)) return 0n;
  const [, inner = text] = /^\((.+)\)$/.exec(text) ?? /^-(.+)$/.exec(text) ?? /^(.+)-$/.exec(text) ?? [];
  const [, whole, fraction = ''] = AMOUNT.exec(inner.replace(/^\+/, '')) ?? [];
  if (whole === undefined) return null;
  const satang = BigInt(whole.replaceAll(',', '')) * 100n + BigInt(fraction.padEnd(2, '0'));
  if (satang > MAX_SATANG) return null;
  return inner === text ? satang : -satang;
}

const ISO_DAY = /^(?<year>\d{4})[-/.](?<month>\d{1,2})[-/.](?<day>\d{1,2})(?!\d)/;
const DAY_FIRST = /^(?<day>\d{1,2})[-/. ](?<month>\d{1,2})[-/. ](?<year>\d{4}|\d{2})(?!\d)/;
const TIME =
  /(?<hour>\d{1,2}):(?<minute>\d{2})(?::(?<second>\d{2})(?:\.\d+)?)?\s*(?<zone>Z|[+-]\d{2}(?::?\d{2})?)?(?<rest>.*)/;
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

/**
 * Reads a date, day first or ISO, of either calendar, and a time. Without a zone, the time is Bangkok's.
 * @param timeCell the date's own cell where both stand in one; null without times.
 * @returns null for other text, and for a day that is more than a day ahead.
 */
export function readMoment(dateCell: string, timeCell: string | null, now: Date): Moment | null {
  const date = withArabicDigits(dateCell);
  const found = ISO_DAY.exec(date) ?? DAY_FIRST.exec(date);
  const { year = '', month = '', day = '' } = found?.groups ?? {};
  const latest = now.getTime() + DAY_MS;
  const written = found && dayOf(fullYear(year, Number(month), Number(day), latest), Number(month), Number(day));
  if (!written) return null;
  if (timeCell === null)
    return known({ day: written, at: new Date(`${written}T00:00:00${BANGKOK}`), precision: 'day' }, latest);
  const text = timeCell === dateCell ? date.slice(found[0].length) : withArabicDigits(timeCell);
  const { hour, minute, second, zone = BANGKOK, rest = '' } = TIME.exec(text)?.groups ?? {};
  if (hour === undefined || minute === undefined || CHANGES_TIME.test(rest)) return null;
  const at = new Date(`${written}T${hour.padStart(2, '0')}:${minute}:${second ?? '00'}${withColon(zone)}`);
  if (Number.isNaN(at.getTime())) return null;
  return known({ day: written, at, precision: second === undefined ? 'minute' : 'second' }, latest);
}

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
