/**
 * Begins to measure time. The result returns the milliseconds since then, by the clock that shows more: the monotonic clock
 * stands still while the machine sleeps, and the system's clock may be set back.
 */
export function measureElapsed(): () => number {
  const [monotonicMs, systemMs] = [performance.now(), Date.now()];
  return () => Math.max(performance.now() - monotonicMs, Date.now() - systemMs);
}
