const ISO_MOMENT = /^(\d{4})-(\d{2})-(\d{2})T\d{2}:\d{2}(:\d{2}(\.\d{1,6})?)?(Z|[+-]\d{2}:\d{2})$/;

/** The moment that a text names; null when it names none, such as one on 30 February. */
export function readMoment(text: string): Date | null {
  const [, year, month, day] = ISO_MOMENT.exec(text) ?? [];
  const moment = new Date(text);
  if (year === undefined || year === '0000' || Number.isNaN(moment.getTime())) return null;
  // Date lets 30 February roll over into March.
  const daysInMonth = new Date(Date.UTC(Number(year), Number(month), 0)).getUTCDate();
  return Number(day) <= daysInMonth ? moment : null;
}

/** Whether a text is a day of the calendar, as `yyyy-mm-dd`. */
export function isDay(text: string): boolean {
  const day = /^\d{4}-\d{2}-\d{2}$/.test(text) ? new Date(text) : null;
  return day !== null && !Number.isNaN(day.getTime()) && day.toISOString().startsWith(text);
}

/** Whether a text names a time zone. PostgreSQL reads the sign of an offset the other way round: names mean the same to all. */
export function isTimezone(name: string): boolean {
  if (!/^[A-Za-z]/.test(name)) return false;
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}
