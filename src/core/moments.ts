import { invalidValue } from './errors.js';
import { present } from './invariant.js';
import { withoutUndefined } from './members.js';

const ISO_MOMENT = /^(\d{4})-(\d{2})-(\d{2})T\d{2}:\d{2}(:\d{2}(\.\d{1,6})?)?(Z|[+-]\d{2}:\d{2})$/;

/** Reads a time in ISO 8601; null for an invalid time, such as on 30 February. */
export function readMoment(text: string): Date | null {
  const [, year, month, day] = ISO_MOMENT.exec(text) ?? [];
  const moment = new Date(text);
  if (year === undefined || year === '0000' || Number.isNaN(moment.getTime())) return null;
  // Date lets 30 February roll over into March.
  const daysInMonth = new Date(Date.UTC(Number(year), Number(month), 0)).getUTCDate();
  return Number(day) <= daysInMonth ? moment : null;
}

/** Reads a moment of a request that has already been validated. */
export const checkedMoment = (text: string): Date => present(readMoment(text), 'a moment was checked');

/** Reads a filter's period, whose moments have already been validated. @throws BAD_REQUEST if it ends before it begins. */
export function checkedPeriod({ from, to }: { from?: string; to?: string }): { from?: Date; to?: Date } {
  const [since, until] = [from, to].map((text) => (text === undefined ? undefined : checkedMoment(text)));
  if (since && until && since >= until) throw invalidValue('to', 'to must be later than from');
  return withoutUndefined({ from: since, to: until });
}

/** Whether a text is a calendar day, as `yyyy-mm-dd`. PostgreSQL has no year 0. */
export function isDay(text: string): boolean {
  const day = /^\d{4}-\d{2}-\d{2}$/.test(text) ? new Date(text) : null;
  return day !== null && !text.startsWith('0000') && !Number.isNaN(day.getTime()) && day.toISOString().startsWith(text);
}

/**
 * Whether a text is the name of a time zone. Offsets such as `+07` are refused, because PostgreSQL gives their sign the
 * opposite meaning.
 */
export function isTimezone(name: string): boolean {
  if (!/^[A-Za-z]/.test(name)) return false;
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}
