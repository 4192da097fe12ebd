/** Node runs a timer that is set for longer than this at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/**
 * Runs `action` once the wall clock has reached `deadlineMs` (milliseconds since 1970), at once if it has
 * already. It does not keep the process alive.
 * @returns a function that calls the action off.
 */
export function atWallClock(deadlineMs: number, action: () => void): () => void {
  let timer: NodeJS.Timeout | undefined;
  const runOrWait = (): void => {
    const remainingMs = deadlineMs - Date.now();
    if (remainingMs <= 0) {
      action();
      return;
    }
    timer = setTimeout(runOrWait, Math.min(remainingMs, MAX_TIMER_MS)).unref();
  };
  runOrWait();
  return () => clearTimeout(timer);
}
