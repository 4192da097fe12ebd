/**
 * Reads a server's `Retry-After`: seconds or an HTTP date (RFC 9110, section 10.2.3).
 * @param nowMs the current time, for dates.
 * @param maxMs the maximum of the result.
 * @returns milliseconds; null for a missing or unreadable header.
 */
export function retryAfterMs(header: string | string[] | undefined, nowMs: number, maxMs: number): number | null {
  const value = (Array.isArray(header) ? header[0] : header)?.trim() ?? '';
  if (/^\d+$/.test(value)) return Math.min(Number(value) * 1000, maxMs);
  // Date.parse would also accept text that is no HTTP date, such as `-5`.
  if (!/^[A-Z][a-z]{2,8},? /.test(value)) return null;
  const moment = Date.parse(value);
  return Number.isNaN(moment) ? null : Math.min(Math.max(moment - nowMs, 0), maxMs);
}
