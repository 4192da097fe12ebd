/**
 * How much longer than its supplier's timeout a worker's claim of a unit holds: time to record what came of the call. By
 * its end the worker has stopped waiting for an answer.
 */
export const LEASE_MARGIN_MS = 3_000;

/**
 * Why a supplier's timeout and SUPPLIER_QUIET_PERIOD_MS contradict each other: a send that its worker still waits for
 * must not be taken for one that was lost. Null when they do not.
 */
export function timingProblem(timeoutMs: number, quietPeriodMs: number): string | null {
  const longestMs = quietPeriodMs - LEASE_MARGIN_MS;
  if (timeoutMs <= longestMs) return null;
  const choose = longestMs > 0 ? `choose a timeout of at most ${longestMs} ms, or raise it` : 'raise it';
  return (
    `a timeout of ${timeoutMs} ms needs a SUPPLIER_QUIET_PERIOD_MS of at least ${timeoutMs + LEASE_MARGIN_MS}, ` +
    `and it is ${quietPeriodMs}: ${choose} for all processes first`
  );
}

/**
 * How long a supplier must have been quiet about a purchase that it never saw, before it is sent again: as configured,
 * but never less than a send may take, whatever another process let pass.
 */
export const safeQuietPeriodMs = (configuredMs: number, timeoutMs: number): number =>
  Math.max(configuredMs, timeoutMs + LEASE_MARGIN_MS);

/** For so long nobody asks a supplier by hand what an operator has just asked it: it may ban us for asking often. */
export const ASKED_GAP_MS = 10_000;

/**
 * How long such a question keeps others from it at most, in SQL, by the supplier's row: more than an adapter makes of it, one
 * call after the other, and each as long as the timeout.
 */
export const MAX_QUESTION = `(5 * timeout_ms + ${ASKED_GAP_MS}) * interval '1 millisecond'`;
