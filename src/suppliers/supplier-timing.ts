/**
 * The time by which a worker's claim of a unit outlasts the supplier's timeout. The worker needs this time to record the outcome:
 * when the claim ends, the worker no longer waits for an answer.
 */
export const LEASE_MARGIN_MS = 3_000;

/**
 * The contradiction between a supplier's timeout and SUPPLIER_QUIET_PERIOD_MS; null if there is none. While a worker still waits
 * for the answer to a send, the send must not count as lost.
 */
export function timingProblem(timeoutMs: number, quietPeriodMs: number): string | null {
  const maxTimeoutMs = quietPeriodMs - LEASE_MARGIN_MS;
  if (timeoutMs <= maxTimeoutMs) return null;
  const choose = maxTimeoutMs > 0 ? `choose a timeout of at most ${maxTimeoutMs} ms, or raise it` : 'raise it';
  return (
    `a timeout of ${timeoutMs} ms needs a SUPPLIER_QUIET_PERIOD_MS of at least ${timeoutMs + LEASE_MARGIN_MS}, ` +
    `and it is ${quietPeriodMs}: ${choose} for all processes first`
  );
}

/**
 * The wait before workers repeat a purchase that the supplier never saw. It is the configured one, but never less than a send may
 * take: another process may have accepted a longer timeout.
 */
export const safeQuietPeriodMs = (configuredMs: number, timeoutMs: number): number =>
  Math.max(configuredMs, timeoutMs + LEASE_MARGIN_MS);

/** The shortest time between two calls of one kind that operators make by hand: suppliers may ban us for frequent calls. */
export const QUERY_GAP_MS = 10_000;

/**
 * The longest time for which a call by hand blocks the next one, in SQL over the supplier's row. It is enough for all HTTP calls
 * that an adapter makes for one call by hand, one after the other.
 */
export const MAX_QUERY = `(5 * timeout_ms + ${QUERY_GAP_MS}) * interval '1 millisecond'`;
