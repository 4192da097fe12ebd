/**
 * The minimum time between the end of the supplier's timeout and the end of the lease. The worker needs this time to
 * record the outcome before the lease ends.
 */
export const LEASE_MARGIN_MS = 3_000;

/**
 * The contradiction between a supplier's timeout and SUPPLIER_QUIET_PERIOD_MS, in words; null if there is none. The quiet
 * period must not end while a worker still waits for the answer to a send.
 */
export function timingProblem(timeoutMs: number, quietPeriodMs: number): string | null {
  const maxTimeoutMs = quietPeriodMs - LEASE_MARGIN_MS;
  if (timeoutMs <= maxTimeoutMs) return null;
  const choose =
    maxTimeoutMs > 0 ? `choose a timeout of at most ${maxTimeoutMs} ms, or raise SUPPLIER_QUIET_PERIOD_MS` : 'raise it';
  return (
    `a timeout of ${timeoutMs} ms needs a SUPPLIER_QUIET_PERIOD_MS of at least ${timeoutMs + LEASE_MARGIN_MS}, ` +
    `and it is ${quietPeriodMs}: ${choose} for all processes first`
  );
}

/**
 * The wait before workers repeat a send that the supplier never saw. It is the configured wait, but never shorter than a send may
 * take: a process with another configuration may have accepted a longer timeout.
 */
export const safeQuietPeriodMs = (configuredMs: number, timeoutMs: number): number =>
  Math.max(configuredMs, timeoutMs + LEASE_MARGIN_MS);

/** The shortest time between two calls of one kind from the console: suppliers may ban us for frequent calls. */
export const QUERY_GAP_MS = 10_000;

/**
 * In SQL, for a supplier's row: the longest time for which an operator's call, or a worker's probe, blocks the next
 * one. It is enough for all HTTP calls that the adapter then makes, one after the other.
 */
export const MAX_QUERY = `(5 * timeout_ms + ${QUERY_GAP_MS}) * interval '1 millisecond'`;
