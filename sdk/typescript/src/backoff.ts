const FIRST_MS = 500;
const MAX_MS = 8_000;

/** The wait before a retry if the service names none: it doubles each time, and half of it is random. */
export function backoffMs(retry: number, random: () => number = Math.random): number {
  const full = Math.min(FIRST_MS * 2 ** retry, MAX_MS);
  return full / 2 + (full / 2) * random();
}

/**
 * Reads `Retry-After`, which has seconds or a date (RFC 9110, section 10.2.3).
 * @returns milliseconds, or null if it has neither.
 */
export function retryAfterMs(header: string | null, nowMs: number = Date.now()): number | null {
  const value = header?.trim() ?? '';
  if (/^\d+$/.test(value)) return Number(value) * 1000;
  // Date.parse accepts more than dates, such as `-5`.
  const moment = /^[A-Z][a-z]{2,8},? /.test(value) ? Date.parse(value) : NaN;
  return Number.isNaN(moment) ? null : Math.max(moment - nowMs, 0);
}

/** Waits. @throws the reason of the signal, as soon as it is aborted */
export function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = (): void => {
      clearTimeout(timer);
      reject(reasonOf(signal));
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', abort);
      resolve();
    }, ms);
    if (signal?.aborted) abort();
    signal?.addEventListener('abort', abort, { once: true });
  });
}

/** The signal's reason, which is an error unless its owner chose something else. */
export const reasonOf = (signal: AbortSignal | undefined): Error => signal?.reason as Error;
