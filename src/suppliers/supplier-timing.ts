/**
 * How much longer a worker's claim of a unit lasts than its supplier's timeout: time to record the outcome. When the claim ends,
 * the worker no longer waits for an answer.
 */
export const LEASE_MARGIN_MS = 3_000;

/**
 * Why a supplier's timeout and SUPPLIER_QUIET_PERIOD_MS contradict each other; null when they do not. A send that its worker
 * still waits for must not count as lost.
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
 * How long a purchase that the supplier never saw must wait before it is sent again: as configured, but never less
 * than a send may take, even if another process accepted a longer timeout.
 */
export const safeQuietPeriodMs = (configuredMs: number, timeoutMs: number): number =>
  Math.max(configuredMs, timeoutMs + LEASE_MARGIN_MS);

/** The shortest time between two calls of one kind that operators make by hand: suppliers may ban us for frequent calls. */
export const QUERY_GAP_MS = 10_000;

/**
 * The longest that such a call may block the next, in SQL over the supplier's row: enough for all HTTP calls that an adapter
 * makes for it, one after the other.
 */
export const MAX_QUERY = `(5 * timeout_ms + ${QUERY_GAP_MS}) * interval '1 millisecond'`;
