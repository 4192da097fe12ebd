const MAX_SECONDS = 3_600;

/**
 * How long an endpoint asks us to wait, from its `Retry-After`: seconds or an HTTP date (RFC 9110, section 10.2.3), at
 * most an hour (contract, section 4).
 * @returns whole seconds, or null where it says nothing that can be read.
 */
export function retryAfterSeconds(header: string | string[] | undefined, nowMs: number): number | null {
  const value = (Array.isArray(header) ? header[0] : header)?.trim() ?? '';
  if (/^\d+$/.test(value)) return Math.min(Number(value), MAX_SECONDS);
  // Date.parse takes much else for a date, such as `-5`.
  if (!/^[A-Z][a-z]{2,8},? /.test(value)) return null;
  const moment = Date.parse(value);
  if (Number.isNaN(moment)) return null;
  return Math.min(Math.max(Math.ceil((moment - nowMs) / 1000), 0), MAX_SECONDS);
}
