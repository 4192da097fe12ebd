/**
 * How long a server asks to be left alone, from its `Retry-After`: seconds or an HTTP date (RFC 9110, section 10.2.3).
 * @param nowMs the time that a date counts from.
 * @param maxMs what is waited at most, whatever it asks for.
 * @returns milliseconds, or null where it says nothing that can be read.
 */
export function retryAfterMs(header: string | string[] | undefined, nowMs: number, maxMs: number): number | null {
  const value = (Array.isArray(header) ? header[0] : header)?.trim() ?? '';
  if (/^\d+$/.test(value)) return Math.min(Number(value) * 1000, maxMs);
  // Date.parse takes much else for a date, such as `-5`.
  if (!/^[A-Z][a-z]{2,8},? /.test(value)) return null;
  const moment = Date.parse(value);
  return Number.isNaN(moment) ? null : Math.min(Math.max(moment - nowMs, 0), maxMs);
}
